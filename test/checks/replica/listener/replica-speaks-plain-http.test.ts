import { replicaSpeaksPlainHttp } from '../../../../src/checks/replica/listener/replica-speaks-plain-http.ts';
import type { Container } from '../../../../src/facts/objects/pod.ts';
import { describeFault, ended, replica, tried } from '../../probed.ts';

const plain = ended({ stage: 'tls', kind: 'plain-http' });
const serving = (container: Partial<Container>) =>
  tried([plain], { pods: [replica(1, { spec: { containers: [{ name: 'webhook', ...container }] } })] });

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
    ...[
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
