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

/** Lets what was written reach its reader, also a slow pipe, before the process ends. */
async function flushed(stream: NodeJS.WriteStream): Promise<void> {
  await new Promise<void>((resolve) => stream.write('', () => resolve()));
}

/**
 * Without HOME and without an entry in passwd, as a container's uid may be, `homedir()` throws, and libraries call it
 * while they are loaded. Container runtimes set / there.
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

/** Writes go on after one that failed. Not by its event alone: oclif has a listener that throws. */
function noteFailures(stream: NodeJS.WriteStream, note: (error: NodeJS.ErrnoException) => void): void {
  stream.on('error', note);
  const write = stream._write.bind(stream);
  stream._write = (chunk, encoding, done) =>
    write(chunk, encoding, (error) => {
      if (error) note(error);
      done();
    });
}

// A reader that went away, as `head` does, is no reason to complain: the exit code still tells what was found. A full disk
// is told at the end: what waits to take a change back has to go on.
noteFailures(process.stdout, (error) => {
  if (error.code !== 'EPIPE') unwritten ??= error;
});
noteFailures(process.stderr, () => undefined);
process.on('uncaughtException', fail);
// The event loop is empty and the command has not ended: a bug, which must not exit with 0.
process.on('beforeExit', () => {
  if (!ending) void fail(new Error('the command exited without a result'));
});
exitOnInterrupt();
assumeHome();

/** kubectl_complete-webhook starts with `__complete --`; the rest is the line to complete. */
async function run(): Promise<void> {
  if (argv[0] !== '__complete') return cli(argv, commandTable);
  const { completeLine } = await loadCompletion();
  await completeLine(argv.slice(2), commandTable);
}

// No await out here: the single executable is one CommonJS file.
run()
  .then(() => end(Number(process.exitCode ?? 0)))
  .catch(fail);
