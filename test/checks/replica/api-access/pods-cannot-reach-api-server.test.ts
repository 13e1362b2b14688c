import { podsCannotReachApiServer } from '../../../../src/checks/replica/api-access/pods-cannot-reach-api-server.ts';
import { nothingRequested } from '../../../../src/collect/collectors/catalogue.ts';
import { complete } from '../../../../src/facts/lookup.ts';
import type { EndpointSlice } from '../../../../src/facts/objects/endpoint-slice.ts';
import type { NetworkPolicy } from '../../../../src/facts/objects/network-policy.ts';
import type { Pod } from '../../../../src/facts/objects/pod.ts';
import type { Facts } from '../../../../src/facts/snapshot.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { lists, objects, slice, takenAt } from '../../../support/snapshot.ts';
import { forbidden } from '../../../support/unread.ts';
import { allows, refused, replica, tried } from '../../probed.ts';

const startedAt = new Date(Date.parse(takenAt) - 300_000).toISOString();
const running = (ready: boolean): Pod =>
  replica(1, {
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
      containerStatuses: [{ name: 'webhook', ready, restartCount: 0, state: { running: { startedAt } } }],
    },
  });
const kubernetes: EndpointSlice = {
  ...slice(),
  metadata: { namespace: 'default', name: 'kubernetes' },
  addressType: 'IPv4',
  ports: [{ name: 'https', port: 6443 }],
  endpoints: [{ addresses: ['192.0.2.10'] }],
};
const policy = (egress: NetworkPolicy['spec']['egress'], over: Partial<NetworkPolicy['spec']> = {}) => ({
  metadata: { namespace: 'shop', name: 'no-egress' },
  spec: { podSelector: {}, policyTypes: ['Egress'], ...(egress === undefined ? {} : { egress }), ...over },
});
const cut = policy([{ to: [{ podSelector: {} }] }]);
const toService = policy([{ to: [{ ipBlock: { cidr: '203.0.113.1/32' } }], ports: [{ port: 443 }] }]);

/** A Pod whose token for the API server is of a projected volume. */
const withToken = (serviceAccountToken: { readonly audience?: string }): Pod['spec'] => ({
  containers: [
    {
      name: 'webhook',
      volumeMounts: [{ name: 'token', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }],
    },
  ],
  volumes: [{ name: 'token', projected: { sources: [{ serviceAccountToken }] } }],
});

interface Scene {
  readonly spec?: Pod['spec'];
  readonly ready?: boolean;
  readonly line?: string;
  readonly policies?: readonly NetworkPolicy[];
  readonly met?: Parameters<typeof tried>[0];
}
const scene = ({ ready = true, line = '', policies = [], met = [refused], spec }: Scene): Partial<Facts> => {
  const pod = { ...running(ready), ...(spec && { spec }) };
  const facts = tried(met, { pods: [pod] });
  return {
    ...facts,
    endpointSlices: lists({
      'shop/policy': facts.endpointSlices?.get('shop/policy') ?? [],
      'default/kubernetes': [kubernetes],
    }),
    services: objects(...(facts.services?.all() ?? []), {
      metadata: { namespace: 'default', name: 'kubernetes' },
      spec: { clusterIPs: ['203.0.113.1'] },
    }),
    networkPolicies: lists({ shop: policies }),
    logs: complete([[`shop/${pod.metadata.name}/webhook`, line]]),
  };
};

const timeout =
  'E0101 1 reflector.go:204] "Failed to watch" err="failed to list *v1.Secret: Get \\"https://203.0.113.1:443/api/v1/secrets\\": dial tcp 203.0.113.1:443: i/o timeout"';
const proxied =
  'E0101 1 main.go:80] err="Get \\"https://203.0.113.1:443/api?timeout=32s\\": proxyconnect tcp: dial tcp 203.0.113.9:3128: i/o timeout"';
const unresolved = (reason: string) =>
  `E1129 1 main.go:80] err="Get \\"https://kubernetes.default.svc:443/version\\": dial tcp: lookup kubernetes.default.svc on 192.0.2.250:53: ${reason}"`;
