import { harmless } from '../render/harmless.ts';

interface Request {
  readonly method: string;
  readonly path: string;
  readonly status: number | undefined;
  readonly bytes: number;
  readonly milliseconds: number;
}

/** What `-v 6` prints to stderr for each request: `GET /api/v1/services 200 12 ms 340 B`. Holds no credential. */
export function requestLog(verbosity: number): ((request: Request) => void) | undefined {
  if (verbosity < 6) return undefined;
  return ({ method, path, status, bytes, milliseconds }) => {
    const outcome = status ?? 'no answer';
    process.stderr.write(
      `${method} ${harmless(path)} ${outcome} ${Math.round(milliseconds)} ms ${bytes} B\n`,
    );
  };
}
