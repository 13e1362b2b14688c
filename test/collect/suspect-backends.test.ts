import { expect } from 'chai';
import { backendsInQuestion } from '../../src/collect/suspect-backends.ts';
import { certificatesInQuestion } from '../../src/collect/suspect-certificates.ts';
import { failedWriterPods } from '../../src/collect/suspect-pods.ts';
import { complete } from '../../src/facts/lookup.ts';
import type { Facts } from '../../src/facts/snapshot.ts';
import { ended, refused, tried } from '../checks/probed.ts';
import { mounting } from '../checks/tls/serving.ts';
import { authority } from '../support/certificates.ts';
import { lists, pod, service, slice, snapshotOf, takenAt, webhook } from '../support/snapshot.ts';

describe('certificatesInQuestion', () => {
  const about = (caBundle: string, over: Partial<Facts> = {}) => {
    const callout = webhook({ client: { ...webhook().client, caBundle } });
    const facts: Partial<Facts> = {
      ...tried([refused], { facts: { callouts: [callout] } }),
      clock: { server: '2026-01-01T00:00:00Z', here: '2026-01-01T00:00:00Z' },
      ...over,
    };
    return certificatesInQuestion(snapshotOf(facts).facts, {
      chosen: [callout],
      topics: ['failures'],
      examineAll: false,
    });
  };

  it('contains the namespace of a backend that does not listen and has no caBundle', () => {
    expect(about('')).to.deep.equal(['shop']);
  });

  it('omits a backend that does not listen and has one', async () => {
    const { cert } = await authority({ cn: 'policy-ca' });
    expect(about(Buffer.from(cert).toString('base64'))).to.deep.equal([]);
  });

  it('contains that of a Ready Pod whose server has no certificate', async () => {
    const { cert } = await authority({ cn: 'policy-ca' });
    const none = tried([ended({ stage: 'tls', kind: 'alert', alert: 'internal error' })]);
    const probes = { probes: none.probes ?? complete([]) };
    expect(about(Buffer.from(cert).toString('base64'), probes)).to.deep.equal(['shop']);
  });

  for (const [name, ready, secretName, expected] of [
    ['contains the namespace of a running Pod that waits for its Secret', 'False', 'policy-tls', ['shop']],
    ['omits that of a Ready Pod', 'True', 'policy-tls', []],
    ['omits that of a Pod without a Secret for its certificate', 'False', undefined, []],
  ] as const)
    it(name, async () => {
      const { cert } = await authority({ cn: 'policy-ca' });
      const one = mounting();
      const pods = lists({
        'shop/policy': [
          {
            ...one,
            spec: secretName === undefined ? { ...one.spec, volumes: [] } : one.spec,
            status: { phase: 'Running' as const, conditions: [{ type: 'Ready', status: ready }] },
          },
        ],
      });
      expect(about(Buffer.from(cert).toString('base64'), { pods })).to.deep.equal(expected);
    });
});

describe('failedWriterPods', () => {
  const failed = (command: readonly string[]) => {
    const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'init', uid: 'j' };
    const state = { terminated: { exitCode: 1, reason: 'Error' } };
    return pod({
      metadata: { name: 'init-x2x4k', ownerReferences: [owner] },
      spec: { containers: [{ name: 'main', command }] },
      status: {
        phase: 'Failed',
        containerStatuses: [{ name: 'main', ready: false, restartCount: 0, state }],
      },
    });
  };
  const among = (command: readonly string[]) =>
    failedWriterPods({ namespacePods: lists({ shop: [failed(command)] }) }).length;

  it('contains that of a Job whose command writes a Secret', () => {
    expect(among(['./gen-admission-secret.sh', '--secret', 'policy'])).to.equal(1);
  });

  it('omits that of another Job', () => {
    expect(among(['./migrate.sh', '--database', 'policy'])).to.equal(0);
  });
});

describe('backendsInQuestion', () => {
  const ago = (minutes: number): string => new Date(Date.parse(takenAt) - minutes * 60_000).toISOString();
  const about = (created: number, changed: number | undefined, callout = webhook()) => {
    const annotations =
      changed === undefined ? {} : { 'endpoints.kubernetes.io/last-change-trigger-time': ago(changed) };
    const given = slice();
    const metadata = { ...given.metadata, creationTimestamp: ago(created), annotations };
    const { facts } = snapshotOf({
      callouts: [callout],
      services: complete([['shop/policy', service()]]),
      endpointSlices: complete([['shop/policy', [{ ...given, metadata }]]]),
    });
    const found = backendsInQuestion(facts, { chosen: [callout], topics: ['failures'], examineAll: false });
    return found.map(({ changedOnly }) => changedOnly);
  };

  it('contains a healthy backend whose Pods changed in the last hour', () => {
    expect(about(600, 20)).to.deep.equal([true]);
  });
  it('omits one whose Pods changed before', () => expect(about(600, 90)).to.deep.equal([]));
  it('omits one whose first Pods became Ready', () => expect(about(25, 24)).to.deep.equal([]));
  it('contains an injector whose first Pods became Ready: it may have missed others', () => {
    const pods = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };
    const injector = webhook({ kind: 'mutating', failurePolicy: 'Ignore', rules: [pods] });
    expect(about(25, 24, injector)).to.deep.equal([true]);
    expect(about(600, 90, injector)).to.deep.equal([]);
    expect(about(25, 24, { ...injector, failurePolicy: 'Fail' })).to.deep.equal([]);
  });
  it('omits one without a record of changes', () => expect(about(600, undefined)).to.deep.equal([]));
});
