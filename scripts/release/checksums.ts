import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { homebrewFormula } from './homebrew-formula.ts';
import { krewManifest, type Released } from './krew-manifest.ts';
import { archiveName, platforms } from './platforms.ts';

/** Writes what contains the checksums of the archives in `dist`: sha256sums.txt, the formula, the krew manifest. */
export function writeChecksums(dist: string, manifest: string): void {
  const released = platforms.map(
    (platform): Released => ({
      platform,
      sha256: createHash('sha256')
        .update(readFileSync(join(dist, archiveName(platform))))
        .digest('hex'),
    }),
  );
  const sums = released.map(({ platform, sha256 }) => `${sha256}  ${archiveName(platform)}\n`);
  writeFileSync(join(dist, 'sha256sums.txt'), sums.join(''));
  writeFileSync(join(dist, 'kubectl-webhook.rb'), homebrewFormula(released));
  writeFileSync(manifest, krewManifest(released));
}