const corefile = "/etc/coredns/Corefile:10 - Error during parsing: Unknown directive 'proxy'";
/** The Pod of cluster DNS with the address 192.0.2.250, and its log. */
const withResolver = (ready: boolean, line: string): Partial<Facts> => {
  const facts = scene({ ready: false, line: unresolved('connect: connection refused') });
  const own = running(ready);
  const metadata = { namespace: 'kube-system', name: 'coredns-1' };
  const dns = { ...own, metadata, spec: { containers: [{ name: 'coredns' }] } };
  return {
    ...facts,
    services: objects(...(facts.services?.all() ?? []), {
      metadata: { namespace: 'kube-system', name: 'kube-dns' },
      spec: { clusterIP: '192.0.2.250' },
    }),
    pods: complete([...(facts.pods?.entries() ?? []), ['kube-system/kube-dns', [dns]]]),
    logs: complete([...(facts.logs?.entries() ?? []), ['kube-system/coredns-1/coredns', line]]),
  };
};
const plain: Pod['spec'] = { containers: [{ name: 'webhook' }] };
const detail = 'dial tcp 203.0.113.1:443: i/o timeout';
const about = { pods: 'Pod policy-1', policies: 'no-egress' };

describeCheck(podsCannotReachApiServer, {
  reports: [
    {
      name: 'an egress policy, and a log that reports the timeout',
      facts: scene({ ready: false, line: timeout, policies: [cut] }),
      expect: { messageId: 'policy', confidence: 'derived', data: { ...about, detail }, evidence: timeout },
    },
    {
      name: 'an egress policy for the address of the Service alone, and a log that reports the timeout',
      facts: scene({ ready: false, line: timeout, policies: [toService] }),
      expect: { messageId: 'policy', data: { ...about, detail } },
    },
    {
      name: 'an egress policy for the port of the Service alone, and a log that reports the timeout',
      facts: scene({ ready: false, line: timeout, policies: [policy([{ ports: [{ port: 443 }] }])] }),
      expect: { messageId: 'policyPort', data: { ...about, port: '6443', detail } },
    },
    {
      name: 'an egress policy for the port of the Service alone, and a connection that was refused',
      facts: scene({
        ready: false,
        line: timeout.replace('i/o timeout', 'connect: connection refused'),
        policies: [policy([{ ports: [{ port: 443 }] }])],
      }),
      expect: { messageId: 'unreachable' },
    },
    {
      name: 'a log, and an address of the API server that was set on purpose',
      facts: scene({
        ready: false,
        line: timeout,
        spec: {
          containers: [{ name: 'webhook', env: [{ name: 'KUBERNETES_SERVICE_HOST', value: '203.0.113.1' }] }],
        },
      }),
      expect: { messageId: 'unreachable' },
    },
    ...[{ name: 'https_proxy', value: 'http://user:x@203.0.113.1:3128' }].map((variable) => ({
      name: `a log, and ${variable.name} with the address`,
      facts: scene({
        ready: false,
        line: timeout,
        spec: { containers: [{ name: 'webhook', env: [variable] }] },
      }),
      expect: {
        messageId: 'variable' as const,
        data: { pods: 'Pod policy-1', variable: variable.name, container: 'webhook', detail },
      },
    })),
    {
      name: 'a proxy that does not respond, and its variable',
      facts: scene({
        ready: false,
        line: proxied,
        spec: {
          containers: [{ name: 'webhook', env: [{ name: 'HTTPS_PROXY', value: 'http://203.0.113.9:3128' }] }],
        },
      }),
      expect: { messageId: 'variable' },
    },
    {
      name: 'a log, and variables with other addresses',
      facts: scene({
        ready: false,
        line: timeout,
        spec: {
          containers: [
            {
              name: 'webhook',
              env: [
                { name: 'HTTPS_PROXY', value: 'http://203.0.113.11:3128' },
                { name: 'NO_PROXY', value: '203.0.113.1' },
              ],
            },
          ],
        },
      }),
      expect: { messageId: 'unreachable' },
    },
    {
      name: 'a nameserver that the Pod names and that does not respond',
      facts: scene({
        ready: false,
        line: unresolved('read udp 198.51.100.9:40000->192.0.2.250:53: i/o timeout'),
        spec: { ...plain, dnsPolicy: 'None', dnsConfig: { nameservers: ['192.0.2.250'] } },
      }),
      expect: {
        messageId: 'nameserver',
        data: {
          pods: 'Pod policy-1',
          host: 'kubernetes.default.svc',
          server: '192.0.2.250',
          detail: 'dial tcp: lookup kubernetes.default.svc on 192.0.2.250:53: i/o timeout',
        },
      },
    },
    {
      name: 'cluster DNS that does not respond',
      facts: scene({ ready: false, line: unresolved('i/o timeout') }),
      expect: { messageId: 'noResolver' },
    },
    {
      name: 'cluster DNS none of whose Pods is Ready, with its log',
      facts: withResolver(false, corefile),
      expect: {
        messageId: 'dnsDown',
        data: {
          pods: 'Pod policy-1',
          host: 'kubernetes.default.svc',
          resolver: 'coredns-1',
          reason: corefile,
        },
      },
    },
    {
      name: 'no log of cluster DNS, if one of its Pods is Ready again',
      facts: withResolver(true, corefile),
      expect: { messageId: 'noResolver' },
    },
    {
      name: 'no log of cluster DNS, if it reports no error',
      facts: withResolver(false, 'CoreDNS-1.12.1'),
      expect: { messageId: 'noResolver' },
    },
    {
      name: 'the same, where no policy of the Pod allows egress to it',
      facts: scene({
        ready: false,
        line: unresolved('read udp 198.51.100.9:40000->192.0.2.250:53: i/o timeout'),
        policies: [policy([{ ports: [{ port: 443 }, { port: 6443 }] }])],
      }),
      expect: {
        messageId: 'policyDns',
        data: {
          pods: 'Pod policy-1',
          host: 'kubernetes.default.svc',
          server: '192.0.2.250',
          policies: 'no-egress',
        },
      },
    },
    {
      name: 'the same, where a policy of the Pod has its port',
      facts: scene({
        ready: false,
        line: unresolved('i/o timeout'),
        policies: [policy([{ ports: [{ port: 443 }, { port: 53, protocol: 'UDP' }] }])],
      }),
      expect: { messageId: 'noResolver' },
    },
    {
      name: 'the DNS of the node, which does not respond to a Pod in its network',
      facts: scene({
        ready: false,
        line: unresolved('i/o timeout'),
        spec: { ...plain, hostNetwork: true },
      }),
      expect: { messageId: 'resolverOfNode' },
    },
    ...[
      'context deadline exceeded',
      'net/http: request canceled (Client.Timeout exceeded while awaiting headers)',
      'read tcp 198.51.100.9:40000->203.0.113.1:443: read: connection timed out',
    ].map((late) => ({
      name: `a policy for the port of the Service, and a timeout that may be of a connection (${late})`,
      facts: scene({
        ready: false,
        line: timeout.replace(detail, late),
        policies: [policy([{ ports: [{ port: 443 }] }])],
      }),
      expect: { messageId: 'unreachable' as const },
    })),
    {
      name: 'the name of a Service, which the DNS of the node does not know',
      facts: scene({
        ready: false,
        line: unresolved('no such host'),
        spec: { ...plain, dnsPolicy: 'Default' },
      }),
      expect: { messageId: 'namesOfNode' },
    },
    {
      name: 'the same of a Pod in the network of the node',
      facts: scene({ ready: false, line: unresolved('no such host'), spec: { ...plain, hostNetwork: true } }),
      expect: { messageId: 'namesOfNode' },
    },
    {
      name: 'a name that cluster DNS does not know',
      facts: scene({ ready: false, line: unresolved('no such host') }),
      expect: { messageId: 'unreachable' },
    },
    {
      name: 'a log alone',
      facts: scene({ ready: false, line: timeout }),
      expect: { messageId: 'unreachable', data: { pods: 'Pod policy-1', detail } },
    },
    {
      name: 'the same of Pods that were not probed',
      facts: {
        ...scene({ ready: false, line: timeout }),
        probes: nothingRequested().probes,
      },
      expect: { messageId: 'unreachable' },
    },
    {
      name: 'a port that stays closed under an egress policy',
      facts: scene({ policies: [cut] }),
      expect: { messageId: 'policyOnly', data: about },
    },
    {
      name: 'a policy without rules',
      facts: scene({ policies: [policy(undefined)] }),
      expect: { messageId: 'policyOnly' },
    },
    {
      name: 'a rule for another network',
      facts: scene({ policies: [policy([{ to: [{ ipBlock: { cidr: '198.51.100.0/24' } }] }])] }),
      expect: { messageId: 'policyOnly' },
    },
    {
      name: 'a rule that excepts the address',
      facts: scene({
        policies: [policy([{ to: [{ ipBlock: { cidr: '192.0.0.0/16', except: ['192.0.2.0/24'] } }] }])],
      }),
      expect: { messageId: 'policyOnly' },
    },
    {
      name: 'a rule for DNS alone',
      facts: scene({ policies: [policy([{ ports: [{ protocol: 'UDP', port: 53 }] }])] }),
      expect: { messageId: 'policyOnly' },
    },
    {
      name: 'a Pod that is not Ready under an egress policy, as a risk',
      facts: scene({ ready: false, policies: [cut], met: [] }),
      expect: { messageId: 'policyNotReady', data: about },
    },
    {
      name: 'a certificate that the process does not trust',
      facts: scene({
        ready: false,
        line: 'Get "https://203.0.113.1:443/api?timeout=32s": x509: certificate signed by unknown authority',
      }),
      expect: { messageId: 'untrusted' },
    },
    {
      name: 'a token that is refused',
      facts: scene({ ready: false, line: 'E0101 Failed to watch *v1.Namespace: Unauthorized' }),
      expect: { messageId: 'tokenRefused' },
    },
    {
      name: 'a token for another audience that is refused',
      facts: scene({
        ready: false,
        line: 'E0101 Failed to watch *v1.Namespace: Unauthorized',
        spec: withToken({ audience: 'vault' }),
      }),
      expect: { messageId: 'audience', data: { pods: 'Pod policy-1', volume: 'token', audience: 'vault' } },
    },
    {
      name: 'a token without an audience that is refused',
      facts: scene({
        ready: false,
        line: 'E0101 Failed to watch *v1.Namespace: Unauthorized',
        spec: withToken({}),
      }),
      expect: { messageId: 'tokenRefused' },
    },
  ],
  reportsNothing: [
    {
      name: 'a proxy that no variable of the Pod sets',
      facts: scene({ ready: false, line: proxied }),
      outcome: 'pass',
    },
    {
      name: 'the replicas respond',
      facts: scene({ line: timeout, policies: [cut], met: [allows] }),
      outcome: 'pass',
    },
    {
      name: 'a rule allows the address',
      facts: scene({
        policies: [policy([{ to: [{ ipBlock: { cidr: '192.0.2.0/24' } }], ports: [{ port: 6443 }] }])],
      }),
      outcome: 'pass',
    },
    {
      name: 'a rule allows the address of the Service, which some network plugins compare',
      facts: scene({ policies: [toService] }),
      outcome: 'pass',
    },
    {
      name: 'a rule allows everything',
      facts: scene({ policies: [cut, policy([{}])] }),
      outcome: 'pass',
    },
    {
      name: 'the policy is about ingress',
      facts: scene({ policies: [policy(undefined, { policyTypes: ['Ingress'] })] }),
      outcome: 'pass',
    },
    {
      name: 'the policy selects other Pods',
      facts: scene({ policies: [policy([], { podSelector: { matchLabels: { app: 'other' } } })] }),
      outcome: 'pass',
    },
    {
      name: 'a running process continues to log other messages',
      facts: scene({ ready: false, line: [timeout, ...Array(40).fill('I0101 synced')].join('\n') }),
      outcome: 'pass',
    },
    {
      name: 'there are no Pods, and EndpointSlices must not be read',
      facts: { ...scene({}), pods: lists({ 'shop/policy': [] }), endpointSlices: forbidden() },
      outcome: 'pass',
    },
    {
      name: 'the log is about another server',
      facts: scene({
        ready: false,
        line: 'Get "https://registry.example.com/v2/": dial tcp 192.0.2.77:443: i/o timeout',
      }),
      outcome: 'pass',
    },
  ],
  isUnknown: [{ name: 'Pods could not be read', facts: { ...scene({}), pods: forbidden('pods') } }],
});
