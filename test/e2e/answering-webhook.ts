import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { network } from '../cluster/network.ts';
import { authority, issue } from '../support/certificates.ts';

/** A denial with a message, or a patch; undefined: allowed. */
export type Reply = { readonly denied: string } | { readonly patch: readonly object[] } | undefined;

function responseOf(reply: Reply): object {
  if (reply === undefined) return { allowed: true };
  if ('denied' in reply) return { allowed: false, status: { message: reply.denied } };
  const patch = Buffer.from(JSON.stringify(reply.patch)).toString('base64');
  return { allowed: true, patchType: 'JSONPatch', patch };
}

/**
 * A webhook at https://NODE:PORT that responds to each request of a review. Not loopback, to which doctor does not
 * connect.
 */
export async function answeringWebhook<Request>(
  reply: (request: Request) => Reply,
): Promise<{ server: Server; url: string; ca: string }> {
  const ca = await authority({ cn: 'policy-ca' });
  const { cert, key } = await issue(ca, { ips: [network.node] });
  const server = createServer({ cert, key }, async (incoming, response) => {
    const { request } = JSON.parse(await text(incoming)) as { request: Request & { readonly uid: string } };
    response.setHeader('content-type', 'application/json').end(
      JSON.stringify({
        apiVersion: 'admission.k8s.io/v1',
        kind: 'AdmissionReview',
        response: { uid: request.uid, ...responseOf(reply(request)) },
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, network.node, resolve));
  const { port } = server.address() as AddressInfo;
  return { server, url: `https://${network.node}:${port}`, ca: ca.cert };
}
