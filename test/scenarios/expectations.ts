import { scenarios } from '../../src/demo/scenarios/catalogue.ts';
import type { Scenario } from '../../src/demo/scenarios/scenario.ts';

/** Doctor's expected verdict on one webhook. */
export interface ExpectedVerdict {
  /** `validating/CONFIGURATION/WEBHOOK`, `crd/NAME`, `apiservice/NAME`. */
  readonly callout: string;
  readonly state: 'healthy' | 'degraded' | 'failing' | 'unknown';
  readonly link?: string;
  /** Check id of the cause. */
  readonly cause?: string;
  readonly effect?: 'none' | 'blocks' | 'fails-open';
  /** Part of the API server's error. */
  readonly error?: string;
}

/** Doctor's expected report about a scenario. */
interface Expectation {
  /** All others are healthy. */
  readonly expect: readonly ExpectedVerdict[];
  /** Check ids of findings at or above warning that are neither causes nor consequences. */
  readonly also: readonly string[];
}

/** An expectation as in the table: default values are omitted. */
interface Row {
  /** Default: the first webhook of the parts fails and blocks; without any, all are healthy. */
  readonly expect?: Partial<ExpectedVerdict> | readonly Partial<ExpectedVerdict>[];
  readonly also?: readonly string[];
}

/** The API server's error for a closed port. */
const refused = 'connect: connection refused';

