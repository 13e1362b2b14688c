import { expect } from 'chai';
import { leafDigest } from '../../../../src/apiserver/patch/leaves.ts';
import { probe } from '../../../../src/collect/probes/probe.ts';
import { calloutId } from '../../../../src/facts/callout.ts';
import { complete } from '../../../../src/facts/lookup.ts';
import { recordedProber } from '../../../support/recorded-prober.ts';
import { healthy, snapshotOf, webhook } from '../../../support/snapshot.ts';

const configMaps = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  singular: 'configmap',
  namespaced: true,
  verbs: ['create', 'list'],
};
const callout = webhook({
  kind: 'mutating',
  rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
});

/** The dry run of a mutating webhook, after which the API server has this object. */
async function dryRunWith(object: object) {
  const { facts } = snapshotOf({
    ...healthy({ callouts: [callout] }),
    served: complete([['served', { resources: [configMaps], stale: [] }]]),
  });
  const body = Buffer.from(JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', ...object }));
  const prober = recordedProber({ dryRun: () => ({ status: 201, headers: {}, body }) });
  const { probes } = await probe(prober, facts, [callout], { level: 'review' });
  return probes.get(calloutId(callout))?.dryRun;
}

describe('the object after a dry run', () => {
  it('is kept as digests of its values', async () => {
    const dryRun = await dryRunWith({ metadata: { labels: { tier: 'gold' } } });
    expect(dryRun?.result).to.include(leafDigest('metadata.labels.tier', '"gold"'));
    expect(JSON.stringify(dryRun)).to.not.include('gold');
  });
  it('is kept without variables, arguments, data and annotations', async () => {
    const web = { name: 'web', env: [{ name: 'TOKEN', value: 'hunter2' }], args: ['--token=hunter2'] };
    const nameless = [{ env: [{ name: 'TOKEN', value: 'hunter2' }] }];
    const dryRun = await dryRunWith({
      data: { a: 'hunter2' },
      stringData: { a: 'hunter2' },
      binaryData: { a: 'aHVudGVyMg==' },
      metadata: { annotations: { 'example.com/token': 'hunter2' } },
      spec: { containers: [web], templates: nameless },
    });
    // apiVersion, kind, and the name of the container.
    expect(dryRun?.result).to.have.length(3);
  });
  it('is kept up to a limit', async () => {
    const labels = Object.fromEntries(Array.from({ length: 5000 }, (_, number) => [`l${number}`, 'x']));
    expect((await dryRunWith({ metadata: { labels } }))?.result).to.have.length(1000);
  });
});
