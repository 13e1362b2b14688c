import { type AddressInfo, connect, createServer } from 'node:net';

/** A TCP relay on loopback that counts what the server sends, as it goes over the wire (TLS and gzip as sent). */
export interface CountingProxy {
  readonly port: number;
  /** Bytes that the server sent since the last call. */
  take(): number;
  close(): void;
}

/** Relays to `host:port`. */
export async function countingProxy(host: string, port: number): Promise<CountingProxy> {
  let bytes = 0;
  const server = createServer((client) => {
    const upstream = connect(port, host);
    upstream.on('data', (chunk) => {
      bytes += chunk.length;
    });
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream])
      socket.on('error', () => [client, upstream].map((end) => end.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    take: () => {
      const taken = bytes;
      bytes = 0;
      return taken;
    },
    close: () => server.close(),
  };
}
