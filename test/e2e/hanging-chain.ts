import { startBackend } from '../../src/demo/backend/backend.ts';
import type { FindingReport } from '../../src/diagnose/report.ts';
import type { Scene } from '../cluster/scene.ts';
import { authority, issue } from '../support/certificates.ts';
import { doctorSays } from './doctor-says.ts';
import { configurationOf, rule, sendDry, within } from './dry-writes.ts';

/**
 * The result of a request through webhooks that never respond and fail open, and doctor's report before it.
 */
export interface Lived {
  readonly said: string;
  readonly seconds: number;
  readonly findings: readonly FindingReport[];
}

export interface HangingChain {
  readonly namespace: string;
  /** Sends one request; the API server must have loaded the webhooks. */
  live(): Promise<Lived>;
  close(): Promise<void>;
}

/**
 * Three mutating webhooks for every ConfigMap of a separate namespace; their backend accepts requests and
 * never responds.
 */
export async function hangingChain(
  scene: Scene,
  kubeconfig: string,
  name: string,
  timeoutSeconds: number,
): Promise<HangingChain> {
  const namespace = `${name}-${scene.namespace}`;
  const ca = await authority({ cn: 'webhook-ca' });
  // A handshake that hangs would time out after 10 s, whatever the webhook's timeout.
  const silent = await startBackend({
    certificate: await issue(ca, { ips: ['127.0.0.1'] }),
    fault: 'hang-http',
  });
  await scene.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  // After all others of the suite: positions in the audit log count every mutating webhook.
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
