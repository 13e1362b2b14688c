import { expect } from 'chai';
import { catalogue } from '../../../src/checks/catalogue.ts';
import { runCheck } from '../../../src/diagnose/run-check.ts';
import type { AdmissionCallout } from '../../../src/facts/callout.ts';
import type { Snapshot } from '../../../src/facts/snapshot.ts';
import {
  lists,
  namespace,
  objects,
  service,
  slice,
  snapshotOf,
  webhook,
  workload,
} from '../../support/snapshot.ts';
import { everything, leavingOut, rule } from './scopes.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const home = (index: number) => `team-${index % 200}`;
const scopes = [
  rule('pods'),
  rule('configmaps,secrets'),
  rule('*', { apiGroups: ['example.com'] }),
  everything,
];

/** Webhooks of 500 backends in 200 namespaces, each with a selector of its own; `rules` chooses what they cover. */
function large(rules: (index: number) => AdmissionCallout['rules']): Snapshot {
  const all = numbers(500).map((index) => ({ index, name: `guard-${index}`, namespace: home(index) }));
  return snapshotOf({
    callouts: all.map(({ index, name, namespace: at }) =>
      webhook({
        kind: index % 2 === 0 ? 'mutating' : 'validating',
        ref: { kind: 'ValidatingWebhookConfiguration', name, webhook: `${name}.example.com` },
        configuration: name,
        webhook: `${name}.example.com`,
        client: { service: { namespace: at, name, port: 443 } },
        rules: rules(index),
        ...leavingOut('kube-system', home(index), home(index * 7)),
      }),
    ),
    namespaces: objects(namespace('kube-system'), ...numbers(200).map((index) => namespace(home(index)))),
    services: objects(...all.map((at) => service({ selector: { app: at.name } }, at))),
    endpointSlices: lists(Object.fromEntries(all.map((at) => [`${at.namespace}/${at.name}`, [slice()]]))),
    workloads: lists(
      Object.fromEntries(
        numbers(200).map((index) => [
          home(index),
          all
            .filter((at) => at.namespace === home(index))
            .map((at) =>
              workload({
                metadata: at,
                spec: { template: { metadata: { labels: { app: at.name } }, spec: { containers: [] } } },
              }),
            ),
        ]),
      ),
    ),
  });
}

const scopeChecks = catalogue.filter(
  ({ meta }) =>
    meta.link === 'scope' || meta.id === 'timeout-budget-exceeded' || meta.id === 'policy-fails-open',
);

function findingsOf(snapshot: Snapshot): number {
  const results = scopeChecks.flatMap((check) => runCheck(check, snapshot));
  expect(results.filter(({ outcome }) => outcome === 'error')).to.deep.equal([]);
  return results.flatMap((result) => result.findings).length;
}

// Checks that look through all webhooks for each webhook do not end within mocha's timeout.
describe('scope of 500 webhooks in 200 namespaces', () => {
  it('is judged where they cover a bit of everything', () => {
    expect(findingsOf(large((index) => [scopes[index % scopes.length] ?? everything]))).to.be.greaterThan(
      500,
    );
  });

  it('is judged where each covers everything and needs all others', () => {
    expect(findingsOf(large(() => [everything]))).to.be.greaterThan(1000);
  });

  it('is judged where nothing is covered that matters', () => {
    expect(findingsOf(large(() => [rule('widgets', { apiGroups: ['example.com'] })]))).to.equal(0);
  });
});
