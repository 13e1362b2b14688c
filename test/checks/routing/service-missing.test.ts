import { serviceMissing } from '../../../src/checks/routing/service-missing.ts';
import type { AdmissionCallout, Callout } from '../../../src/facts/callout.ts';
import type { Service } from '../../../src/facts/objects/service.ts';
import type { Workload } from '../../../src/facts/objects/workload.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { describeCheck } from '../../support/describe-check.ts';
import {
  aggregatedApi,
  conversion,
  lists,
  namespace,
  objects,
  port,
  healthy as running,
  service,
  webhook,
  workload,
} from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

/** A healthy backend without a workload. */
const healthy = (over: Partial<Facts> = {}) => running({ workloads: lists({ shop: [] }), ...over });
/** Only the Service is missing: this workload is in its namespace. */
const beyond = (made: Workload, over: Partial<AdmissionCallout> = {}) =>
  running({ callouts: [webhook(over)], services: objects(), workloads: lists({ shop: [made] }) });
const calling = (name: string) => ({ client: { service: { namespace: 'shop', name, port: 443 } } });
const elsewhere = (name: string, inNamespace: string, number = 443) =>
  service({ ports: [port({ port: number })] }, { name, namespace: inNamespace });
/** A Service of this name in `infra`, which another webhook calls on port 8443. */
const namesakes = (name: string) =>
  healthy({
    callouts: [
      webhook({ client: { service: { namespace: 'shop', name, port: 443 } } }),
      webhook({ configuration: 'other', client: { service: { namespace: 'infra', name, port: 8443 } } }),
    ],
    services: objects(elsewhere(name, 'infra', 8443)),
  });
const notFound = { messageId: 'notFound', data: { service: 'shop/policy' } };

const monitored = { namespace: 'monitoring', name: 'adapter' };
const own = { 'app.kubernetes.io/name': 'adapter', 'app.kubernetes.io/component': 'metrics' };
const adapter = (labels: Readonly<Record<string, string>> = {}) =>
  service({ ports: [port({ port: 443 })] }, { ...monitored, labels: { ...own, ...labels } });
/** An APIService with the labels of a product, these Services, and further webhooks. */
const labelled = (services: readonly Service[], others: readonly Callout[] = []) => {
  const api = aggregatedApi();
  const metadata = { ...api.metadata, labels: own };
  return healthy({ callouts: [{ ...api, metadata }, ...others], services: objects(...services) });
};

/** A CRD whose conversion names a missing Service, and webhooks of other Services for these resources. */
const converted = (resources: Readonly<Record<string, string>>, home = 'shop') =>
  healthy({
    callouts: [
      conversion({ client: { service: { namespace: 'shop', name: 'converter', port: 443 } } }),
      ...Object.entries(resources).map(([name, resource]) =>
        webhook({
          configuration: name,
          client: { service: { namespace: home, name, port: 443 } },
          rules: [
            {
              operations: ['CREATE'],
              apiGroups: ['example.com'],
              apiVersions: ['v1'],
              resources: [resource],
            },
          ],
        }),
      ),
    ],
    services: objects(...Object.keys(resources).map((name) => elsewhere(name, home))),
    namespaces: objects(namespace(), namespace(home)),
  });

/** A webhook whose Service is missing, and another one that is called for Services. */
const beside = (other: Partial<AdmissionCallout>, ready: boolean) =>
  healthy({
    callouts: [
      webhook({ client: { service: { namespace: 'shop', name: 'web', port: 443 } } }),
      webhook({
        ref: { kind: 'MutatingWebhookConfiguration', name: 'gate' },
        configuration: 'gate',
        webhook: 'gate.example.com',
        rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['services'] }],
        ...other,
      }),
    ],
    services: objects(service()),
    ...(ready ? {} : { endpointSlices: lists({ 'shop/policy': [] }) }),
  });
/** The missing Service `policy-1`, and one that a webhook of another configuration calls. */
const revisions = (name: string, over: Partial<AdmissionCallout> = {}, missing = 'policy-1') => {
  const calls = (of: string) => ({ client: { service: { namespace: 'shop', name: of, port: 443 } } });
  return healthy({
    callouts: [webhook(calls(missing)), webhook({ configuration: 'second', ...calls(name), ...over })],
    services: objects(elsewhere(name, 'shop')),
  });
};

const webNotFound = { messageId: 'notFound', data: { service: 'shop/web' } };

