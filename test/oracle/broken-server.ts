import type { CallResult } from '../../src/apiserver/connection/call-result.ts';
import { resultOfConnection } from '../../src/apiserver/connection/predict-call-result.ts';
import { directPeer } from '../../src/collect/probes/connection/peer.ts';
import { probePeer } from '../../src/collect/probes/connection/probe-peer.ts';
import { payloadOf } from '../../src/collect/probes/payload.ts';
import { type AdmissionCallout, calloutId } from '../../src/facts/callout.ts';

/** The address of a broken server, and the API server's error for its webhook. */
interface Broken {
  readonly address: string;
  readonly port: number;
  /** In base64. */
  readonly caBundle: string;
  readonly timeoutSeconds: number;
}

/** The configuration of a webhook with the URL of the broken server of this number. */
export const brokenConfiguration = (index: number, { address, port, caBundle, timeoutSeconds }: Broken) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: `broken-${index}` },
  webhooks: [
    {
      name: `broken-${index}.example.com`,
      clientConfig: { url: `https://${address}:${port}/check`, caBundle },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      objectSelector: { matchLabels: { case: `broken-${index}` } },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      timeoutSeconds,
    },
  ],
});

/** The result of a probe of a webhook's URL, and the prediction for an API server of a version. */
export async function probeBroken(
  callout: AdmissionCallout,
  facts: Parameters<typeof payloadOf>[1],
  probing: string | undefined,
): Promise<(version: string | undefined) => CallResult> {
  const { host, hostname, port } = new URL(callout.client.url ?? '');
  const { payload: question } = payloadOf(callout, facts, probing ?? '', true);
  const conversation = await probePeer(directPeer(hostname, Number(port), hostname), [question], {
    timeout: callout.timeoutSeconds * 1000,
    version: probing,
    signal: AbortSignal.timeout(60_000),
  });
  const connection =
    'connections' in conversation ? conversation.connections.get(calloutId(callout)) : undefined;
  if (connection === undefined) throw new Error('no connection');
  const at = new Date().toISOString();
  return (version = '') =>
    resultOfConnection(connection, { callout, version, at, serverName: hostname, address: host });
}
