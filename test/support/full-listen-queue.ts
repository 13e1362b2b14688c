import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';

// The thread listens, reports its port, and sleeps: the kernel queues connections that are never accepted.
const program = `
const { parentPort, workerData } = require('node:worker_threads');
const server = require('node:net').createServer();
server.on('error', (error) => { throw error; });
server.listen({ ...workerData, backlog: 1 }, () => {
  parentPort.postMessage(server.address().port);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});`;

/** Opens a port whose accept queue is full: further SYNs get no response, and clients time out. */
export async function listenWithFullQueue(
  port: number,
  host: string,
): Promise<{ port: number; close(): Promise<void> }> {
  const worker = new Worker(program, { eval: true, workerData: { port, host } });
  const [bound] = (await once(worker, 'message')) as [number];
  const target = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  const fillers: Socket[] = [];
  // A backlog of 1 holds two connections; the third stays half-open, which proves that the queue is full.
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
