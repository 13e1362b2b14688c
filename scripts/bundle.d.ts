import type { BuildOptions, BuildResult, Metafile } from 'esbuild';

export const root: string;
export function bundle(how: BuildOptions): Promise<BuildResult & { readonly metafile: Metafile }>;
