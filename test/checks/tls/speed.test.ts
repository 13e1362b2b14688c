import { expect } from 'chai';
import type { Check } from '../../../src/checks/check.ts';
import { caBundleEmpty } from '../../../src/checks/tls/ca-bundle-empty.ts';
import { caBundleExpired } from '../../../src/checks/tls/ca-bundle-expired.ts';
import { caBundleExpiring } from '../../../src/checks/tls/ca-bundle-expiring.ts';
import { caBundleInvalid } from '../../../src/checks/tls/ca-bundle-invalid.ts';
import { runCheck } from '../../../src/diagnose/run-check.ts';
import { testKey } from '../../oracle/certificate/test-key.ts';
import { snapshotOf, webhook } from '../../support/snapshot.ts';
import { anchor, encoded } from './bundles.ts';

const checks = [
  caBundleInvalid,
  caBundleEmpty,
  caBundleExpired,
  caBundleExpiring,
] as unknown as readonly Check[];

describe('caBundles of 1000 webhooks, each another one', () => {
  it('are judged', () => {
    const service = { namespace: 'shop', name: 'policy', port: 443 };
    const key = testKey('rsa2048');
    const callouts = Array.from({ length: 1000 }, (_, at) => {
      const caBundle = encoded(anchor(-10, 300, { key, serial: BigInt(at) }));
      return webhook({ index: at, client: { service, caBundle } });
    });
    const snapshot = snapshotOf({ callouts });
    const results = checks.flatMap((check) => runCheck(check, snapshot));
    expect(results.map(({ outcome }) => outcome)).to.deep.equal(checks.map(() => 'pass'));
  }).timeout(30_000);
});
