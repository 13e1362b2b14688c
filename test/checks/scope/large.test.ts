import { expect } from 'chai';
import { runCheck } from '../../../src/diagnose/findings/run-check.ts';
import type { Snapshot } from '../../../src/facts/snapshot.ts';
import { largeScopes, scopeChecks } from './scopes.ts';

function findings(snapshot: Snapshot): number {
  const results = scopeChecks.flatMap((check) => runCheck(check, snapshot.facts));
  expect(results.filter(({ outcome }) => outcome === 'error')).to.deep.equal([]);
  return results.flatMap((result) => result.findings).length;
}

/** test/bench/model.ts measures the cost. */
describe('scope of 500 webhooks in 200 namespaces', () => {
  it('is evaluated if they match different resources', () => {
    expect(findings(largeScopes.mixed())).to.be.greaterThan(500);
  });

  it('is evaluated if each matches everything and depends on all others', () => {
    expect(findings(largeScopes.everything())).to.be.greaterThan(1000);
  });

  it('is evaluated if no relevant resource is matched', () => {
    expect(findings(largeScopes.nothing())).to.equal(0);
  });
});
