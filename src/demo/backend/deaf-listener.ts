import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';

// The thread listens, says where, and then sleeps for good: the kernel queues connections, nobody accepts them.
const program = `
const { parentPort, workerData } = require('node:worker_threads');
const server = require('node:net').createServer();
server.on('error', (error) => { throw error; });
server.listen({ ...workerData, backlog: 1 }, () => {
  parentPort.postMessage(server.address().port);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});`;

/**
 * A port whose queue of connections is full: the next SYN gets no answer, so that a caller runs into its own timeout
 * while it connects.
 */
export async function listenDeaf(
  port: number,
  host: string,
): Promise<{ port: number; close(): Promise<void> }> {
  const worker = new Worker(program, { eval: true, workerData: { port, host } });
  const [bound] = (await once(worker, 'message')) as [number];
  const target = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  const fillers: Socket[] = [];
  // A queue of length 1 holds two; the third stays half open and proves that it is full.
  for (let filled = true; filled && fillers.length < 8; ) {
    const socket = createConnection({ port: bound, host: target });
    socket.on('error', () => {});
    fillers.push(socket);
    filled = await connects(socket, 300);
  }
  return {
    port: bound,
    close: async () => {
      for (const socket of fillers) socket.destroy();
      await worker.terminate();
    },
  };
}

function connects(socket: Socket, within: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), within);
    socket.once('connect', () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
