import { startBackend } from '../../src/demo/backend/backend.ts';
import type { FindingReport } from '../../src/diagnose/report.ts';
import type { Scene } from '../cluster/scene.ts';
import { authority, issue } from '../support/certificates.ts';
import { doctorSays } from './doctor-says.ts';
import { configurationOf, rule, sendDry, within } from './dry-writes.ts';

/** How a request through webhooks went that never answer and may be ignored, and what doctor had said of them. */
export interface Lived {
  readonly said: string;
  readonly seconds: number;
  readonly findings: readonly FindingReport[];
}

export interface HangingChain {
  readonly namespace: string;
  /** One request; the API server must know the webhooks by then. */
  live(): Promise<Lived>;
  close(): Promise<void>;
}

/** Three mutating webhooks for every ConfigMap of a namespace of its own; their backend takes requests and says nothing. */
export async function hangingChain(
  scene: Scene,
  kubeconfig: string,
  name: string,
  timeoutSeconds: number,
): Promise<HangingChain> {
  const namespace = `${name}-${scene.namespace}`;
  const ca = await authority({ cn: 'webhook-ca' });
  // A handshake that hangs would be over after 10 s, whatever the webhook's time.
  const silent = await startBackend({
    certificate: await issue(ca, { ips: ['127.0.0.1'] }),
    fault: 'hang-http',
  });
  await scene.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  // Behind all others of the suite: places in the audit log count every mutating webhook.
  for (const which of ['a', 'b', 'c']) {
    const webhook = {
      clientConfig: {
        url: `https://127.0.0.1:${silent.port}/`,
        caBundle: Buffer.from(ca.cert).toString('base64'),
      },
      failurePolicy: 'Ignore',
      rules: [rule('core', 'CREATE', 'configmaps')],
      namespaceSelector: within(namespace),
      timeoutSeconds,
    };
    const configuration = configurationOf(`zz-${which}-${namespace}`, webhook);
    await scene.create({ ...configuration, kind: 'MutatingWebhookConfiguration' });
  }
  return {
    namespace,
    async live() {
      const { findings } = await doctorSays(kubeconfig, `zz-a-${namespace}`);
      const started = performance.now();
      const said = await sendDry(scene.client, {
        does: 'a ConfigMap',
        method: 'POST',
        path: `/api/v1/namespaces/${namespace}/configmaps`,
        body: { metadata: { name: 'new' } },
      });
      return { said, seconds: (performance.now() - started) / 1000, findings };
    },
    close: () => silent.close(),
  };
}
