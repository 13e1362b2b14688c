import { running } from '../cluster/behaviour.ts';
import { installation } from '../cluster/installation.ts';
import type { Scenario } from './scenario.ts';

export const responseScenarios: readonly Scenario[] = [
  {
    slug: 'response-path-not-found',
    story: [
      'The new version serves its webhook under another path.',
      'The configuration names the old one.',
      'Every call ends in 404, over a sound connection.',
    ],
    source: 'https://github.com/kubernetes-sigs/cluster-api-provider-openstack/issues/1927',
    parts: installation('paths/path-policy', {
      deployment: { pods: [running({ answer: 'raw', status: 404, body: '404 page not found' })] },
    }),
  },
  {
    slug: 'response-redirects',
    story: [
      'The server redirects to where it thinks the path should be.',
      'The API server follows, with a GET and without the review.',
      'What answers there is no webhook.',
    ],
    parts: installation('moved/moved-policy', { deployment: { pods: [running({ answer: 'redirect' })] } }),
  },
  {
    slug: 'response-server-error',
    story: [
      'The handler panics on every request.',
      'The server turns that into a 500 and lives on.',
      'Liveness and readiness see nothing of it.',
    ],
    parts: installation('panics/panic-policy', {
      deployment: {
        pods: [running({ answer: 'raw', status: 500, body: 'runtime error: invalid memory address' })],
      },
    }),
  },
  {
    slug: 'response-not-a-review',
    story: [
      'A default page answers in place of the webhook.',
      'It says 200, and is HTML.',
      'The API server cannot read a review from it.',
    ],
    parts: installation('welcome/welcome-policy', {
      deployment: { pods: [running({ answer: 'not-json' })] },
    }),
  },
  {
    slug: 'response-uid-mismatch',
    story: [
      'A webhook builds its answer from a template and leaves the uid as it was there.',
      'It allows everything.',
      'The API server takes no answer that belongs to another question.',
    ],
    source: 'https://github.com/kubernetes/ingress-nginx/issues/4916',
    parts: installation('template/template-policy', {
      deployment: { pods: [running({ answer: 'wrong-uid' })] },
    }),
  },
  {
    slug: 'response-slow',
    story: [
      'The webhook asks another service about every object.',
      'It needs most of the time that it has.',
      'Nothing fails yet.',
    ],
    parts: installation('enrichment/enriching-policy', {
      deployment: { pods: [running({ delay: 2700 })] },
      validating: { timeoutSeconds: 5 },
    }),
  },
  {
    slug: 'response-empty',
    story: [
      'A proxy in the Pod answers 200 to everything that it does not know.',
      'The body is empty.',
      'There is no review in it.',
    ],
    parts: installation('void/void-policy', { deployment: { pods: [running({ answer: 'empty' })] } }),
  },
  {
    slug: 'keep-alive-shorter-than-api-server',
    story: [
      'The server runs on a framework that closes idle connections after five seconds.',
      'The API server keeps them for ninety, and does not send a request twice.',
      'Once in a while a call ends in EOF, and works when tried again.',
    ],
    parts: installation('flaky-calls/framework-policy', {
      deployment: { pods: [running({ idleTimeout: 5000 })] },
    }),
  },
];
