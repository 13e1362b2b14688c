import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { bundle, root } from '../../scripts/bundle.js';
import { packedManifest } from '../../scripts/packed-manifest.js';
import { billOfMaterials } from '../../scripts/release/bill-of-materials.ts';
import { platforms } from '../../scripts/release/platforms.ts';
import { type ShippedPackage, shippedPackages } from '../../scripts/shipped-packages.js';
import { billOfMaterialsErrors } from '../support/cyclone-dx.ts';

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

interface Bill {
  readonly components: readonly {
    readonly name: string;
    readonly 'bom-ref': string;
    readonly hashes?: readonly object[];
  }[];
}

/** Licenses of dependencies that may be shipped under Apache-2.0. */
const allowed = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'Python-2.0',
];

describe('docs/decisions/dependencies.md', () => {
  const page = readFileSync(join(root, 'docs', 'decisions', 'dependencies.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([^`]+)` \| (.+) \|\r?$/gm)];

  it('has the reason for each direct dependency, and for nothing else', () => {
    const direct = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(rows.map(([, name]) => name)).to.have.members(direct);
  });

  it('in one line each', () => {
    for (const [, name, reason = ''] of rows) expect(reason.trim().length, name).to.be.within(10, 160);
  });
});

describe('the released package', () => {
  let packages: readonly ShippedPackage[] = [];
  before(async () => {
    const { metafile } = await bundle({ target: 'node20' });
    packages = shippedPackages(metafile);
  });

  it('has acceptable licences, and includes their texts', () => {
    expect(packages.length).to.be.greaterThan(10);
    for (const { name, licence, text } of packages) {
      const alternatives = licence.replaceAll(/[()]/g, '').split(' OR ');
      expect(
        alternatives.some((one) => allowed.includes(one)),
        `${name}: ${licence}`,
      ).to.equal(true);
      expect(text.length, `${name} has no text of its licence`).to.be.greaterThan(100);
    }
  });

  it('has a bill of materials that is valid by the schema of CycloneDX', () => {
    for (const platform of platforms) {
      const bill = JSON.parse(billOfMaterials(packages, platform)) as Bill;
      expect(billOfMaterialsErrors(bill), platform.nodePackage).to.deep.equal([]);
      expect(bill.components.map(({ name }) => name)).to.have.members([
        platform.nodePackage,
        ...packages.map(({ name }) => name),
      ]);
      for (const { name, hashes = [] } of bill.components)
        expect(hashes, `${name} has no hash`).to.have.length(1);
      const references = bill.components.map((component) => component['bom-ref']);
      expect(new Set(references).size).to.equal(references.length);
    }
  });

  it('has no wrong entry that the schema accepts', () => {
    const [platform] = platforms;
    if (platform === undefined) throw new Error('no platform');
    const bill = JSON.parse(billOfMaterials(packages, platform)) as Bill;
    const [first] = bill.components;
    for (const wrong of [
      { ...bill, specVersion: 1.6 },
      { ...bill, components: [{ ...first, licenses: [{ license: { id: 'Nobody-1.0' } }] }] },
      { ...bill, components: [{ ...first, hashes: [{ alg: 'SHA-512', content: 'short' }] }] },
      { ...bill, components: [first, first] },
    ])
      expect(billOfMaterialsErrors(wrong)).to.not.deep.equal([]);
  });

  it('contains every dependency of the program, and no development tool', () => {
    const names = packages.map(({ name }) => name);
    expect(names).to.include.members(Object.keys(manifest.dependencies));
    expect(names.filter((name) => name in manifest.devDependencies)).to.deep.equal([]);
  });

  it('needs no package and no script at installation with npm', () => {
    const packed = packedManifest(manifest);
    expect(packed).to.not.have.any.keys(
      'private',
      'scripts',
      'dependencies',
      'devDependencies',
      'optionalDependencies',
    );
    expect(packed.bin).to.deep.equal({
      'kubectl-webhook': 'bin/start.js',
      'kubectl_complete-webhook': 'bin/complete.js',
    });
  });
});
