import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseBackendArguments } from './arguments.ts';
import { electLeader } from './leader-election.ts';
import { startProgram } from './program.ts';

/** Milliseconds for requests in progress after SIGTERM. */
const grace = 500;

/**
 * Runs the backend as a program in a Pod. Prints a line per request on stdout; on SIGTERM it finishes
 * requests and exits.
 */
async function main(): Promise<void> {
  const { options, lease, clientCaFile, listenAfter } = parseBackendArguments(process.argv.slice(2));
  const backend = await startProgram({
    ...options,
    ...(clientCaFile === undefined ? {} : { clientCa: readFileSync(clientCaFile, 'utf8') }),
    onRequest: (line) => console.log(line),
  });
  console.log(backend.port ? `listening on ${options.bind}:${backend.port}` : 'waiting to lead');
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      stop.abort();
      Promise.race([backend.drain(), sleep(grace)])
        .then(() => backend.close())
        .then(() => process.exit(0));
    });
  }
  if (listenAfter !== undefined) {
    await sleep(listenAfter);
    await backend.setLeader(true);
    console.log(`listening on ${options.bind}:${backend.port}`);
  }
  if (lease === undefined) return;
  const tell = async (leader: boolean) => {
    await backend.setLeader(leader);
    console.log(leader ? 'leading' : 'no longer leading');
  };
  await electLeader(lease, hostname(), tell, stop.signal);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
});
