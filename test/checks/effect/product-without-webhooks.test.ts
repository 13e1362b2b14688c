import { productWithoutWebhooks } from '../../../src/checks/effect/product-without-webhooks.ts';
import { complete, nothingRead } from '../../../src/facts/lookup.ts';
import type { Endpoint, EndpointSlice } from '../../../src/facts/objects/endpoint-slice.ts';
import type { Event } from '../../../src/facts/objects/event.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { lists, pod, port, service, webhook, workload } from '../../support/snapshot.ts';

// Snapshots are taken at 2026-01-01T00:00:00Z.
const kyverno = (creationTimestamp = '2025-12-01T00:00:00Z', name = 'kyverno-svc') =>
  service({}, { name, namespace: 'kyverno', creationTimestamp });
const slice = (endpoints: readonly Endpoint[], changed?: string): EndpointSlice => ({
  metadata: {
    name: 'kyverno-svc-x',
    namespace: 'kyverno',
    ...(changed === undefined
      ? {}
      : { annotations: { 'endpoints.kubernetes.io/last-change-trigger-time': changed } }),
  },
  addressType: 'IPv4',
  endpoints,
});
/** The Service of KEDA's webhooks, which no webhook calls. */
const keda = (
  slices: readonly EndpointSlice[],
  creationTimestamp = '2025-12-01T00:00:00Z',
): Partial<Facts> => {
  const key = 'shop/keda-admission-webhooks';
  return seen([], {
    services: complete([[key, service({}, { name: 'keda-admission-webhooks', creationTimestamp })]]),
    endpointSlices: complete([[key, slices]]),
  });
};
const deployment = (replicas: number) =>
  workload({
    metadata: { name: 'kyverno-admission-controller', namespace: 'kyverno' },
    spec: { replicas },
  });
const ready: Endpoint = { addresses: ['198.51.100.7'], conditions: { ready: true } };
const unready: Endpoint = { addresses: ['198.51.100.8'], conditions: { ready: false } };

const seen = (
  slices: readonly EndpointSlice[],
  over: Partial<Facts> = {},
  services = [kyverno()],
): Partial<Facts> => ({
  configurations: complete([
    ['validating', ['other']],
    ['mutating', []],
  ]),
  services: complete(services.map((one) => [`kyverno/${one.metadata.name}`, one])),
  endpointSlices: complete(slices.length === 0 ? [] : [['kyverno/kyverno-svc', slices]]),
  ...over,
});
/** EndpointSlices without the time of their last change, and Pods that became Ready at these times. */
const readySince = (...times: readonly (string | undefined)[]) =>
  seen([slice([ready, unready])], {
    pods: lists({
      'kyverno/kyverno-svc': [
        ...times.map((lastTransitionTime, at) =>
          pod({
            metadata: { name: `kyverno-${at}` },
            status: {
              conditions: [
                {
                  type: 'Ready',
                  status: 'True',
                  ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }),
                },
              ],
            },
          }),
        ),
        pod({
          metadata: { name: 'kyverno-unready' },
          status: {
            conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: '2025-12-31T23:59:00Z' }],
          },
        }),
      ],
    }),
  });
const cannotCreate =
  'F1127 config.go:190] mutatingwebhookconfigurations.admissionregistration.k8s.io is forbidden: User "system:serviceaccount:shop:guard" cannot create resource "mutatingwebhookconfigurations" in API group "admissionregistration.k8s.io" at the cluster scope';
/** A Service that nothing calls, with a Pod that has just been started again. */
const crashed = (log: string, name: string): Partial<Facts> => {
  const key = `shop/${name}`;
  const containerStatuses = [
    {
      name: 'webhook',
      ready: true,
      restartCount: 2,
      state: { running: { startedAt: '2025-12-31T23:59:55Z' } },
      lastState: {
        terminated: {
          exitCode: 255,
          startedAt: '2025-12-31T23:59:30Z',
          finishedAt: '2025-12-31T23:59:45Z',
        },
      },
    },
  ];
  return seen([], {
    services: complete([[key, service({}, { name })]]),
    endpointSlices: complete([[key, [slice([ready], '2025-12-31T23:59:56Z')]]]),
    pods: lists({ [key]: [pod({ status: { containerStatuses } })] }),
    logs: complete([['shop/policy-1/webhook', log]]),
  });
};
/** A product whose only Pod has no address yet, and the Warning Events about it. */
const waiting = (...events: readonly Event[]): Partial<Facts> =>
  seen([slice([])], {
    pods: lists({
      'kyverno/kyverno-svc': [
        pod({
          metadata: { name: 'kyverno-1', namespace: 'kyverno', creationTimestamp: '2025-12-31T23:59:50Z' },
          status: { phase: 'Pending', conditions: [], containerStatuses: [] },
        }),
      ],
    }),
    events: complete([['kyverno', events]]),
    workloads: lists({ kyverno: [deployment(1)] }),
  });
