import { expect } from 'chai';
import { impactReport } from '../../../src/diagnose/verdict/impact-report.ts';
import { nothingRead } from '../../../src/facts/lookup.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { denied, event, maker, refused } from '../../checks/effect/failed-create-events.ts';
import { healthy, namespace, objects, service, snapshotOf, webhook } from '../../support/snapshot.ts';

const onPods = webhook({
  rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], scope: '*' }],
});
const report = (callout = onPods, over: Partial<Facts> = {}, isStuck = false) =>
  impactReport(
    callout,
    isStuck ? ['no-way-back'] : [],
    snapshotOf(healthy({ callouts: [callout], ...over })).facts,
  );

describe('the impact of a webhook that fails', () => {
  it('follows its rules, operation by operation', () => {
    expect(report().stops).to.deep.equal([{ what: 'new Pods', request: 'CREATE pods', which: 'all' }]);
    const leases = webhook({
      rules: [
        {
          operations: ['*'],
          apiGroups: ['coordination.k8s.io'],
          apiVersions: ['v1'],
          resources: ['leases'],
          scope: '*',
        },
      ],
    });
    expect(
      report(leases, { namespaces: objects(namespace(), namespace('kube-node-lease')) }).stops.map(
        ({ what }) => what,
      ),
    ).to.deep.equal(['heartbeats of nodes', 'leader election of the control plane']);
  });
  it('is only some objects if it selects by labels', () => {
    const some = { ...onPods, objectSelector: { matchLabels: { inject: 'yes' } } };
    expect(report(some).stops).to.deep.equal([{ what: 'new Pods', request: 'CREATE pods', which: 'some' }]);
  });
  it('counts the namespaces that its selector selects', () => {
    const some = { ...onPods, namespaceSelector: { matchLabels: { team: 'a' } } };
    const namespaces = objects(namespace(), namespace('a', { team: 'a' }), namespace('b'));
    expect(report(some, { namespaces }).namespaces).to.deep.equal({ covered: 1, total: 3 });
    const none = { ...onPods, namespaceSelector: { matchLabels: { team: 'nobody' } } };
    expect(report(none, { namespaces })).to.deep.include({ stops: [], namespaces: { covered: 0, total: 3 } });
  });
  it('reports what is blocked, that nothing is, and that it is unknown', () => {
    const held = refused([event()]);
    const other = report(webhook(), { ...held, callouts: held.callouts ?? [] });
    expect(other, 'a webhook that is not called for Pods').to.not.have.property('blocked');
    const [callout] = held.callouts ?? [];
    const facts = snapshotOf(healthy(held)).facts;
    expect(
      callout?.kind === 'validating' ? impactReport(callout, [], facts).blocked : undefined,
    ).to.deep.equal([{ object: 'Deployment orders/cart', missing: 2, since: '2025-12-31T23:00:00Z' }]);
    const well = snapshotOf(healthy(refused([event()], [maker({ status: { replicas: 3 } })]))).facts;
    expect(impactReport(onPods, [], well).blocked).to.deep.equal([]);
    const unread = { failedCreateEvents: nothingRead<never>({ what: 'events', why: 'not-requested' }) };
    expect(report(onPods, unread)).to.not.have.property('blocked');
  });
  it('counts Pods that it denies only if its denials are a fault', () => {
    const { facts } = snapshotOf(healthy(refused([event({ message: denied })])));
    const [callout] = facts.callouts;
    const blocked = (...implied: Parameters<typeof impactReport>[1]) =>
      callout?.kind === 'validating' ? impactReport(callout, implied, facts).blocked?.length : undefined;
    expect(blocked(), 'neither none nor some').to.equal(undefined);
    expect(blocked('refused-anyway')).to.equal(1);
  });
  it('reports whether its own Pods can be created again', () => {
    expect(report().comesBack).to.equal('no');
    expect(report(webhook())).to.include({
      comesBack: 'yes',
      comesBackBecause: 'its rules do not match them',
    });
    const elsewhere = { ...onPods, namespaceSelector: { matchLabels: { team: 'nobody' } } };
    expect(report(elsewhere).comesBackBecause).to.equal('its namespaceSelector excludes them');
    expect(report()).to.not.have.property('comesBackBecause');
    expect(report(webhook(), {}, true).comesBack).to.equal('no');
    expect(report(webhook({ client: { url: 'https://x.example/' } }))).to.not.have.property('comesBack');
    const { selector: _, ...spec } = service().spec;
    expect(report(onPods, { services: objects({ ...service(), spec }) })).to.not.have.property('comesBack');
  });
});
