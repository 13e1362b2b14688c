import { apiServerProxy } from '../../../src/checks/network/api-server-proxy.ts';
import { calloutId } from '../../../src/facts/callout.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { lists, objects, pod, service, webhook } from '../../support/snapshot.ts';
import { allows, dryRun, quiet, refused, replica, tried } from '../probed.ts';

const after = (cause: string) =>
  dryRun(
    `Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: Post "https://policy.shop.svc:443/validate?timeout=10s": ${cause}`,
  );
const stranger = 'tls: failed to verify certificate: x509: certificate signed by unknown authority';

/** As kubeadm writes it: the manifest contains the proxy variables of kubeadm's own environment. */
const kubeApiServer = (env: Readonly<Record<string, string>>) => ({
  apiServerPods: lists({
    'kube-apiserver': [
      pod({
        metadata: { namespace: 'kube-system', name: 'kube-apiserver-n1' },
        spec: {
          containers: [
            { name: 'kube-apiserver', env: Object.entries(env).map(([name, value]) => ({ name, value })) },
          ],
        },
      }),
    ],
  }),
});
const proxied = (exceptions: string) =>
  kubeApiServer({ HTTPS_PROXY: 'http://someone:word@and@proxy.example:3128', NO_PROXY: exceptions });

const meshed = replica(1, { spec: { containers: [{ name: 'webhook' }, { name: 'istio-proxy' }] } });

/** A second Service with a webhook whose calls fail in this way while its Pod responds. */
function beside(cause: string, end: string, over: Partial<Facts> = {}): Partial<Facts> {
  const reference = { namespace: 'cart', name: 'guard' };
  const guard = webhook({
    ref: { kind: 'ValidatingWebhookConfiguration', name: 'guard', webhook: 'guard.example.com' },
    configuration: 'guard',
    webhook: 'guard.example.com',
    client: { ...webhook().client, service: { ...reference, port: 443, path: '/validate' } },
  });
  const second = dryRun(after(end).message.replaceAll('policy', 'guard').replaceAll('shop', 'cart'));
  const [probes] = tried([allows], { dryRun: second }).probes?.all() ?? [];
  const first = tried([allows], { dryRun: after(cause) });
  const [own] = first.probes?.all() ?? [];
  const found = [own, probes].map((one, at) => [calloutId(at === 0 ? webhook() : guard), one] as const);
  const slices = [...(first.endpointSlices?.all() ?? [])].flat();
  const pods = [...(first.pods?.all() ?? [])].flat();
  return {
    ...first,
    callouts: [webhook(), guard],
    services: objects(service(), service({}, reference)),
    endpointSlices: lists({ 'shop/policy': slices, 'cart/guard': slices }),
    pods: lists({ 'shop/policy': pods, 'cart/guard': pods }),
    probes: complete(found.flatMap(([id, one]) => (one === undefined ? [] : [[id, one] as const]))),
    ...over,
  };
}

describeCheck(apiServerProxy, {
  reports: [
    {
      name: 'a status text of a proxy in place of an error',
      facts: tried([allows], { dryRun: after('Service Unavailable') }),
      expect: { messageId: 'refused', confidence: 'observed', data: { detail: 'Service Unavailable' } },
    },
    {
      name: 'a proxy that does not exist',
      facts: tried([allows], {
        dryRun: after('proxyconnect tcp: dial tcp 192.0.2.7:3128: connect: connection refused'),
      }),
      expect: { messageId: 'refused' },
    },
    {
      name: 'a certificate that none of the Pods serves, with a proxy in the environment',
      facts: tried([allows], {
        dryRun: after(stranger),
        facts: proxied('203.0.113.0/24,.svc.cluster.local,localhost'),
      }),
      expect: { messageId: 'presents', confidence: 'observed', evidence: 'http://…@proxy.example:3128' },
    },
    {
      name: 'the same on a control plane that shows no Pods, with a configuration of an hour ago',
      facts: tried([allows], {
        dryRun: after(stranger),
        facts: {
          callouts: [
            webhook({
              metadata: {
                name: 'policy',
                managedFields: [{ manager: 'operator', operation: 'Update', time: '2025-12-31T23:00:00Z' }],
              },
            }),
          ],
        },
      }),
      expect: { messageId: 'between' },
    },
    {
      name: 'the same on a control plane that shows no Pods',
      facts: tried([allows, allows], { dryRun: after(stranger) }),
      expect: { messageId: 'between' },
    },
    {
      name: 'the same beside another container of the Pod, which may intercept the connections',
      facts: {
        ...tried([allows], { dryRun: after(stranger) }),
        pods: lists({
          'shop/policy': [
            replica(1, {
              spec: {
                containers: [{ name: 'webhook', ports: [{ containerPort: 8443 }] }, { name: 'proxy' }],
              },
            }),
          ],
        }),
      },
      expect: {
        messageId: 'container',
        confidence: 'derived',
        data: { containers: 'proxy', detail: 'x509: certificate signed by unknown authority' },
      },
    },
    {
      name: 'calls to two Services that are closed, while the Pods of both respond',
      facts: beside('EOF', 'EOF'),
      expect: [
        { messageId: 'alike', confidence: 'derived', data: { count: 2, detail: 'EOF' } },
        { messageId: 'alike' },
      ],
    },
    {
      name: 'the same, with a proxy in the environment',
      facts: beside('EOF', 'EOF', proxied('localhost')),
      expect: [{ messageId: 'alike', confidence: 'observed' }, { messageId: 'alike' }],
    },
  ],
  reportsNothing: [
    ...quiet,
    {
      name: 'its configuration was written a moment ago: the call may have been made with another caBundle',
      facts: tried([allows], {
        dryRun: after(stranger),
        facts: {
          callouts: [
            webhook({
              metadata: {
                name: 'policy',
                managedFields: [{ manager: 'operator', operation: 'Update', time: '2025-12-31T23:59:58Z' }],
              },
            }),
          ],
        },
      }),
      outcome: 'pass',
    },
    {
      name: 'the Pods do not respond either',
      facts: tried([refused], { dryRun: after(stranger) }),
      outcome: 'pass',
    },
    {
      name: 'the call to one Service alone is closed',
      facts: tried([allows], { dryRun: after('EOF') }),
      outcome: 'pass',
    },
    {
      name: 'calls to two Services end in different ways',
      facts: beside('EOF', 'an error on the server ("") has prevented the request from succeeding'),
      outcome: 'pass',
    },
    {
      name: 'calls to two Services are closed, and the Pods have the sidecar of a mesh',
      facts: beside('EOF', 'EOF', {
        pods: lists(Object.fromEntries(['shop/policy', 'cart/guard'].map((key) => [key, [meshed]]))),
      }),
      outcome: 'pass',
    },
    {
      name: 'calls to two Services are closed, and the API server was started without a proxy',
      facts: beside('EOF', 'EOF', kubeApiServer({})),
      outcome: 'pass',
    },
    {
      name: 'the call ends elsewhere',
      facts: tried([allows], { dryRun: after('context deadline exceeded') }),
      outcome: 'pass',
    },
    ...['.svc', 'svc', 'shop.svc:443', '*'].map((entry) => ({
      name: `NO_PROXY holds ${entry}`,
      facts: tried([allows], { dryRun: after(stranger), facts: proxied(`localhost, ${entry}`) }),
      outcome: 'pass' as const,
    })),
    {
      name: 'the API server was started without a proxy',
      facts: tried([allows], { dryRun: after(stranger), facts: kubeApiServer({}) }),
      outcome: 'pass',
    },
  ],
});