/** By slug; default: all webhooks are healthy, without findings. */
const rows: Readonly<Record<string, Row>> = {
  'rule-names-a-kind': { also: ['rule-resource-unknown'] },
  'selector-matches-no-namespace': { also: ['namespace-selector-matches-nothing'] },
  'two-configurations-one-name': { also: ['duplicate-installation'] },
  'webhook-name-twice': { also: ['duplicate-webhook-name'] },
  'old-side-effects': { also: ['side-effects-refuse-dry-run'] },
  'service-missing': {
    expect: {
      link: 'routing',
      cause: 'service-missing',
      error:
        'failed calling webhook "ingresses.order-policy.example.com": failed to call webhook: Post "https://order-policy-webhook.orders.svc:443/validate?timeout=5s": service "order-policy-webhook" not found',
    },
  },
  'service-namespace-missing': {
    expect: { link: 'routing', cause: 'service-namespace-missing', error: 'service "webhook" not found' },
  },
  'orphaned-after-uninstall': {
    expect: {
      link: 'routing',
      cause: 'orphaned-configuration',
      error: 'service "gang-scheduler-admission" not found',
    },
  },
  'service-port-missing': {
    expect: {
      link: 'routing',
      cause: 'service-port-missing',
      error: 'no service port 443 found for service "ca-injector"',
    },
  },
  'service-port-not-tcp': { expect: { state: 'unknown', link: 'routing', cause: 'service-not-proxied' } },
  'service-headless': { expect: { state: 'unknown', link: 'routing', cause: 'service-headless' } },
  'service-external-name': { expect: { state: 'unknown', link: 'routing', cause: 'service-external-name' } },
  'url-names-a-service': { expect: { link: 'routing', cause: 'url-in-cluster-name' } },
  'url-on-loopback': { also: ['url-loopback'] },
  'internal-traffic-policy-local': {
    expect: { state: 'unknown', link: 'routing', cause: 'internal-traffic-policy-local' },
  },
  'path-trailing-slash': { also: ['path-trailing-slash'] },
  'conversion-service-in-other-namespace': {
    expect: { link: 'routing', cause: 'service-missing', error: 'service "node-autoscaler" not found' },
  },
  'apiservice-service-missing': { expect: { link: 'routing', cause: 'service-missing' } },
  'selector-matches-no-pod': {
    expect: { link: 'backend', cause: 'selector-matches-no-pod', error: refused },
  },
  'workload-missing': { expect: { link: 'backend', cause: 'workload-missing', error: refused } },
  'scaled-to-zero-by-a-person': {
    expect: { link: 'backend', cause: 'workload-scaled-to-zero', error: refused },
  },
  'scaled-to-zero-by-an-autoscaler': {
    expect: { link: 'backend', cause: 'workload-scaled-to-zero', error: refused },
  },
  'quota-exhausted': { expect: { link: 'backend', cause: 'workload-cannot-create-pods', error: refused } },
  'pod-security-forbids-pods': {
    expect: { link: 'backend', cause: 'workload-cannot-create-pods', error: refused },
  },
  'service-account-missing': {
    expect: { link: 'backend', cause: 'workload-cannot-create-pods', error: refused },
  },
  'own-pods-blocked': { expect: { link: 'scope', cause: 'bootstrap-deadlock', error: refused } },
  'wrong-port-name': { expect: { link: 'backend', cause: 'target-port-name-missing', error: refused } },
  'selector-covers-agents': {
    expect: { state: 'degraded', link: 'backend', cause: 'selector-covers-other-workload' },
  },
  'unready-addresses-published': {
    expect: { state: 'degraded', cause: 'unready-addresses-published' },
    also: ['replica-crash-looping'],
  },
  'endpoint-of-no-pod': { expect: { state: 'unknown', link: 'backend', cause: 'endpoint-of-no-pod' } },
  'endpoints-by-hand': { expect: { state: 'unknown' } },
  'endpoints-by-hand-forgotten': { expect: { link: 'backend', cause: 'no-ready-endpoint', error: refused } },
  'conversion-backend-gone': {
    expect: {
      link: 'backend',
      cause: 'workload-scaled-to-zero',
      error: 'conversion webhook for hierarchy.example.com/',
    },
  },
  'apiservice-without-endpoints': { expect: { link: 'replica', cause: 'replica-unschedulable' } },
  'only-terminating-endpoints': { expect: { state: 'healthy' }, also: ['endpoints-only-terminating'] },
  'target-port-closed': { expect: { link: 'backend', cause: 'target-port-closed', error: refused } },
  'image-cannot-be-pulled': {
    expect: { link: 'replica', cause: 'replica-image-pull-failing', error: refused },
  },
  'crash-loop': { expect: { link: 'replica', cause: 'replica-crash-looping', error: refused } },
  'memory-limit-too-small': { expect: { link: 'replica', cause: 'replica-out-of-memory', error: refused } },
  'evicted-for-good': { expect: { link: 'replica', cause: 'replica-evicted', error: refused } },
  unschedulable: { expect: { link: 'replica', cause: 'replica-unschedulable', error: refused } },
  'serving-secret-missing': { expect: { link: 'replica', cause: 'replica-volume-missing', error: refused } },
  'config-map-missing': {
    expect: { link: 'replica', cause: 'replica-config-error', error: refused },
    also: ['covers-own-configuration-path'],
  },
  'init-container-fails': { expect: { link: 'replica', cause: 'replica-init-stuck', error: refused } },
  'readiness-failing': { expect: { link: 'replica', cause: 'replica-readiness-failing', error: refused } },
  'node-not-ready': { expect: { link: 'replica', cause: 'replica-node-not-ready', error: refused } },
  'deleted-but-kept': { expect: { link: 'replica', cause: 'replica-terminating-stuck', error: refused } },
  'kept-by-a-finalizer': { expect: { link: 'replica', cause: 'replica-terminating-stuck', error: refused } },
  'fails-open-unseen': {
    expect: { link: 'replica', cause: 'replica-crash-looping', effect: 'fails-open', error: refused },
  },
  'one-of-two-crashes': { also: ['replica-crash-looping'] },
  'parked-by-scheduler-name': { expect: { link: 'replica', cause: 'replica-unschedulable', error: refused } },
  'replica-not-listening': { expect: { link: 'replica', cause: 'replica-not-listening', error: refused } },
  'replica-listens-on-loopback-only': {
    expect: { link: 'replica', cause: 'replica-listens-on-loopback-only', error: refused },
  },
  'replica-hangs': {
    expect: { link: 'replica', cause: 'replica-hangs', error: 'context deadline exceeded' },
  },
  'replica-speaks-plain-http': {
    expect: {
      link: 'replica',
      cause: 'replica-speaks-plain-http',
      error: 'http: server gave HTTP response to HTTPS client',
    },
  },
  'leader-gated-listener': {
    expect: { state: 'degraded', link: 'replica', cause: 'leader-gated-listener', error: refused },
  },
  'leader-gated-answer': { expect: { state: 'degraded', link: 'replica', cause: 'leader-gated-answer' } },
  'leader-gated-cache': { expect: { state: 'degraded', link: 'replica', cause: 'leader-gated-answer' } },
  'leader-gated-readiness': { also: ['replica-readiness-failing'] },
  'replicas-disagree': { expect: { state: 'degraded', link: 'replica', cause: 'replicas-disagree' } },
  'certificate-not-issued': { expect: { link: 'tls', cause: 'certificate-not-issued', error: refused } },
  'client-certificate-demanded': {
    expect: {
      link: 'tls',
      cause: 'client-certificate-demanded',
      error: 'remote error: tls: certificate required',
    },
  },
  'tls-version-unsupported': {
    expect: {
      link: 'tls',
      cause: 'tls-version-unsupported',
      error: 'remote error: tls: protocol version not supported',
    },
  },
  'stale-ca-bundle': {
    expect: {
      link: 'tls',
      cause: 'stale-ca-bundle',
      error: 'x509: certificate signed by unknown authority (possibly because of',
    },
  },
  'serving-certificate-expired': {
    expect: {
      link: 'tls',
      cause: 'serving-certificate-expired',
      error: 'x509: certificate has expired or is not yet valid',
    },
  },
  'serving-certificate-name-mismatch': {
    expect: {
      link: 'tls',
      cause: 'serving-certificate-name-mismatch',
      error: 'x509: certificate is valid for localhost, not laptop-policy.laptop.svc',
    },
  },
  'replicas-serve-different-certificates': {
    expect: {
      state: 'degraded',
      link: 'tls',
      cause: 'replicas-serve-different-certificates',
      error: 'x509: certificate signed by unknown authority',
    },
  },
  'served-certificate-differs-from-secret': { also: ['served-certificate-differs-from-secret'] },
  'certificate-job-failed': {
    expect: {
      link: 'tls',
      cause: 'certificate-job-failed',
      error: 'x509: certificate signed by unknown authority',
    },
  },
  'certificate-renewed-not-reloaded': {
    expect: {
      link: 'tls',
      cause: 'served-certificate-differs-from-secret',
      error: 'x509: certificate signed by unknown authority',
    },
  },
  'served-certificate-differs-from-config-map': {
    also: ['covers-own-configuration-path', 'served-certificate-differs-from-secret'],
  },
  'response-path-not-found': {
    expect: {
      link: 'response',
      cause: 'response-path-not-found',
      error: 'the server could not find the requested resource',
    },
  },
  'response-redirects': { expect: { link: 'response', cause: 'response-redirects' } },
  'response-server-error': {
    expect: {
      link: 'response',
      cause: 'response-server-error',
      error:
        'an error on the server ("runtime error: invalid memory address") has prevented the request from succeeding',
    },
  },
  'response-not-a-review': { expect: { link: 'response', cause: 'response-not-a-review' } },
  'response-uid-mismatch': {
    expect: { link: 'response', cause: 'response-uid-mismatch', error: 'expected response.uid=' },
  },
  'response-slow': { also: ['response-slow'] },
  'response-empty': {
    expect: { link: 'response', cause: 'response-empty', error: '0-length response with status code: 200' },
  },
  'keep-alive-shorter-than-api-server': { also: ['keep-alive-shorter-than-api-server'] },
  'unreachable-from-control-plane': { expect: { link: 'network', cause: 'unreachable-from-control-plane' } },
  'address-not-allowed': { expect: { link: 'network', cause: 'address-not-allowed' } },
  'single-replica': { also: ['outage-risk-single-replica'] },
  'timeout-too-long': { also: ['timeout-too-long'] },
  'headless-with-endpoint-routing': {
    expect: {
      callout: 'mutating/flaky/flaky.example.com',
      link: 'replica',
      cause: 'replica-crash-looping',
      effect: 'fails-open',
      error: 'no endpoints available for service "flaky"',
    },
  },
  'no-rules': { expect: { state: 'healthy' } },
};

