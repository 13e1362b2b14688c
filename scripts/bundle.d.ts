import type { BuildOptions, Metafile } from 'esbuild';

export const root: string;
export const narrow: RegExp;
export function bundle(how: BuildOptions): Promise<{ readonly text: string; readonly metafile: Metafile }>;
