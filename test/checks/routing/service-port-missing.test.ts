import { servicePortMissing } from '../../../src/checks/routing/service-port-missing.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { aggregatedApi, healthy, objects, port, service, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const calling = (number: number) =>
  webhook({ client: { service: { namespace: 'shop', name: 'policy', port: number } } });

describeCheck(servicePortMissing, {
  reports: [
    {
      name: 'a port that the Service does not have, with those that it has',
      facts: healthy({
        callouts: [calling(8080)],
        services: objects(
          service({ ports: [port({ name: 'https' }), port({ port: 9090, targetPort: 9090 })] }),
        ),
      }),
      expect: {
        messageId: 'otherPorts',
        data: { service: 'shop/policy', port: 8080, ports: '443 (https) and 9090' },
      },
    },
    {
      name: 'the default port where the Service has another',
      facts: healthy({ services: objects(service({ ports: [port({ port: 80 })] })) }),
      expect: { messageId: 'otherPorts', data: { service: 'shop/policy', port: 443, ports: '80' } },
    },
    {
      name: 'that the targetPort was taken for the port',
      facts: healthy({ callouts: [calling(8443)] }),
      expect: { messageId: 'targetPort', data: { service: 'shop/policy', port: 8443, servicePort: 443 } },
    },
    {
      name: 'that all ports of the Service are for something else',
      facts: healthy({
        services: objects(
          service({
            ports: [port({ name: 'http-metrics', port: 8080 }), port({ name: 'health', port: 8081 })],
          }),
        ),
      }),
      expect: {
        messageId: 'otherPurpose',
        data: { service: 'shop/policy', port: 443, ports: '8080 (http-metrics) and 8081 (health)' },
      },
    },
    ...['metricsapi', 'metrics'].map((name) => ({
      name: `an APIService, and a Service with the port ${name}, on which metrics APIs are served`,
      facts: healthy({
        callouts: [aggregatedApi({ client: { service: { namespace: 'shop', name: 'policy', port: 443 } } })],
        services: objects(service({ ports: [port({ name, port: 8443, targetPort: 8443 })] })),
      }),
      expect: { messageId: 'otherPorts' as const },
    })),
    ...['metricsapi', 'prometheus-adapter', 'healthcare', 'debugger-webhook'].map((name) => ({
      name: `a port whose name only contains another purpose: ${name}`,
      facts: healthy({
        services: objects(service({ ports: [port({ name, port: 8443, targetPort: 8443 })] })),
      }),
      expect: { messageId: 'otherPorts' as const },
    })),
    ...['https-metrics', 'metrics-port', 'tcp-prometheus', 'health-check', 'pprof'].map((name) => ({
      name: `a port of another purpose: ${name}`,
      facts: healthy({
        services: objects(service({ ports: [port({ name, port: 8443, targetPort: 8443 })] })),
      }),
      expect: { messageId: 'otherPurpose' as const },
    })),
    {
      name: 'a headless Service without ports',
      facts: healthy({ services: objects(service({ clusterIP: 'None', ports: [] })) }),
      expect: { messageId: 'noPorts', data: { service: 'shop/policy', port: 443 } },
    },
    {
      name: 'the port of an APIService',
      facts: healthy({
        callouts: [aggregatedApi()],
        services: objects(service({ ports: [port({ port: 80 })] })),
      }),
      expect: { messageId: 'otherPorts', data: { service: 'shop/policy', port: 443, ports: '80' } },
    },
  ],
  reportsNothing: [
    { name: 'the port is there', facts: healthy() },
    {
      name: 'the port is there among others, under a name',
      facts: healthy({
        services: objects(service({ ports: [port({ port: 80 }), port({ name: 'webhook' })] })),
      }),
    },
    { name: 'the Service does not exist', facts: healthy({ services: objects() }) },
    {
      name: 'the Service is a DNS name, dialled at any port',
      facts: healthy({ services: objects(service({ type: 'ExternalName', ports: [] })) }),
    },
    {
      name: 'the webhook calls a URL',
      facts: { callouts: [webhook({ client: { url: 'https://policy.example.com:8443' } })] },
      outcome: 'not-applicable',
    },
  ],
  isUnknown: [{ name: 'Services may not be read', facts: healthy({ services: forbidden('services') }) }],
});
