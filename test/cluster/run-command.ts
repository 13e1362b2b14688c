import { execFile } from 'node:child_process';

export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** True: the command writes to our standard error while it runs. */
  readonly loud?: boolean;
}

/** Runs a program and returns its standard output; the error of a failure has its standard error. */
export function run(command: string, args: readonly string[], options: CommandOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      command,
      [...args],
      {
        cwd: options.cwd,
        env: { ...process.env, ...options.env },
        maxBuffer: 64 * 1024 * 1024,
      },
      (error, stdout, stderr) => {
        if (error) reject(new Error(`${[command, ...args].join(' ')}: ${stderr.trim() || error.message}`));
        else resolve(stdout);
      },
    );
    if (options.loud) child.stderr?.pipe(process.stderr);
  });
}

/** As `run`, for clean-up: a failure is ignored, because the object may already be deleted. */
export async function attempt(command: string, ...args: string[]): Promise<string> {
  return run(command, args).catch(() => '');
}
