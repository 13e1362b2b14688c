import type { Metafile } from 'esbuild';

export const root: string;
export const narrow: RegExp;
export function bundle(how: {
  readonly target: string;
  readonly banner?: string;
  readonly footer?: string;
}): Promise<{ readonly text: string; readonly metafile: Metafile }>;
