import { expect } from 'chai';
import type { Client, KubeObject } from '../cluster/client.ts';
import { waitFor } from '../cluster/wait.ts';
import { deadPort } from './oracle-cases.ts';
import { ownAddress } from './oracle-facts.ts';

export const address = ownAddress();

const nameLabel = 'kubernetes.io/metadata.name';
/** namespaceSelectors by name. */
export const within = (...values: string[]) => ({
  matchExpressions: [{ key: nameLabel, operator: 'In', values }],
});
export const outside = (...values: string[]) => ({
  matchExpressions: [{ key: nameLabel, operator: 'NotIn', values }],
});

/** `rule('core apps', 'CREATE', 'pods deployments')`, of every version. */
export const rule = (groups: string, operations: string, resources: string) => ({
  apiGroups: groups.split(' ').map((group) => (group === 'core' ? '' : group)),
  apiVersions: ['*'],
  operations: operations.split(' '),
  resources: resources.split(' '),
});

/** A configuration with one webhook, `NAME.example.com`, at a closed port. */
export const configurationOf = (name: string, webhook: object): KubeObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name },
  webhooks: [
    {
      name: `${name}.example.com`,
      clientConfig: { url: `https://${address}:${deadPort}/check` },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      timeoutSeconds: 5,
      ...webhook,
    },
  ],
});

/** The error of the API server for such a webhook. */
export const refusedFor = (webhook: string): string =>
  `Internal error occurred: failed calling webhook "${webhook}": failed to call webhook: Post "https://${address}:${deadPort}/check?timeout=5s": dial tcp ${address}:${deadPort}: connect: connection refused`;

/** One write, sent as a dry run: cases do not depend on each other. */
export interface Write {
  readonly does: string;
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
}

/** `passes`, or the API server's error. */
export async function sendDry(client: Client, { method, path, body }: Write): Promise<string> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const answer = await client.request(method, `${path}?dryRun=All`, body, type);
  if (answer.status < 400) return 'passes';
  return (JSON.parse(answer.body) as { message?: string }).message ?? answer.body;
}

/** Waits until the API server, which needs a moment to load configurations, responds with these words. */
export async function endsIn(client: Client, write: Write, wanted: string): Promise<void> {
  let said = '';
  await waitFor(
    `${write.does} to end in: ${wanted}`,
    async () => {
      said = await sendDry(client, write);
      return said === wanted;
    },
    { timeout: 20_000 },
  ).catch(() => expect(said, write.does).to.equal(wanted));
}
