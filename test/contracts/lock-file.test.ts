import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { root } from '../../scripts/bundle.js';

interface Locked {
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const locked = Object.entries(
  JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages as Readonly<
    Record<string, Locked>
  >,
).filter(([folder]) => folder !== '');
const folders = new Set(locked.map(([folder]) => folder));
const fromNpm = locked.filter(([folder, { link }]) => folder.includes('node_modules/') && link !== true);

/** Licenses of build and test tools; those of shipped packages are in dependencies.test.ts. */
const free = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'PSF-2.0',
  'Python-2.0',
  'Unlicense',
];

/** Whether Node finds `name` from a package's folder. */
const resolves = (from: string, name: string): boolean =>
  folders.has(join(from, 'node_modules', name)) || (from !== '.' && resolves(dirname(from), name));

describe('package-lock.json', () => {
  it('has a hash for every package that npm downloads', () => {
    const loose = fromNpm.filter(
      ([, { version, integrity }]) => !version || !integrity?.startsWith('sha512-'),
    );
    expect(loose.map(([folder]) => folder)).to.deep.equal([]);
  });

  it('contains the packages of every platform', () => {
    const missing = locked.flatMap(([folder, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies })
        .filter((name) => !resolves(folder, name))
        .map((name) => `${folder} wants ${name}`),
    );
    expect(missing).to.deep.equal([]);
  });

  it('contains no package with a copyleft licence', () => {
    const others = fromNpm.filter(([, { license = '' }]) => {
      const alternatives = license.replaceAll(/[()]/g, '').split(' OR ');
      return !alternatives.some((one) => free.includes(one));
    });
    expect(others.map(([folder, { license }]) => `${folder}: ${license}`)).to.deep.equal([]);
  });

  it('lets no package run code at installation, except those that package.json allows', () => {
    const { allowScripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const scripted = fromNpm
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([folder]) => folder.replace(/^.*node_modules\//, ''));
    expect([...new Set(scripted)].filter((name) => !(name in allowScripts))).to.deep.equal([]);
  });
});
