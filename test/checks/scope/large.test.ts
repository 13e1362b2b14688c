import { expect } from 'chai';
import { inCatalogue } from '../../../src/checks/catalogue.ts';
import { namespaceOptedOut } from '../../../src/checks/scope/namespace-opted-out.ts';
import { runCheck } from '../../../src/diagnose/findings/run-check.ts';
import type { Snapshot } from '../../../src/facts/snapshot.ts';
import { healthy, namespace, objects, snapshotOf, webhook } from '../../support/snapshot.ts';
import { largeScopes, scopeChecks } from './scopes.ts';

function findings(snapshot: Snapshot): number {
  const results = scopeChecks.flatMap((check) => runCheck(check, snapshot.facts));
  expect(results.filter(({ outcome }) => outcome === 'error')).to.deep.equal([]);
  return results.flatMap((result) => result.findings).length;
}

/** Webhooks that share their requests, none of which is called in a namespace: each namespace opts out of all. */
const sharing = (webhooks: number, namespaces: number) =>
  healthy({
    callouts: Array.from({ length: webhooks }, (_, index) =>
      webhook({
        webhook: `w${index}.example.com`,
        index,
        namespaceSelector: {
          matchExpressions: [
            { key: 'ignore', operator: 'DoesNotExist' },
            { key: 'team', operator: 'NotIn', values: [`t${index}`] },
          ],
        },
      }),
    ),
    namespaces: objects(
      ...Array.from({ length: namespaces }, (_, index) => namespace(`n${index}`, { ignore: 'x', team: 'u' })),
    ),
  });

describe('namespaces that opt out of webhooks which share requests', () => {
  it('are found without a comparison of all webhooks in each', () => {
    const { facts } = snapshotOf(sharing(400, 2000));
    const results = runCheck(inCatalogue(namespaceOptedOut), facts);
    expect(results.flatMap((result) => result.findings)).to.have.length(400);
  }).timeout(8000);
});

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
