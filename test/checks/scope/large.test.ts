import { expect } from 'chai';
import { runCheck } from '../../../src/diagnose/run-check.ts';
import type { Snapshot } from '../../../src/facts/snapshot.ts';
import { largeScopes, scopeChecks } from './scopes.ts';

function findings(snapshot: Snapshot): number {
  const results = scopeChecks.flatMap((check) => runCheck(check, snapshot.facts));
  expect(results.filter(({ outcome }) => outcome === 'error')).to.deep.equal([]);
  return results.flatMap((result) => result.findings).length;
}

/** What it costs is measured by test/bench/model.ts. */
describe('scope of 500 webhooks in 200 namespaces', () => {
  it('is judged where they cover a bit of everything', () => {
    expect(findings(largeScopes.mixed())).to.be.greaterThan(500);
  });

  it('is judged where each covers everything and needs all others', () => {
    expect(findings(largeScopes.everything())).to.be.greaterThan(1000);
  });

  it('is judged where nothing is covered that matters', () => {
    expect(findings(largeScopes.nothing())).to.equal(0);
  });
});
