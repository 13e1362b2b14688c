import { fixServicePort } from '../../../src/remedies/service/fix-service-port.ts';
import { describeRemedy } from '../../support/describe-remedy.ts';
import {
  aggregatedApi,
  conversion,
  healthy,
  objects,
  port,
  service,
  webhook,
} from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const ref = { kind: 'ValidatingWebhookConfiguration', name: 'policy', webhook: 'policy.example.com' };
const calling = (number: number) =>
  webhook({ client: { service: { namespace: 'shop', name: 'policy', port: number } } });
const offering = (...ports: readonly ReturnType<typeof port>[]) => objects(service({ ports }));
const edit = (expected: number, after: number) => ({
  object: ref,
  operation: 'patch' as const,
  path: '/webhooks/0/clientConfig/service/port',
  expected,
  after,
});

describeRemedy(fixServicePort, {
  plans: [
    {
      name: 'the only port',
      facts: healthy({ callouts: [calling(8080)] }),
      expect: { edits: [edit(8080, 443)], fixes: ['validating/policy/policy.example.com'] },
    },
    {
      name: "the port that leads to the Pod's port that was written",
      facts: healthy({
        callouts: [calling(9443)],
        services: offering(
          port({ name: 'metrics', port: 8080, targetPort: 8080 }),
          port({ name: 'https', targetPort: 9443 }),
        ),
      }),
      expect: { edits: [edit(9443, 443)] },
    },
    {
      name: 'the only port, of a server of the metrics API',
      facts: healthy({
        callouts: [calling(443)],
        services: offering(port({ name: 'metricsapi', port: 8443, targetPort: 8443 })),
      }),
      expect: { edits: [edit(443, 8443)] },
    },
    {
      name: 'in a CRD',
      facts: healthy({
        callouts: [conversion({ client: { service: { namespace: 'shop', name: 'policy', port: 9443 } } })],
      }),
      expect: {
        edits: [
          {
            ...edit(9443, 443),
            object: { kind: 'CustomResourceDefinition', name: 'widgets.example.com' },
            path: '/spec/conversion/webhook/clientConfig/service/port',
          },
        ],
      },
    },
    {
      name: 'in an APIService',
      facts: healthy({
        callouts: [aggregatedApi({ client: { service: { namespace: 'shop', name: 'policy', port: 9443 } } })],
      }),
      expect: {
        edits: [
          {
            ...edit(9443, 443),
            object: { kind: 'APIService', name: 'v1beta1.metrics.example.com' },
            path: '/spec/service/port',
          },
        ],
      },
    },
  ],
  refuses: [
    {
      name: 'a choice that nothing decides',
      facts: healthy({
        callouts: [calling(8080)],
        services: offering(port({ name: 'a' }), port({ name: 'b', port: 8443, targetPort: 9443 })),
      }),
      because: /ports 443 and 8443; it is unknown/,
    },
    {
      name: 'the port of metrics, if it is the only one',
      facts: healthy({
        callouts: [calling(8443)],
        services: offering(port({ name: 'http-metrics', port: 8080, targetPort: 8080 })),
      }),
      because: /besides those for metrics/,
    },
    {
      name: 'a port of plain HTTP, beside one of metrics',
      facts: healthy({
        callouts: [calling(9443)],
        services: offering(
          port({ name: 'http', port: 80, targetPort: 8080 }),
          port({ name: 'http-metrics', port: 9090, targetPort: 9090 }),
        ),
      }),
      because: /ports 80 and 9090; it is unknown/,
    },
    {
      name: 'where the Service has no TCP port',
      facts: healthy({ callouts: [calling(53)], services: offering(port({ port: 5353, protocol: 'UDP' })) }),
      because: /no TCP port/,
    },
  ],
  doesNotFit: [
    { name: 'the port is there', facts: healthy() },
    { name: 'the Service does not exist', facts: healthy({ services: objects() }) },
    {
      name: 'a URL is called',
      facts: healthy({ callouts: [webhook({ client: { url: 'https://a.example' } })] }),
    },
  ],
  isUnknown: [{ name: 'the Services could not be read', facts: healthy({ services: forbidden() }) }],
});
