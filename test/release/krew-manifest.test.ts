import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { krewManifest } from '../../scripts/release/krew-manifest.ts';
import { archiveName, platforms } from '../../scripts/release/platforms.ts';
import { about } from '../../scripts/release/project.ts';

const committed = readFileSync(
  join(import.meta.dirname, '..', '..', 'krew-manifest.yaml'),
  'utf8',
).replaceAll('\r\n', '\n');
const sums = [...committed.matchAll(/^ *sha256: ([0-9a-f]{64})$/gm)].map(([, sum = '']) => sum);

describe('krew-manifest.yaml', () => {
  it('is what the release writes for these hashes', () => {
    const released = platforms.map((platform, index) => ({ platform, sha256: sums[index] ?? '' }));
    expect(committed, 'run "npm run release" and commit the result').to.equal(krewManifest(released));
  });

  it('has one address and one hash per platform, all different', () => {
    expect(new Set(sums).size).to.equal(platforms.length);
    expect([...committed.matchAll(/^ *(?:- )?uri: /gm)]).to.have.length(platforms.length);
  });

  it('follows the rules of krew', () => {
    const { apiVersion, kind, metadata, spec } = parse(committed);
    expect({ apiVersion, kind, metadata }).to.deep.equal({
      apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
      kind: 'Plugin',
      metadata: { name: 'webhook' },
    });
    expect(spec.version).to.equal(`v${about.version}`);
    expect(spec.shortDescription).to.match(/^.{1,50}$/);
    for (const [index, { uri, selector, files, bin }] of spec.platforms.entries()) {
      const platform = platforms[index];
      if (platform === undefined) throw new Error('a platform too many');
      expect(uri).to.match(/^https:\/\/github\.com\/[^\s]+\/releases\/download\/v\d+\.\d+\.\d+\/[^/]+$/);
      expect(uri.endsWith(`/${archiveName(platform)}`)).to.equal(true);
      expect(selector).to.deep.equal({ matchLabels: { os: platform.os, arch: platform.arch } });
      expect(files).to.deep.include({ from: bin, to: '.' });
      expect(files).to.deep.include({ from: 'LICENSE', to: '.' });
    }
  });
});