describeCheck(serviceMissing, {
  reports: [
    { name: 'a Service that does not exist', facts: healthy({ services: objects() }), expect: notFound },
    {
      name: 'a Service whose Deployment has Ready Pods',
      facts: running({ services: objects() }),
      expect: { messageId: 'besideReadyPods', data: { service: 'shop/policy' } },
    },
    {
      name: 'a Service of a DaemonSet with the port of a webhook server, and with Ready Pods',
      facts: beyond(
        workload({
          kind: 'DaemonSet',
          metadata: { name: 'acme-agent' },
          spec: { template: { spec: { containers: [{ name: 'a', ports: [{ containerPort: 9443 }] }] } } },
          status: { numberReady: 2 },
        }),
        calling('acme-webhook'),
      ),
      expect: { messageId: 'besideReadyPods' },
    },
    ...(
      [
        ['whose Deployment has no Ready Pod', workload({ status: { replicas: 1 } }), 'policy'],
        ['beside a Deployment of another product', workload({ metadata: { name: 'web' } }), 'policy'],
        [
          'of a former version, beside a gateway of the same product',
          workload({ metadata: { name: 'istio-ingressgateway' } }),
          'istio-sidecar-injector',
        ],
      ] as const
    ).map(([what, made, name]) => ({
      name: `a Service ${what}`,
      facts: beyond(made, calling(name)),
      expect: { messageId: 'notFound' as const },
    })),
    {
      name: 'a Service that another webhook refuses, which has no Pod to respond',
      facts: beside({}, false),
      expect: {
        messageId: 'refused',
        data: { service: 'shop/web', webhook: 'gate.example.com' },
        names: { blocker: 'gate' },
      },
    },
    {
      name: 'a Service beside another webhook that fails open',
      facts: beside({ failurePolicy: 'Ignore' }, false),
      expect: webNotFound,
    },
    {
      name: 'a Service beside another webhook that is not called for Services',
      facts: beside(
        {
          rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
        },
        false,
      ),
      expect: webNotFound,
    },
    {
      name: 'a Service beside another webhook that is called for another version',
      facts: beside(
        {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } },
          rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v2'], resources: ['services'] }],
        },
        false,
      ),
      expect: webNotFound,
    },
    {
      name: 'a Service beside another webhook that responds',
      facts: beside({}, true),
      expect: webNotFound,
    },
    {
      name: 'one of two Services of a configuration, which is not to be deleted',
      facts: healthy({
        callouts: [
          webhook(),
          webhook({
            webhook: 'web.example.com',
            client: { service: { namespace: 'shop', name: 'web', port: 443 } },
          }),
        ],
        services: objects(elsewhere('web', 'shop')),
      }),
      expect: { ...notFound, names: { leftover: undefined } },
    },
    {
      name: 'the Service of a conversion webhook, while its CRD is in deletion',
      facts: healthy({
        callouts: [
          conversion({
            metadata: { name: 'policies.example.com', deletionTimestamp: '2025-12-31T23:00:00Z' },
          }),
        ],
        services: objects(),
      }),
      expect: {
        messageId: 'inDeletion',
        data: { service: 'shop/policy', since: '2025-12-31T23:00:00Z' },
      },
    },
    {
      name: 'the Service of a conversion webhook',
      facts: healthy({ callouts: [conversion()], services: objects() }),
      expect: notFound,
    },
    {
      name: 'the Service of a conversion webhook, beside that of the admission webhooks for the resource',
      facts: converted({ policy: 'widgets', web: 'gadgets' }),
      expect: {
        messageId: 'ofSameResource',
        data: {
          service: 'shop/converter',
          suggestion: 'shop/policy',
          resource: 'widgets.example.com',
        },
      },
    },
    ...[
      ['those of webhooks for all resources', converted({ policy: '*' })],
      ['two of webhooks for the resource', converted({ policy: 'widgets', web: 'widgets' })],
      [
        'one without the port',
        {
          ...converted({ policy: 'widgets' }),
          services: objects({
            ...elsewhere('policy', 'shop'),
            spec: { ...elsewhere('policy', 'shop').spec, ports: [port({ port: 8443 })] },
          }),
        },
      ],
      ['one of another namespace', converted({ policy: 'widgets' }, 'infra')],
    ].map(([name, facts]) => ({
      name: `the Service of a conversion webhook, beside ${name}`,
      facts: facts as Partial<Facts>,
      expect: { messageId: 'notFound' },
    })),
    {
      name: 'the Service of an APIService',
      facts: healthy({ callouts: [aggregatedApi()], services: objects() }),
      expect: { messageId: 'ofApi', data: { service: 'shop/policy', api: 'metrics.example.com/v1beta1' } },
    },
    {
      name: 'the Service of another name with the labels of the APIService',
      facts: labelled([adapter()]),
      expect: {
        messageId: 'ofSameLabels',
        data: { service: 'shop/policy', suggestion: 'monitoring/adapter' },
      },
    },
    {
      name: 'no Service of another component, installation or port, or that a webhook calls',
      facts: labelled([
        adapter({ 'app.kubernetes.io/component': 'web' }),
        { ...adapter(), spec: { ...adapter().spec, ports: [port({ port: 8443 })] } },
      ]),
      expect: { messageId: 'ofApi' },
    },
    {
      name: 'no Service that a webhook calls',
      facts: labelled([adapter()], [webhook({ client: { service: { ...monitored, port: 443 } } })]),
      expect: { messageId: 'ofApi' },
    },
    {
      name: 'neither of two Services with the labels',
      facts: labelled([adapter(), { ...adapter(), metadata: { ...adapter().metadata, name: 'adapter-2' } }]),
      expect: { messageId: 'ofApi' },
    },
    {
      name: 'that its namespace is going away, and no other name for it',
      facts: healthy({
        services: objects(elsewhere('acme-policy', 'shop')),
        namespaces: objects({
          ...namespace('shop'),
          metadata: { name: 'shop', deletionTimestamp: '2025-12-31T23:00:00Z' },
        }),
      }),
      expect: {
        messageId: 'namespaceLeaving',
        data: { service: 'shop/policy', since: '2025-12-31T23:00:00Z' },
      },
    },
    {
      name: 'that the namespace has one with the prefix of a release',
      facts: healthy({ services: objects(elsewhere('acme-policy', 'shop'), elsewhere('shop-web', 'shop')) }),
      expect: { messageId: 'similarName', data: { service: 'shop/policy', suggestion: 'acme-policy' } },
    },
    {
      name: 'a similar one that another revision calls with the same webhook',
      facts: revisions('policy-2'),
      expect: { ...notFound, data: { service: 'shop/policy-1' } },
    },
    ...[
      ['policy', 'policy-1-20'],
      ['policy-canary', 'policy'],
      ['policy-b', 'policy-a'],
      ['policy-west', 'policy-east'],
      ['ingress-nginx-internal-controller-admission', 'ingress-nginx-external-controller-admission'],
      ['istio-ingress-webhook', 'istio-egress-webhook'],
      ['policy-eastus', 'policy-westus'],
      ['policy-teama', 'policy-teamb'],
      ['policy-tenanta', 'policy-tenantb'],
      ['policy-ab', 'policy-ba'],
      ['team-a-policy', 'teama-policy'],
      ['istiod-1-2-11', 'istiod-1-21-1'],
    ].map(([missing = '', name = '']) => ({
      name: `that of ${missing} when another revision calls ${name}`,
      facts: revisions(name, {}, missing),
      expect: { ...notFound, data: { service: `shop/${missing}` } },
    })),
    ...['policy-webhok', 'policy-wehbook', 'policywebhook'].map((missing) => ({
      name: `that ${missing} has a typing error in a copied configuration`,
      facts: revisions('policy-webhook', {}, missing),
      expect: {
        messageId: 'similarName',
        data: { service: `shop/${missing}`, suggestion: 'policy-webhook' },
      },
    })),
    {
      name: 'a similar one that other webhooks call',
      facts: revisions('policy-2', { webhook: 'other.example.com' }),
      expect: { messageId: 'similarName', data: { service: 'shop/policy-1', suggestion: 'policy-2' } },
    },
    {
      name: 'that the namespace has one with another letter',
      facts: healthy({ services: objects(elsewhere('polisy', 'shop')) }),
      expect: { messageId: 'similarName', data: { service: 'shop/policy', suggestion: 'polisy' } },
    },
    {
      name: 'that another namespace has it',
      facts: healthy({ services: objects(elsewhere('policy', 'kube-system'), elsewhere('policy', 'infra')) }),
      expect: {
        messageId: 'otherNamespace',
        data: { service: 'shop/policy', namespaces: 'infra or kube-system' },
      },
    },
    {
      name: 'that webhooks call one of that name in another namespace, on another port',
      facts: namesakes('policy'),
      expect: {
        messageId: 'otherPort',
        data: { service: 'shop/policy', namespaces: 'infra', port: 443 },
      },
    },
    {
      name: 'none of that name and port in more than three namespaces, one of which a webhook calls',
      facts: healthy({
        callouts: ['shop', 'a'].map((inNamespace) =>
          webhook({
            configuration: inNamespace,
            client: { service: { namespace: inNamespace, name: 'policy', port: 443 } },
          }),
        ),
        services: objects(...['a', 'b', 'c', 'd'].map((name) => elsewhere('policy', name))),
      }),
      expect: notFound,
    },
    {
      name: 'none of a name that Services of many products have',
      facts: namesakes('webhook-service'),
      expect: { messageId: 'notFound', data: { service: 'shop/webhook-service' } },
    },
    {
      name: 'no suggestion that lacks the port',
      facts: healthy({
        services: objects(elsewhere('policy-metrics', 'shop', 8080), elsewhere('policy', 'infra', 8080)),
      }),
      expect: notFound,
    },
    {
      name: 'no suggestion where the name is in every other namespace',
      facts: healthy({ services: objects(...['a', 'b', 'c', 'd'].map((name) => elsewhere('policy', name))) }),
      expect: notFound,
    },
  ],
  reportsNothing: [
    { name: 'the Service is there', facts: healthy() },
    {
      name: 'the Service is there, and similar ones too',
      facts: healthy({ services: objects(service(), elsewhere('policy-2', 'shop')) }),
    },
    {
      name: 'the namespace does not exist, which is the reason',
      facts: healthy({ services: objects(), namespaces: objects(namespace('infra')) }),
    },
    {
      name: 'the webhook calls a URL',
      facts: { callouts: [webhook({ client: { url: 'https://policy.example.com' } })] },
      outcome: 'not-applicable',
    },
    {
      name: 'namespaces may not be read, and the Service is there',
      facts: healthy({ namespaces: forbidden('namespaces') }),
    },
  ],
  isUnknown: [{ name: 'Services may not be read', facts: healthy({ services: forbidden('services') }) }],
});
