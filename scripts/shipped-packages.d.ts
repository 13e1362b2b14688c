import type { Metafile } from 'esbuild';

export interface ShippedPackage {
  /** Relative to the repository: `node_modules/yaml`. */
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  /** SPDX expression. */
  readonly licence: string;
  readonly text: string;
}

export function shippedPackages(metafile: Metafile): readonly ShippedPackage[];
export function licencesFile(packages: readonly Omit<ShippedPackage, 'folder'>[]): string;
