import { expect } from 'chai';
import { noReadyEndpoint } from '../../../src/checks/backend/no-ready-endpoint.ts';
import { catalogue, inCatalogue } from '../../../src/checks/catalogue.ts';
import { isExplainedBy } from '../../../src/checks/check.ts';
import { buildReport } from '../../../src/diagnose/build-report.ts';
import type { Pod } from '../../../src/facts/objects/pod.ts';
import { snapshotOf, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { ago, as, beside, event, events, only, status, unready, waiting } from './replicas.ts';

const crashing = waiting('CrashLoopBackOff', 'back-off 20s', {
  restartCount: 4,
  lastState: { terminated: { exitCode: 1, reason: 'Error' } },
});
const notReady = unready({
  status: {
    phase: 'Running',
    containerStatuses: [status({ started: true, state: { running: { startedAt: ago(300) } } })],
  },
});
const mounting = events(
  event('FailedMount', 'MountVolume.SetUp failed for volume "certs" : secret "x" not found'),
);

const broken = [
  { check: 'replica-crash-looping', facts: only([crashing]) },
  { check: 'replica-image-pull-failing', facts: only([waiting('ImagePullBackOff', 'Back-off')]) },
  { check: 'replica-volume-missing', facts: only([waiting('ContainerCreating')], mounting) },
  {
    check: 'replica-config-error',
    facts: only([waiting('CreateContainerConfigError', 'secret "x" not found')]),
  },
  { check: 'replica-readiness-failing', facts: only([notReady]) },
  { check: 'replica-evicted', facts: only([unready({ status: { phase: 'Failed', reason: 'Evicted' } })]) },
  {
    check: 'replica-terminating-stuck',
    facts: only([as(unready(), { deletionTimestamp: ago(900), finalizers: ['x'] })]),
  },
];
const verdictOf = (facts: Parameters<typeof snapshotOf>[0]) => {
  const callout = webhook();
  const report = buildReport(snapshotOf(facts), [callout], catalogue);
  return { verdict: report.callouts[0]?.verdict, findings: report.findings };
};

describe('the effect of a bad replica on the next call', () => {
  for (const { check, facts } of broken) {
    it(`${check} is the cause if no other replica responds, and the missing endpoint is its consequence`, () => {
      const { verdict, findings } = verdictOf(facts);
      expect(verdict?.state).to.equal('failing');
      expect(verdict?.because[0]).to.equal(check);
      expect(verdict?.link).to.equal('replica');
      expect(findings.find((finding) => finding.check === 'no-ready-endpoint')?.causedBy).to.equal(check);
    });

    it(`${check} is a warning without an effect on calls while others respond`, () => {
      const [bad] = [...(facts.pods?.all() ?? [])].flat();
      if (bad === undefined) throw new Error('a case needs a Pod');
      const { verdict, findings } = verdictOf(
        beside([bad], check === 'replica-volume-missing' ? mounting : {}),
      );
      expect(verdict?.state).to.equal('healthy');
      expect(findings.find((finding) => finding.check === check)?.severity).to.equal('warning');
    });
  }

  it('a Pod on a node is the cause before one that no node accepts: that one would fail in the same way', () => {
    const pulling = waiting('ImagePullBackOff', 'Back-off');
    const { nodeName: _none, ...spec } = unready().spec;
    const message = "0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules.";
    const pending = {
      ...unready(),
      spec,
      status: {
        phase: 'Pending',
        conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
      },
    } satisfies Pod;
    expect(verdictOf(only([pending, pulling])).verdict?.because.slice(0, 2)).to.deep.equal([
      'replica-image-pull-failing',
      'replica-unschedulable',
    ]);
  });

  for (const mode of ['cluster-ip', 'endpoints'] as const) {
    it(`remains failing, without a reason, if only Services and slices were read (${mode})`, () => {
      const nothing = forbidden<never>();
      const { verdict } = verdictOf({
        ...only([crashing]),
        pods: nothing,
        endpointPods: nothing,
        workloads: nothing,
        events: nothing,
        nodes: nothing,
        secrets: nothing,
        logs: nothing,
        routing: { mode },
      });
      expect(verdict?.state).to.equal('failing');
      expect(verdict?.because).to.deep.equal(['no-ready-endpoint']);
      expect(verdict?.link).to.equal('backend');
    });
  }

  it('is explained by every check of backend and replica that can leave no endpoint', () => {
    const others = catalogue
      .filter(({ meta }) => meta.link === 'replica' && meta.id.startsWith('replica-'))
      .filter((check) => !isExplainedBy(inCatalogue(noReadyEndpoint), check));
    expect(others).to.deep.equal([]);
  });
});
