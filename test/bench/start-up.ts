import { spawn } from 'node:child_process';
import { run } from './measure.ts';

/** Milliseconds until a program on a terminal prints something. */
function firstByte(command: readonly string[]): Promise<number> {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    // script(1) creates the terminal without a width, and a program without a width shows no progress.
    const line = `stty cols 100 rows 30; exec ${command.map((word) => `'${word}'`).join(' ')}`;
    const child = spawn('script', ['-qec', line, '/dev/null'], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, CI: '', TERM: 'xterm', SHELL: '/bin/sh' },
    });
    child.stdout.once('data', () => resolve(performance.now() - start));
    child.stdout.resume();
    child.on('error', reject);
    child.on('close', () => reject(new Error(`${command.join(' ')} showed nothing`)));
  });
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Times of the plugin divided by those of `kubectl version --client`, run alternately; medians. */
export interface StartUp {
  /** `--help`, from start to end. */
  readonly help: number;
  /** The first byte of doctor's progress on a terminal, relative to the first byte of kubectl. */
  readonly doctor: number;
}

/** Measures how the plugin starts, `rounds` times. `kubeconfig` leads to a cluster that answers. */
export async function startUp(
  plugin: string,
  kubectl: string,
  kubeconfig: string,
  rounds: number,
): Promise<StartUp> {
  const version = [kubectl, 'version', '--client'];
  const times: Record<'kubectl' | 'help' | 'shown' | 'doctor', number[]> = {
    kubectl: [],
    help: [],
    shown: [],
    doctor: [],
  };
  for (let round = 0; round < rounds; round += 1) {
    times.kubectl.push((await run(version)).milliseconds);
    times.help.push((await run([plugin, '--help'])).milliseconds);
    times.shown.push(await firstByte(version));
    times.doctor.push(await firstByte([plugin, 'doctor', '--kubeconfig', kubeconfig]));
  }
  return {
    help: median(times.help) / median(times.kubectl),
    doctor: median(times.doctor) / median(times.shown),
  };
}