const mountFails: Event = {
  metadata: { name: 'kyverno-1.x', namespace: 'kyverno' },
  involvedObject: { kind: 'Pod', namespace: 'kyverno', name: 'kyverno-1' },
  type: 'Warning',
  reason: 'FailedMount',
  message: 'MountVolume.SetUp failed for volume "tls" : secret "kyverno-tls" not found',
  lastTimestamp: '2025-12-31T23:59:55Z',
};
const unread = { what: 'validatingwebhookconfigurations', why: 'forbidden' } as const;

describeCheck(productWithoutWebhooks, {
  reports: [
    {
      name: 'no reason for a Pod that starts: its mount succeeds at the next attempt',
      facts: waiting({
        ...mountFails,
        message: 'failed to sync secret cache: timed out waiting for the condition',
      }),
      expect: { messageId: 'nobody' },
    },
    {
      name: 'no reason for a Pod of which no Event reports a problem',
      facts: waiting(),
      expect: { messageId: 'nobody' },
    },
    {
      name: 'a product whose Pod cannot mount its certificate, seconds after its installation',
      facts: waiting(mountFails),
      expect: {
        messageId: 'cannotStart',
        data: {
          product: 'Kyverno',
          pod: 'kyverno-1',
          detail: 'MountVolume.SetUp failed for volume "tls" : secret "kyverno-tls" not found',
        },
      },
    },
    {
      name: 'a program that registers its webhooks at startup, and may not',
      facts: crashed(cannotCreate, 'guard-webhook'),
      expect: {
        messageId: 'forbidden',
        data: {
          account: 'shop/guard',
          verb: 'create',
          resource: 'mutatingwebhookconfigurations',
          service: 'shop/guard-webhook',
        },
      },
    },
    {
      name: 'a crash-looping program of an unknown product whose Service is named like a webhook',
      facts: crashed(
        'E0222 10:00:00.100000       1 config.go:88] Failed to create MutatingWebhookConfiguration guard: the server could not find the requested resource',
        'guard-webhook',
      ),
      expect: {
        messageId: 'uncalled',
        data: {
          service: 'shop/guard-webhook',
          container: 'webhook',
          pod: 'policy-1',
          detail:
            'Failed to create MutatingWebhookConfiguration guard: the server could not find the requested resource',
        },
      },
    },
    {
      name: 'a known product that is crash-looping, although an endpoint is ready at the moment',
      facts: crashed('panic: no configuration', 'vpa-webhook'),
      expect: {
        messageId: 'crashes',
        data: {
          product: 'Vertical Pod Autoscaler',
          service: 'shop/vpa-webhook',
          consequence: 'Pods start with the requests of their templates',
          container: 'webhook',
          pod: 'policy-1',
        },
      },
    },
    {
      name: 'Kyverno scaled to zero, which took its configurations with it',
      facts: seen([slice([])]),
      expect: {
        messageId: 'nobody',
        data: {
          product: 'Kyverno',
          service: 'kyverno/kyverno-svc',
          consequence: 'none of its policies is enforced',
        },
      },
    },
    {
      name: 'a product that runs, and the webhook configuration of which was deleted',
      facts: keda([slice([ready])]),
      expect: { messageId: 'deleted', data: { service: 'shop/keda-admission-webhooks', product: 'KEDA' } },
    },
    {
      name: 'Kyverno scaled to zero, with the Deployment that shows it',
      facts: seen([slice([])], { workloads: lists({ kyverno: [deployment(0)] }) }),
      expect: {
        messageId: 'scaledToZero',
        data: {
          workload: 'Deployment kyverno-admission-controller',
          product: 'Kyverno',
          service: 'kyverno/kyverno-svc',
          consequence: 'none of its policies is enforced',
        },
        names: { affected: 'deployment/kyverno-admission-controller' },
      },
    },
    {
      name: 'Kyverno without Pods, one Deployment of which is scaled to zero',
      facts: seen([slice([])], { workloads: lists({ kyverno: [deployment(0), deployment(1)] }) }),
      expect: { messageId: 'nobody' },
    },
    {
      name: 'a Service without any EndpointSlice, beside webhooks of others',
      facts: seen([], { callouts: [webhook(), webhook({ client: { url: 'https://policy.example.com/' } })] }),
      expect: { messageId: 'nobody' },
    },
    {
      name: 'Pods that do not become ready',
      facts: seen([slice([unready])]),
      expect: { messageId: 'unready' },
    },
    {
      name: 'a ready Kyverno that registers nothing',
      facts: seen([slice([ready, unready], '2025-12-31T20:00:00Z')]),
      expect: {
        messageId: 'unregistered',
        data: {
          product: 'Kyverno',
          service: 'kyverno/kyverno-svc',
          consequence: 'none of its policies is enforced',
          since: '2025-12-31T20:00:00Z',
        },
      },
    },
    {
      name: 'a ready Kyverno that registers nothing, by its Pods',
      facts: readySince('2025-12-31T20:00:00Z', '2025-12-31T23:50:00Z'),
      expect: {
        messageId: 'unregistered',
        data: {
          product: 'Kyverno',
          service: 'kyverno/kyverno-svc',
          consequence: 'none of its policies is enforced',
          since: '2025-12-31T23:50:00Z',
        },
      },
    },
  ],
  reportsNothing: [
    {
      name: 'a product with the name of a webhook is being installed',
      facts: keda([slice([ready])], '2025-12-31T23:58:00Z'),
      outcome: 'pass',
    },
    {
      name: 'a product with the name of a webhook has no ready endpoint',
      facts: keda([slice([unready])]),
      outcome: 'pass',
    },
    {
      name: 'a webhook calls the Pods of a product through another Service',
      facts: {
        ...keda([slice([ready])]),
        services: complete([
          ['shop/keda-admission-webhooks', service({}, { name: 'keda-admission-webhooks' })],
          ['shop/policy', service()],
        ]),
        callouts: [webhook()],
      },
      outcome: 'not-applicable',
    },
    {
      name: 'a webhook calls the Pods of a product through the Service that OLM adds, with one more label',
      facts: {
        ...keda([slice([ready])]),
        services: complete([
          [
            'shop/keda-admission-webhooks',
            service({ selector: { app: 'keda' } }, { name: 'keda-admission-webhooks' }),
          ],
          [
            'shop/keda-admission-service',
            service(
              { selector: { app: 'keda', 'control-plane': 'admission' } },
              { name: 'keda-admission-service' },
            ),
          ],
        ]),
        callouts: [
          webhook({ client: { service: { namespace: 'shop', name: 'keda-admission-service', port: 443 } } }),
        ],
      },
      outcome: 'not-applicable',
    },
    {
      name: 'a webhook of the product calls other Pods',
      facts: {
        ...keda([slice([ready])]),
        callouts: [webhook({ webhook: 'vscaledobject.kb.io' })],
      },
      outcome: 'pass',
    },
    {
      name: 'a Pod of it has just become Ready',
      facts: readySince('2025-12-31T20:00:00Z', '2025-12-31T23:50:01Z'),
    },
    {
      name: 'it is not recorded since when its Pods are Ready',
      facts: readySince('2025-12-31T20:00:00Z', undefined),
    },
    { name: 'its endpoints are ready, and its Pods were not read', facts: seen([slice([ready])]) },
    {
      name: 'its webhooks are there',
      facts: seen([slice([])], { callouts: [webhook({ webhook: 'validate.kyverno.svc-fail' })] }),
      outcome: 'pass',
    },
    {
      name: 'a webhook of another name calls its Service',
      facts: seen([slice([])], {
        callouts: [
          webhook({ client: { service: { namespace: 'kyverno', name: 'kyverno-svc', port: 443 } } }),
        ],
      }),
      outcome: 'not-applicable',
    },
    {
      name: 'its leader has not registered yet',
      facts: seen([slice([ready], '2025-12-31T23:55:00Z')]),
      outcome: 'pass',
    },
    {
      name: 'nothing shows for how long it has run',
      facts: seen([slice([ready], '2025-12-31T20:00:00Z'), slice([ready])]),
      outcome: 'pass',
    },
    {
      name: 'it is being installed',
      facts: seen([slice([unready])], {}, [kyverno('2025-12-31T23:58:00Z')]),
      outcome: 'pass',
    },
    {
      name: 'it is not installed',
      facts: seen([], {}, [kyverno(undefined, 'kyverno-svc-metrics')]),
      outcome: 'not-applicable',
    },
    {
      name: 'a product that others register is scaled to zero',
      facts: seen([], {}, [kyverno(undefined, 'gatekeeper-webhook-service')]),
      outcome: 'pass',
    },
    {
      name: 'a program that is no known product crashes for another reason',
      facts: crashed('panic: no configuration', 'guard-webhook'),
      outcome: 'pass',
    },
    {
      name: 'a program that was once started again, and has run since',
      facts: { ...crashed(cannotCreate, 'guard-webhook'), takenAt: '2026-01-01T09:00:00Z' },
      outcome: 'pass',
    },
    {
      name: 'a webhook calls the same Pods through another Service',
      facts: {
        ...crashed(cannotCreate, 'guard-webhook'),
        services: complete([
          ['shop/guard-webhook', service({}, { name: 'guard-webhook' })],
          ['shop/policy', service()],
        ]),
        callouts: [webhook()],
      },
      outcome: 'not-applicable',
    },
    {
      name: 'a Service with another port is named like a webhook',
      facts: {
        ...crashed(cannotCreate, 'alert-webhook'),
        services: complete([
          ['shop/alert-webhook', service({ ports: [port({ port: 80 })] }, { name: 'alert-webhook' })],
        ]),
      },
      outcome: 'not-applicable',
    },
  ],
  isUnknown: [
    {
      name: 'webhook configurations could not be listed',
      facts: seen([slice([])], { configurations: nothingRead(unread) }),
    },
    {
      name: 'webhook configurations could not be listed, and a program may not write them',
      facts: { ...crashed(cannotCreate, 'guard-webhook'), configurations: nothingRead(unread) },
    },
    {
      name: 'endpoints could not be listed',
      facts: seen([], { endpointSlices: nothingRead({ what: 'endpointslices', why: 'forbidden' }) }),
    },
  ],
});
