import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { renewRun } from '../../src/apiserver/cel/cost.ts';
import { cli, commandNamed } from '../../src/cli/cli.ts';
import { commandTable } from '../../src/cli/command-table.ts';
import { explainError } from '../../src/cli/explain-error.ts';
import { completeLine } from '../../src/commands/complete.ts';
import type { Ended } from './plugin.ts';

/** A stream that is not a terminal, and keeps what is written to it. */
class Collected extends Writable {
  readonly #chunks: Buffer[] = [];

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString();
  }
}

/** Gives `process` these properties; returns the function that restores the previous ones. */
function replaced(properties: Readonly<Partial<Record<keyof NodeJS.Process, unknown>>>): () => void {
  const previous = Object.keys(properties).map(
    (name) => [name, Object.getOwnPropertyDescriptor(process, name)] as const,
  );
  for (const [name, value] of Object.entries(properties))
    Object.defineProperty(process, name, { value, configurable: true, writable: true });
  return () => {
    for (const [name, descriptor = {}] of previous) Object.defineProperty(process, name, descriptor);
  };
}

/** Makes `performance.now()` count from now: the time limit of a run counts from the start of its process. */
function restartClock(): () => void {
  const { now } = performance;
  const began = now.call(performance);
  performance.now = () => now.call(performance) - began;
  return () => {
    performance.now = now;
  };
}

/** Replaces all environment variables. The object stays the same: libuv reads HOME from the process. */
function setEnvironment(variables: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, variables);
}

async function runAlone(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  const { PATH = '', TMPDIR } = process.env;
  const [before, exitCode, atExit] = [{ ...process.env }, process.exitCode, process.listeners('exit')];
  const [stdout, stderr] = [new Collected(), new Collected()];
  const restore = replaced({ stdout, stderr, stdin: Readable.from([]) });
  const restoreClock = restartClock();
  const home = mkdtempSync(join(tmpdir(), 'kubectl-webhook-home-'));
  setEnvironment({ PATH, HOME: home, LANG: 'C.UTF-8', ...(TMPDIR === undefined ? {} : { TMPDIR }), ...env });
  process.exitCode = undefined;
  renewRun();
  try {
    if (args[0] === '__complete') await completeLine(args.slice(2), commandTable);
    else await cli(args, commandTable);
    return { code: Number(process.exitCode ?? 0), stdout: stdout.text(), stderr: stderr.text() };
  } catch (error) {
    const ending = explainError(error, commandNamed(commandTable, args[0])?.name, false);
    return { code: ending.exitCode, stdout: stdout.text(), stderr: stderr.text() + ending.text };
  } finally {
    process.exitCode = exitCode;
    for (const listener of process.listeners('exit'))
      if (!atExit.includes(listener)) process.off('exit', listener);
    setEnvironment(before);
    restore();
    restoreClock();
  }
}

let latest: Promise<unknown> = Promise.resolve();

/**
 * Like `plugin`, in the process of the test: a fifth of the processor time of the executable. For cases about
 * what a command reads, decides and prints; those about standard input, signals and the process itself run
 * the executable, and so does at least one case of each command. Runs follow each other.
 */
export function inProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const run = latest.then(() => runAlone(args, env));
  latest = run.catch(() => undefined);
  return run;
}
