import type { CalloutReport, DoctorReport, FindingReport } from '../../src/diagnose/report.ts';
import type { NotLookedAt } from '../../src/facts/unread.ts';
import { advising, calloutReport, findingReport, objectOf, reportOf } from '../support/report.ts';
import { listing } from '../support/unread.ts';

/** Reports for every form of the terminal output; the golden files contain the output. */

const healthyOnes = (count: number): readonly CalloutReport[] =>
  Array.from({ length: count }, (_, at) =>
    calloutReport({ configuration: `team-${at}`, webhook: `check.team-${at}.example.com` }),
  );

const gatekeeper = calloutReport({
  configuration: 'gatekeeper-validating-webhook-configuration',
  webhook: 'validation.gatekeeper.sh',
  failurePolicy: 'Ignore',
  timeoutSeconds: 3,
  backend: {
    service: {
      namespace: 'gatekeeper-system',
      name: 'gatekeeper-webhook-service',
      port: 443,
      path: '/v1/admit',
    },
  },
  verdict: {
    state: 'failing',
    link: 'backend',
    because: ['workload-scaled-to-zero', 'no-ready-endpoint', 'failing-open-now'],
    effect: 'fails-open',
    error:
      'failed calling webhook "validation.gatekeeper.sh": failed to call webhook: Post "https://gatekeeper-webhook-service.gatekeeper-system.svc:443/v1/admit?timeout=3s": no endpoints available for service "gatekeeper-webhook-service"',
  },
});

const scaledToZero: readonly FindingReport[] = [
  findingReport(gatekeeper, {
    check: 'workload-scaled-to-zero',
    link: 'backend',
    title: 'Workload is scaled to zero',
    message:
      'Deployment gatekeeper-system/gatekeeper-controller-manager is scaled to zero: no replica serves.',
    advice: advising(
      '[safe] Scale it up again, or find out who scaled it down: an autoscaler would do it again: `kubectl -n {namespace} scale {workload} --replicas=2`',
      { namespace: 'gatekeeper-system', workload: 'deployment/gatekeeper-controller-manager' },
    ),
    evidence: [
      {
        object: objectOf('Deployment gatekeeper-system/gatekeeper-controller-manager'),
        field: 'spec.replicas',
        value: '0 (set by kubectl-client-side-apply on 2025-12-31)',
      },
      { object: objectOf('Service gatekeeper-system/gatekeeper-webhook-service'), value: 'no endpoints' },
    ],
  }),
  findingReport(gatekeeper, {
    check: 'failing-open-now',
    link: 'failure-policy',
    causedBy: 'workload-scaled-to-zero',
  }),
  findingReport(gatekeeper, {
    check: 'no-ready-endpoint',
    link: 'backend',
    causedBy: 'workload-scaled-to-zero',
  }),
];

const kyvernoKinds: readonly (readonly [CalloutReport['kind'], string, string, 'Fail' | 'Ignore'])[] = [
  ['validating', 'kyverno-resource-validating-webhook-cfg', 'validate.kyverno.svc-fail', 'Fail'],
  ['validating', 'kyverno-resource-validating-webhook-cfg', 'validate.kyverno.svc-ignore', 'Ignore'],
  ['mutating', 'kyverno-resource-mutating-webhook-cfg', 'mutate.kyverno.svc-fail', 'Fail'],
];
const kyverno = kyvernoKinds.map(([kind, configuration, webhook, failurePolicy]) =>
  calloutReport({
    kind,
    configuration,
    webhook,
    failurePolicy,
    backend: {
      service: { namespace: 'kyverno', name: 'kyverno-svc', port: 443, path: `/${kind}/${failurePolicy}` },
    },
    verdict: {
      state: 'failing',
      link: 'routing',
      because: ['service-missing'],
      effect: failurePolicy === 'Fail' ? 'blocks' : 'fails-open',
      error: `failed calling webhook "${webhook}": failed to call webhook: Post "https://kyverno-svc.kyverno.svc:443/${kind}/${failurePolicy}?timeout=10s": service "kyverno-svc" not found`,
    },
  }),
);
const serviceMissing = kyverno.map((callout) =>
  findingReport(callout, {
    check: 'service-missing',
    title: 'Service does not exist',
    message: 'Service kyverno/kyverno-svc does not exist.',
    advice: advising(
      'Install the backend again, or delete the orphaned configuration after you have checked who owns it (`kubectl get {kind} {configuration} -o yaml --show-managed-fields`).',
      { kind: 'validatingwebhookconfiguration', configuration: 'kyverno-resource-validating-webhook-cfg' },
    ),
    evidence: [{ object: objectOf('Service kyverno/kyverno-svc'), value: 'not found' }],
  }),
);

