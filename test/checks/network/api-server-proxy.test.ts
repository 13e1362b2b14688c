import { apiServerProxy } from '../../../src/checks/network/api-server-proxy.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { lists, pod } from '../../support/snapshot.ts';
import { allows, dryRun, quiet, refused, tried } from '../probed.ts';

const after = (cause: string) =>
  dryRun(
    `Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: Post "https://policy.shop.svc:443/validate?timeout=10s": ${cause}`,
  );
const stranger = 'tls: failed to verify certificate: x509: certificate signed by unknown authority';

/** Of kubeadm: what it found in its own environment stands in the manifest. */
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
  kubeApiServer({ HTTPS_PROXY: 'http://someone:word@proxy.example:3128', NO_PROXY: exceptions });

describeCheck(apiServerProxy, {
  reports: [
    {
      name: 'a status text of a proxy in place of an error',
      facts: tried([allows], { dryRun: after('Service Unavailable') }),
      expect: { messageId: 'refused', confidence: 'observed', data: { said: 'Service Unavailable' } },
    },
    {
      name: 'a proxy that is not there',
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
      expect: { messageId: 'presents', confidence: 'observed' },
    },
    {
      name: 'the same on a control plane that shows no Pods',
      facts: tried([allows, allows], { dryRun: after(stranger) }),
      expect: { messageId: 'between' },
    },
  ],
  staysSilent: [
    ...quiet,
    {
      name: 'the Pods do not respond either',
      facts: tried([refused], { dryRun: after(stranger) }),
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
