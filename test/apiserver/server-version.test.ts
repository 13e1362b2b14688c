import { expect } from 'chai';
import { behaves, minorVersion, testedMinors, versionText } from '../../src/apiserver/server-version.ts';
import { recordedAgreements } from '../oracle/agreement.ts';

describe('the version of an API server', () => {
  for (const [version, minor] of [
    ['v1.35.4', 35],
    ['v1.33.5-gke.1080000', 33],
    ['v1.33.5-eks-113cf36', 33],
    ['v1.34.2+k3s1', 34],
    ['v1.32.9+rke2r1', 32],
    ['v1.31.9-rancher1-1', 31],
    ['v1.30.14+abcdef0', 30],
    ['v1.38.0-alpha.0', 38],
    ['1.29+', 29],
    [undefined, undefined],
    ['unknown', undefined],
  ] as const) {
    it(`${version} is of minor ${minor}`, () => expect(minorVersion(version)).to.equal(minor));
  }

  for (const [version, named] of [
    ['v1.29.14', false],
    ['v1.29.15', true],
    ['v1.30.10-eks-1', false],
    ['v1.30.11-eks-1', true],
    ['v1.31.6', false],
    ['v1.31.7', true],
    ['v1.32.0', true],
    ['v1.28.15', false],
    ['1.30+', true],
    [undefined, true],
  ] as const) {
    it(`${version} ${named ? 'has' : 'lacks'} what patch releases of older minors got, too`, () =>
      expect(behaves(version, 'duplicate-extension-named')).to.equal(named));
  }

  it('is unknown if it was not read', () => {
    expect(versionText('v1.35.4')).to.equal('v1.35.4');
    expect(versionText('v1.24.17-eks-1')).to.equal('v1.24.17-eks-1 (not tested: older than 1.29)');
    expect(versionText('v1.99.0')).to.match(/ \(not tested: newer than 1\.\d+\)$/);
    const asked = recordedAgreements().map(({ version }) => minorVersion(version));
    expect(testedMinors).to.deep.equal({
      oldest: Math.min(...(asked as number[])),
      newest: Math.max(...(asked as number[])),
    });
  });
});
