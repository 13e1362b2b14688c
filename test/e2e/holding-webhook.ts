import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { KeyPair } from '../support/certificates.ts';

/** The name of a scheduler that does not exist, and the annotation with the previous one. */
export const nobody = 'park.example.com/invalid';
const keptIn = 'park.example.com/scheduling-disabled';

interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: {
    readonly uid: string;
    readonly object: {
      readonly metadata: { readonly annotations?: object };
      readonly spec: { readonly template: { readonly spec: { readonly schedulerName?: string } } };
    };
  };
}

/** The JSON patch that holds the Pods of a workload. */
function held({ metadata, spec }: Review['request']['object']): readonly object[] {
  const former = spec.template.spec.schedulerName ?? 'default-scheduler';
  return [
    ...(metadata.annotations === undefined ? [{ op: 'add', path: '/metadata/annotations', value: {} }] : []),
    { op: 'add', path: `/metadata/annotations/${keptIn.replace('/', '~1')}`, value: former },
    { op: 'add', path: '/spec/template/spec/schedulerName', value: nobody },
  ];
}

/** A mutating webhook that sets a placeholder schedulerName while it is enabled. */
export interface HoldingWebhook {
  readonly port: number;
  holds: boolean;
  close(): void;
}

/** Serves on all addresses. */
export async function startHoldingWebhook({ cert, key }: KeyPair): Promise<HoldingWebhook> {
  const server: Server = createServer({ cert, key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const review = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Review;
      const { uid, object } = review.request;
      const isWorkload = object?.spec?.template?.spec !== undefined;
      const patch = webhook.holds && isWorkload ? Buffer.from(JSON.stringify(held(object))) : undefined;
      const answer = {
        uid,
        allowed: true,
        ...(patch === undefined ? {} : { patchType: 'JSONPatch', patch: patch.toString('base64') }),
      };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ apiVersion: review.apiVersion, kind: review.kind, response: answer }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const webhook: HoldingWebhook = {
    port: (server.address() as AddressInfo).port,
    holds: true,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return webhook;
}
