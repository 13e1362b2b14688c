import { expect } from 'chai';
import { inCatalogue } from '../../src/checks/catalogue.ts';
import { caBundleEmpty } from '../../src/checks/tls/ca-bundle/ca-bundle-empty.ts';
import { caBundleExpired } from '../../src/checks/tls/ca-bundle/ca-bundle-expired.ts';
import { staleCaBundle } from '../../src/checks/tls/ca-bundle/stale-ca-bundle.ts';
import { servingCertificateExpired } from '../../src/checks/tls/certificate/serving-certificate-expired.ts';
import { servingCertificateNameMismatch } from '../../src/checks/tls/certificate/serving-certificate-name-mismatch.ts';
import { servingCertificateWrongUsage } from '../../src/checks/tls/certificate/serving-certificate-wrong-usage.ts';
import { buildReport } from '../../src/diagnose/build-report.ts';
import { anchor, inDays } from '../checks/tls/bundles.ts';
import { type Issued, issued, served } from '../checks/tls/serving.ts';
import { snapshotOf } from '../support/snapshot.ts';

const checks = [
  caBundleEmpty,
  caBundleExpired,
  servingCertificateExpired,
  servingCertificateNameMismatch,
  servingCertificateWrongUsage,
  staleCaBundle,
].map(inCatalogue);
const elsewhere = { names: [{ dns: 'other.example.com' }] };
const expired = { notAfter: inDays(-1) };

/** The causes, in order, of a webhook with this caBundle whose two replicas present these chains. */
function causes(bundle: string, one: Issued, two = one): readonly string[] {
  const facts = served(bundle, [{ presented: one.presented }, { presented: two.presented }]);
  const snapshot = snapshotOf(facts);
  const { callouts } = buildReport(snapshot, snapshot.facts.callouts, checks);
  return callouts[0]?.verdict.because ?? [];
}

describe('several TLS problems are in the order in which the API server reports them', () => {
  const old = anchor(-300, -1, { subject: { cn: 'old-ca' } });

  it('the name before an empty caBundle', () => {
    expect(causes('', issued({ server: elsewhere }))).to.deep.equal([
      'serving-certificate-name-mismatch',
      'ca-bundle-empty',
    ]);
  });

  it('the dates, then the name, then an empty caBundle', () => {
    expect(causes('', issued({ server: { ...elsewhere, ...expired } }))).to.deep.equal([
      'serving-certificate-expired',
      'serving-certificate-name-mismatch',
      'ca-bundle-empty',
    ]);
  });

  it('the dates of a link that the server presents before an empty caBundle', () => {
    expect(causes('', issued({ intermediate: expired }, 1))).to.deep.equal([
      'serving-certificate-expired',
      'ca-bundle-empty',
    ]);
    expect(causes('', issued({}, 1))).to.deep.equal(['ca-bundle-empty']);
  });

  it('the name before a caBundle that expired', () => {
    expect(causes(old, issued({ server: elsewhere }))).to.deep.equal([
      'serving-certificate-name-mismatch',
      'ca-bundle-expired',
      'stale-ca-bundle',
    ]);
  });

  it('an expired caBundle before what only it can sign', () => {
    expect(causes(old, issued())).to.deep.equal(['ca-bundle-expired', 'stale-ca-bundle']);
  });

  it('an expired caBundle first, if one replica has the right name', () => {
    expect(causes(old, issued({ server: elsewhere }), issued())[0]).to.equal('ca-bundle-expired');
  });
});
