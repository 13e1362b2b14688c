import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { authority, issue } from '../support/certificates.ts';
import { scripted } from './trace-cases.ts';

/** Serves the scripted webhooks at https://HOST:PORT/NAME. */
export async function backends(host = '127.0.0.1'): Promise<{ server: Server; url: string; ca: string }> {
  const ca = await authority({ cn: 'policy-ca' });
  const { cert, key } = await issue(ca, { ips: [host] });
  const server = createServer({ cert, key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const [, name = ''] = request.url?.split(/[/?]/) ?? [];
      const { request: asked } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      const { status, body } = scripted(name, asked);
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return { server, url: `https://${host}:${port}`, ca: ca.cert };
}
