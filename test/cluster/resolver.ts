import { createSocket } from 'node:dgram';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from './component.ts';

/** A name server on an address of the loopback device; needs `own-node`. */
export const nameServerAddress = '127.0.0.153';

/** Responds to every DNS query with NXDOMAIN; returns how to stop it. */
export async function knowNoName(): Promise<() => void> {
  const socket = createSocket('udp4');
  socket.on('message', (question, { port, address }) => {
    const answer = Buffer.from(question);
    // RFC 1035 section 4.1.1: QR, opcode and RD as in the query; RA, and RCODE 3.
    answer[2] = (question[2] ?? 0) | 0x80;
    answer[3] = 0x83;
    socket.send(answer, port, address);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject).bind(53, nameServerAddress, resolve);
  });
  return () => socket.close();
}

/**
 * The prefix of a command that resolves these names (host → address), and all others with {@link knowNoName}.
 * Needs root for a mount namespace. The files are written to `folder`.
 */
export function knowing(hosts: Readonly<Record<string, string>>, folder: string): readonly string[] {
  mkdirSync(folder, { recursive: true });
  const lines = Object.entries(hosts).map(([name, address]) => `${address} ${name}\n`);
  const files = {
    hosts: `127.0.0.1 localhost\n${lines.join('')}`,
    'resolv.conf': `nameserver ${nameServerAddress}\n`,
    'nsswitch.conf': 'hosts: files dns\n',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const mounts = Object.keys(files).map((name) => `mount --bind '${join(folder, name)}' /etc/${name}`);
  return [
    findProgram('unshare') ?? 'unshare',
    '--mount',
    'sh',
    '-c',
    `${mounts.join(' && ')} && exec "$@"`,
    'sh',
  ];
}
