import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { startBackend } from '../../../src/demo/backend/backend.ts';
import type { BackendOptions, DemoBackend, ServedPair } from '../../../src/demo/backend/options.ts';

/** How the program in a Pod behaves, besides the backend of the demo. */
export interface ProgramOptions extends Omit<BackendOptions, 'certificate'> {
  /** The folder that holds tls.crt and tls.key, as a mounted Secret does; undefined: plain HTTP. */
  readonly folder?: string;
  /** Reload files that change in the folder; default: true. */
  readonly reload?: boolean;
  /** Port of a plain HTTP server with /readyz and /healthz; default: none. /readyz is also on the main port. */
  readonly readinessPort?: number;
}

/** A running program. */
export interface Program extends DemoBackend {
  readonly readinessPort: number | undefined;
}

/** Throws the error of the file system if a file is missing. */
function readPair(folder: string): ServedPair {
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  return { cert: read('tls.crt'), key: read('tls.key') };
}

/** Starts a backend with files and ports as in a Pod. Throws if the certificate cannot be read, or the port is taken. */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const { folder, reload = true, readinessPort, ...rest } = options;
  const state = { leader: rest.leader ?? true, ready: rest.ready ?? true };
  const pair = folder === undefined ? undefined : readPair(folder);
  // A listener that is opened later reads the files again.
  const backend = await startBackend(
    folder === undefined
      ? rest
      : {
          ...rest,
          get certificate() {
            return readPair(folder);
          },
        },
  );
  const mayReload = () => rest.gate !== 'reload' || state.leader;
  const unfollow =
    folder === undefined || pair === undefined || !reload
      ? () => {}
      : follow(folder, pair, (next) => mayReload() && backend.renew(next));
  const isReady = () => state.ready && (rest.gate !== 'readiness' || state.leader);
  const readiness = readinessPort === undefined ? undefined : createServer();
  readiness?.on('request', (request, response) => {
    const well = request.url === '/healthz' || isReady();
    response.writeHead(well ? 200 : 503, { 'content-type': 'text/plain' }).end(well ? 'ok' : 'not ready');
  });
  if (readiness !== undefined)
    await new Promise<void>((resolve, reject) => {
      readiness.once('error', reject);
      readiness.listen(readinessPort, rest.bind ?? '127.0.0.1', resolve);
    });
  return {
    get port() {
      return backend.port;
    },
    get requests() {
      return backend.requests;
    },
    readinessPort: (readiness?.address() as AddressInfo | null | undefined)?.port,
    setReady(ready) {
      state.ready = ready;
      backend.setReady(ready);
    },
    async setLeader(leader) {
      state.leader = leader;
      await backend.setLeader(leader);
    },
    renew: backend.renew,
    drain: backend.drain,
    async close() {
      unfollow();
      await backend.close();
      readiness?.closeAllConnections();
      await new Promise<void>((resolve) => (readiness ? readiness.close(() => resolve()) : resolve()));
    },
  };
}

/**
 * Calls `renew` with changed files, five times a second; returns a function that stops it. A kubelet renews a mounted
 * Secret by replacing a symbolic link, which file watchers miss. A certificate and key that do not match are not loaded.
 */
function follow(folder: string, first: ServedPair, renew: (pair: ServedPair) => void): () => void {
  let current = first;
  const timer = setInterval(() => {
    try {
      const next = readPair(folder);
      if (next.cert === current.cert && next.key === current.key) return;
      renew(next);
      current = next;
    } catch {
      // Half-written or deleted: the server keeps the old certificate.
    }
  }, 200);
  timer.unref();
  return () => clearInterval(timer);
}
