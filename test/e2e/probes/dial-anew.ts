import type { Client } from '../../cluster/client.ts';

/**
 * Makes API servers call the webhook of a ValidatingWebhookConfiguration over a new connection, by another
 * text of the caBundle.
 */
export async function dialAnew(client: Client, name: string): Promise<void> {
  const configuration = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name },
  };
  const [webhook] = (await client.get(configuration))?.webhooks ?? [];
  const bundle = Buffer.from(webhook.clientConfig.caBundle, 'base64').toString();
  const clientConfig = { ...webhook.clientConfig, caBundle: Buffer.from(`${bundle}\n`).toString('base64') };
  await client.patch(configuration, { webhooks: [{ ...webhook, clientConfig }] });
}
