import { running } from '../cluster/behaviour.ts';
import { installation } from '../cluster/installation.ts';
import type { Scenario } from './scenario.ts';

/** Failures at the link response. */
export const responseScenarios: readonly Scenario[] = [
  {
    slug: 'response-path-not-found',
    story:
      'The new version serves its webhook under another path. The configuration names the old one. Every call fails with 404, although the connection works.',
    source: 'https://github.com/kubernetes-sigs/cluster-api-provider-openstack/issues/1927',
    parts: installation('paths/path-policy', {
      deployment: { pods: [running({ answer: 'raw', status: 404, body: '404 page not found' })] },
    }),
  },
  {
    slug: 'response-redirects',
    story:
      'The server redirects calls to another path. The API server follows, with a GET and without the review. What responds there is not a webhook.',
    parts: installation('moved/moved-policy', { deployment: { pods: [running({ answer: 'redirect' })] } }),
  },
  {
    slug: 'response-server-error',
    story:
      'The handler panics on every request. The server returns 500 and continues to run. Liveness and readiness probes succeed.',
    parts: installation('panics/panic-policy', {
      deployment: {
        pods: [running({ answer: 'raw', status: 500, body: 'runtime error: invalid memory address' })],
      },
    }),
  },
  {
    slug: 'response-not-a-review',
    story:
      'A default page responds instead of the webhook. It returns 200 with HTML. The API server cannot decode it as a review.',
    parts: installation('welcome/welcome-policy', {
      deployment: { pods: [running({ answer: 'not-json' })] },
    }),
  },
  {
    slug: 'response-uid-mismatch',
    story:
      'A webhook builds its response from a template and does not replace the uid. It allows everything. The API server rejects a response with another uid.',
    source: 'https://github.com/kubernetes/ingress-nginx/issues/4916',
    parts: installation('template/template-policy', {
      deployment: { pods: [running({ answer: 'wrong-uid' })] },
    }),
  },
  {
    slug: 'response-slow',
    story:
      'The webhook calls another service for every object. Each response takes most of timeoutSeconds. Nothing fails yet.',
    parts: installation('enrichment/enriching-policy', {
      deployment: { pods: [running({ delay: 2700 })] },
      validating: { timeoutSeconds: 5 },
    }),
  },
  {
    slug: 'response-empty',
    story: 'A proxy in the Pod returns 200 for every unknown path. The body is empty. It contains no review.',
    parts: installation('void/void-policy', { deployment: { pods: [running({ answer: 'empty' })] } }),
  },
  {
    slug: 'keep-alive-shorter-than-api-server',
    story:
      'The server runs on a framework that closes idle connections after five seconds. The API server keeps them for ninety, and does not send a request twice. Now and then a call fails with EOF, and succeeds when repeated.',
    parts: installation('flaky-calls/framework-policy', {
      deployment: { pods: [running({ idleTimeout: 5000 })] },
    }),
  },
];