const prefixes: Readonly<Record<string, string>> = {
  ValidatingWebhookConfiguration: 'validating',
  MutatingWebhookConfiguration: 'mutating',
  CustomResourceDefinition: 'crd',
  APIService: 'apiservice',
};

function firstCallout(parts: Scenario['parts']): string {
  const [first = ''] = parts.flatMap((part) => {
    if (!('kind' in part) || prefixes[part.kind] === undefined) return [];
    const [webhook] = (part.webhooks ?? []) as readonly { readonly name: string }[];
    return [[prefixes[part.kind], part.metadata.name, webhook?.name].filter(Boolean).join('/')];
  });
  return first;
}

/** The slugs in expectations that no scenario has. */
export const unknownSlugs: readonly string[] = Object.keys(rows).filter((slug) =>
  scenarios.every((scenario) => scenario.slug !== slug),
);

/** The expectation of a scenario, with its defaults. */
export function expectationOf({ slug, parts }: Scenario): Expectation {
  const { expect = [], also = [] } = rows[slug] ?? {};
  const expected = [expect].flat().map(({ state = 'failing', ...given }): ExpectedVerdict => {
    const effect = state === 'failing' || state === 'degraded' ? 'blocks' : 'none';
    return { callout: firstCallout(parts), state, effect, ...given };
  });
  return { expect: expected, also };
}
