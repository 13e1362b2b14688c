import { spawn } from 'node:child_process';
import { waitFor } from '../cluster/wait.ts';
import { processorTime } from './measure.ts';

/** Minimum seconds between two runs of `--watch`. */
const interval = 5;

/** The requests to the API server, and the processor time of a run. */
interface Cost {
  readonly requests: number;
  readonly bytes: number;
  /** Milliseconds on processors. */
  readonly processor: number;
}

/** The cost of a watch on an idle cluster: its first run, and each later interval of five seconds. */
export interface WatchCost {
  readonly full: Cost;
  readonly each: Cost;
}

/** A watch is one request, whose bytes are logged when it ends; without changes there are none. */
const requestLine = /^(?:GET|POST) (?!\S*[?&]watch=true)\S+ \d+ .*?(\d+) B$/gm;

/**
 * Runs `command`, which must watch with `-v 6`, on an idle cluster, until the second run (a minute after the
 * first) has ended.
 */
export async function watchCost(command: readonly string[], env: NodeJS.ProcessEnv): Promise<WatchCost> {
  const [file = '', ...args] = command;
  const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  const cost = (): Cost => {
    const lines = [...stderr.matchAll(requestLine)];
    return {
      requests: lines.length,
      bytes: lines.reduce((sum, [, bytes]) => sum + Number(bytes), 0),
      processor: processorTime(child.pid ?? 0),
    };
  };
  /** No processor time in two seconds. */
  const quiet = async (): Promise<Cost> => {
    let before = -1;
    return await waitFor(
      'doctor to be quiet',
      () => {
        const now = cost();
        const isQuiet = now.processor - before < 20;
        before = now.processor;
        return isQuiet && now;
      },
      { timeout: 120_000, interval: 2000 },
    );
  };
  try {
    await waitFor('the first look', () => stdout !== '', { timeout: 120_000 });
    const full = await quiet();
    const began = Date.now();
    await waitFor('the second look', () => Date.now() - began > 62_000, { timeout: 90_000 });
    const after = await quiet();
    const intervals = (Date.now() - began) / 1000 / interval;
    return {
      full,
      each: {
        requests: (after.requests - full.requests) / intervals,
        bytes: (after.bytes - full.bytes) / intervals,
        processor: (after.processor - full.processor) / intervals,
      },
    };
  } finally {
    child.kill('SIGINT');
  }
}
