import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface Run {
  /** Wall time, milliseconds. */
  readonly milliseconds: number;
  /** Highest resident memory, MiB: VmHWM of the process, read until it ends. */
  readonly mebibytes: number;
  /** Time on processors, user and system, of all threads: as precise as the kernel's ticks of 10 ms. */
  readonly processorMilliseconds: number;
  readonly exitCode: number | null;
  readonly stderr: string;
}

const highWater = (pid: number): number => {
  try {
    const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kilobytes ?? 0) / 1024;
  } catch {
    return 0;
  }
};

/** Ticks of 10 ms in user and system mode (proc(5), fields 14 and 15). */
export const processorTime = (pid: number): number => {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return 0;
  }
};

/** Runs a command and discards its output. */
export function run(command: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<Run> {
  const [file = '', ...args] = command;
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let mebibytes = 0;
    let processorMilliseconds = 0;
    let stderr = '';
    child.stdout.resume();
    child.stderr.on('data', (chunk) => {
      stderr += String(chunk);
    });
    const sampling = setInterval(() => {
      if (child.pid === undefined) return;
      mebibytes = Math.max(mebibytes, highWater(child.pid));
      processorMilliseconds = Math.max(processorMilliseconds, processorTime(child.pid));
    }, 5);
    child.on('error', reject);
    child.on('close', (exitCode) => {
      clearInterval(sampling);
      const milliseconds = performance.now() - start;
      resolve({ milliseconds, mebibytes, processorMilliseconds, exitCode, stderr });
    });
  });
}

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/**
 * Runs the commands alternately, `rounds` times, so that other load affects them equally. Returns medians.
 */
export async function interleaved<Name extends string>(
  commands: Readonly<Record<Name, () => Promise<Run>>>,
  rounds: number,
): Promise<Readonly<Record<Name, { readonly milliseconds: number; readonly mebibytes: number }>>> {
  const names = Object.keys(commands) as Name[];
  const runs = new Map<Name, Run[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) runs.get(name)?.push(await commands[name]());
  }
  return Object.fromEntries(
    names.map((name) => {
      const all = runs.get(name) ?? [];
      return [
        name,
        {
          milliseconds: median(all.map((one) => one.milliseconds)),
          mebibytes: median(all.map((one) => one.mebibytes)),
        },
      ];
    }),
  ) as Record<Name, { milliseconds: number; mebibytes: number }>;
}
