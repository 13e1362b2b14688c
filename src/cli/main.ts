import { homedir } from 'node:os';
import { cli, commandNamed } from './cli.ts';
import { commandTable, loadCompletion } from './command-table.ts';
import { explainError } from './explain-error.ts';
import { exitOnInterrupt } from './interrupt.ts';
import { fitted } from './terminal.ts';

const argv = process.argv.slice(2);

/** True for `-v 6`, `-v=6`, `-v6`, `--v=6` as in kubectl, or DEBUG: errors are then printed with their stack. */
function wantsStack(): boolean {
  const level = / --?v[= ]?(\d+)/.exec(` ${argv.join(' ')}`);
  return Number(level?.[1] ?? 0) >= 6 || Boolean(process.env.DEBUG);
}

/** Waits until stdout and stderr are flushed, even to a slow pipe, before the process exits. */
async function flushed(stream: NodeJS.WriteStream): Promise<void> {
  await new Promise<void>((resolve) => stream.write('', () => resolve()));
}

/**
 * Sets HOME to / as container runtimes do. Without HOME and an entry in passwd, as with a container's
 * arbitrary uid, `homedir()` throws, and libraries call it while they are loaded.
 */
function assumeHome(): void {
  try {
    homedir();
  } catch {
    process.env.HOME = '/';
  }
}

let ending = false;
let unwritten: Error | undefined;

async function end(exitCode: number): Promise<never> {
  ending = true;
  await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
  if (unwritten === undefined) process.exit(exitCode);
  process.stderr.write(`error: the output could not be written: ${unwritten.message}\n`);
  await flushed(process.stderr);
  process.exit(2);
}

async function fail(error: unknown): Promise<void> {
  // An error during exit cannot be reported.
  if (ending) process.exit(2);
  const { text, exitCode } = explainError(error, commandNamed(commandTable, argv[0])?.name, wantsStack());
  process.stderr.write(await fitted(text, process.stderr));
  await end(exitCode);
}

/**
 * Keeps the process running after a failed write. An `error` listener alone is not enough: oclif has one that
 * throws.
 */
function noteFailures(stream: NodeJS.WriteStream, note: (error: NodeJS.ErrnoException) => void): void {
  stream.on('error', note);
  const write = stream._write.bind(stream);
  stream._write = (chunk, encoding, done) =>
    write(chunk, encoding, (error) => {
      if (error) note(error);
      done();
    });
}

// A closed pipe, as with `head`, is no error: the exit code still has the result. A full disk is reported at
// the end, since a process that waits to undo a change must continue.
noteFailures(process.stdout, (error) => {
  if (error.code !== 'EPIPE') unwritten ??= error;
});
noteFailures(process.stderr, () => undefined);
process.on('uncaughtException', fail);
// The event loop is empty and the command has not finished: a bug, which must not exit with 0.
process.on('beforeExit', () => {
  if (!ending) void fail(new Error('the command exited without a result'));
});
exitOnInterrupt();
assumeHome();

/** kubectl_complete-webhook passes `__complete --`, then the command line to complete. */
async function run(): Promise<void> {
  if (argv[0] !== '__complete') return cli(argv, commandTable);
  const { completeLine } = await loadCompletion();
  await completeLine(argv.slice(2), commandTable);
}

// No top-level await: the single executable is one CommonJS file.
run()
  .then(() => end(Number(process.exitCode ?? 0)))
  .catch(fail);
