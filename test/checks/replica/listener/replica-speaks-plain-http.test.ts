import { replicaSpeaksPlainHttp } from '../../../../src/checks/replica/listener/replica-speaks-plain-http.ts';
import type { Container } from '../../../../src/facts/objects/pod.ts';
import { describeFault, ended, replica, tried } from '../../probed.ts';

const plain = ended({ stage: 'tls', kind: 'plain-http' });
const serving = (container: Partial<Container>, ...others: readonly Container[]) =>
  tried([plain], {
    pods: [replica(1, { spec: { containers: [{ name: 'webhook', ...container }, ...others] } })],
  });
const declared = { ports: [{ containerPort: 8443 }] };

describeFault(
  replicaSpeaksPlainHttp,
  plain,
  [],
  [
    ...[
      { args: ['--web.enable-tls=false'] },
      { args: ['--tls=false'] },
      { args: ['--disable-tls'] },
      { env: [{ name: 'TLS_ENABLED', value: 'false' }] },
      { env: [{ name: 'WEBHOOK_TLS_ENABLED', value: '0' }] },
    ].map((container) => ({
      name: `the setting that turns TLS off: ${JSON.stringify(container)}`,
      facts: serving(container),
      expect: { messageId: 'switchedOff' as const },
    })),
    {
      name: 'the setting of the container that declares the port, as an argument',
      facts: serving({ ...declared, args: ['--tls=false'] }, { name: 'redis' }),
      expect: {
        messageId: 'switchedOff' as const,
        data: {
          replicas: 'Pod policy-1',
          bad: 1,
          total: 1,
          port: 8443,
          path: '/validate',
          detail: 'plain-http at tls',
          setting: '--tls=false',
        },
      },
    },
    ...[declared, {}].map((container) => ({
      name: `no setting of another container: ${JSON.stringify(container)}`,
      facts: serving(container, { name: 'redis', args: ['--tls=false'] }),
      expect: { messageId: 'all' as const },
    })),
    ...[
      { env: [{ name: 'DISABLE_TLS' }] },
      { args: ['--metrics-tls=false'] },
      { args: ['--redis.enable-tls=false'] },
      { args: ['--web.enable-tls=true'] },
      { args: ['--tls-cert-file=', '--enable-http2=false'] },
      { env: [{ name: 'OTEL_TLS_ENABLED', value: 'false' }] },
      { env: [{ name: 'TLS_ENABLED', value: '' }] },
    ].map((container) => ({
      name: `no setting of a client, of metrics or without a value: ${JSON.stringify(container)}`,
      facts: serving(container),
      expect: { messageId: 'all' as const },
    })),
  ],
);