const injector = calloutReport({
  kind: 'mutating',
  configuration: 'sidecar-injector',
  webhook: 'inject.mesh.example.com',
  backend: { service: { namespace: 'mesh', name: 'injector', port: 443, path: '/inject' } },
  verdict: {
    state: 'degraded',
    link: 'replica',
    because: ['replica-crash-looping'],
    effect: 'blocks',
    error:
      'failed calling webhook "inject.mesh.example.com": failed to call webhook: Post "https://injector.mesh.svc:443/inject?timeout=10s": dial tcp 203.0.113.20:443: connect: connection refused',
  },
  replicas: [
    { pod: 'injector-6c9d-abcde', endpoint: '198.51.100.7:8443', ready: true, state: 'ready' },
    { pod: 'injector-6c9d-fghij', ready: false, state: 'crash-looping' },
    { pod: 'injector-6c9d-klmno', endpoint: '198.51.100.9:8443', ready: true, state: 'ready' },
  ],
});
const crashLooping = [
  findingReport(injector, {
    check: 'replica-crash-looping',
    link: 'replica',
    message:
      '1 of 3 replicas crashes again and again: container injector ended with exit code 1, 14 restarts.',
    advice: advising('Read why it ends: `kubectl -n {namespace} logs {pod} --previous`', {
      namespace: 'mesh',
      pod: 'injector-6c9d-fghij',
    }),
    evidence: [
      {
        object: objectOf('Pod mesh/injector-6c9d-fghij'),
        field: 'status.containerStatuses[0].lastState.terminated',
        value: 'exit code 1 (Error)',
      },
      {
        object: objectOf('Pod mesh/injector-6c9d-fghij'),
        field: 'log of container injector',
        value:
          'panic: open /certs/tls.crt: no such file or directory\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/main.go:42 +0x1d',
      },
    ],
  }),
  findingReport(injector, {
    check: 'timeout-too-long',
    severity: 'warning',
    link: 'failure-policy',
    title: 'A timeout over 10 s holds requests up',
    message: 'timeoutSeconds is 30: one dead replica holds every matching request up that long.',
  }),
];

const [first, second, third, ...fine] = healthyOnes(12) as [
  CalloutReport,
  CalloutReport,
  CalloutReport,
  ...CalloutReport[],
];
const practice = [first, second, third].map((callout, at) =>
  findingReport(callout, {
    check: 'outage-risk-single-replica',
    severity: 'warning',
    link: 'failure-policy',
    title: 'One replica serves a webhook that fails closed',
    message: `Deployment shop/policy-${at} has one replica, and requests stop while it restarts.`,
  }),
);
const owned = [first, second, third, ...fine].map((callout) =>
  findingReport(callout, {
    check: 'managed-configuration',
    severity: 'info',
    link: 'ownership',
    title: 'Configuration is managed by someone else',
    message: `Helm release ${callout.configuration} in namespace shop owns it.`,
  }),
);

const secretsForbidden: readonly NotLookedAt[] = ['shop', 'mesh', 'kyverno'].map((namespace) => ({
  what: listing('secrets', namespace),
  why: 'forbidden',
  detail: 'secrets is forbidden: User "jane" cannot get resource "secrets"',
  allow: { apiGroups: [''], resources: ['secrets'], verbs: ['get'], namespace },
}));

const conversion = calloutReport({
  kind: 'conversion',
  configuration: 'widgets.example.com',
  webhook: 'widgets.example.com',
  timeoutSeconds: 30,
  verdict: { state: 'unknown', link: 'routing' },
});

const deadlocked = calloutReport({
  verdict: { state: 'healthy' },
});

const hostile = calloutReport({
  configuration: 'evil\u001b]0;owned\u0007',
  webhook: 'a\u202eb\u200bc\n✔ everything is fine',
  verdict: {
    state: 'failing',
    link: 'tls',
    because: ['x'],
    error: 'x\u001b[2Jy\r\nz\u009b1m',
    effect: 'blocks',
  },
});

/** By the name of the golden file. */
export const reports: Readonly<Record<string, DoctorReport>> = {
  'all-healthy': reportOf(healthyOnes(14)),
  'nothing-called': reportOf([]),
  'several-broken': reportOf(
    [first, gatekeeper, second, third, ...kyverno, injector, ...fine],
    [...scaledToZero, ...serviceMissing, ...crashLooping, ...practice, ...owned],
    secretsForbidden,
  ),
  'one-broken': reportOf([gatekeeper, ...healthyOnes(3)], scaledToZero),
  'not-allowed': reportOf(
    [conversion, calloutReport({ verdict: { state: 'unknown', link: 'routing' } })],
    [],
    [
      {
        what: listing('services'),
        why: 'forbidden',
        detail: 'services is forbidden: …',
        allow: { apiGroups: [''], resources: ['services'], verbs: ['list'] },
      },
      {
        what: listing('endpointslices', 'shop'),
        why: 'timeout',
        detail: 'no response within 20 s',
      },
      {
        what: 'check stale-ca-bundle of Service shop/policy',
        why: 'internal error',
        detail: 'x is not a function',
      },
    ],
  ),
  'error-on-healthy': reportOf(
    [deadlocked],
    [
      findingReport(deadlocked, {
        check: 'bootstrap-deadlock',
        link: 'scope',
        title: 'The webhook must answer before its own Pods can start',
        message:
          'It covers the Pods of Deployment shop/policy, which serve it: once they are deleted, none can start.',
        advice: advising('Exclude the namespace of the backend with a namespaceSelector.'),
        evidence: [
          {
            object: objectOf('ValidatingWebhookConfiguration policy'),
            field: 'webhooks[0].namespaceSelector',
            value: '{}',
          },
        ],
      }),
    ],
  ),
  hostile: reportOf(
    [hostile],
    [
      findingReport(hostile, {
        check: 'x',
        link: 'tls',
        message: 'CN=\u001b[31mred\u001b[0m \u2066bidi\u2069 line\nbreak',
        evidence: [
          { object: objectOf('Pod a/b'), field: 'log', value: 'one\n\u001b[1A\u001b[2Ktwo\u0000\n✔ three' },
        ],
      }),
    ],
  ),
};
