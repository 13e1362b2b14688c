import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { parseBackendArguments } from './arguments.ts';
import { startBackend } from './backend.ts';
import { electLeader } from './leader-election.ts';

/** The backend as a program, for Pods. A line per request on standard output; SIGTERM ends it at once. */
async function main(): Promise<void> {
  const { options, lease, clientCaFile } = parseBackendArguments(process.argv.slice(2));
  const backend = await startBackend({
    ...options,
    ...(clientCaFile === undefined ? {} : { clientCa: readFileSync(clientCaFile, 'utf8') }),
    onRequest: (line) => console.log(line),
  });
  console.log(backend.port ? `listening on ${options.bind}:${backend.port}` : 'waiting to lead');
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      stop.abort();
      backend.close().then(() => process.exit(0));
    });
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
