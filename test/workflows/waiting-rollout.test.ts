import { expect } from 'chai';
import { ready } from '../../src/demo/cluster/behaviour.ts';
import { installation } from '../../src/demo/cluster/installation.ts';
import { barePod, type WorkloadOver } from '../../src/demo/cluster/workload-manifests.ts';
import { mount } from '../incidents/states/parts.ts';
import { reportAbout } from '../scenarios/examine.ts';

/** The report about a webhook whose old Pod serves, and whose Deployment waits for this new Pod. */
const reportWith = (over: WorkloadOver) =>
  reportAbout({
    parts: [
      ...installation('rolling/policy', { deployment: { replicas: 1, pods: [ready], ...over } }),
      barePod('rolling/policy-7d9f8b6c5d-x7k2p', { labels: { app: 'policy' } }),
    ],
  });

describe('a rollout whose new Pod does not start, while the old one serves', () => {
  const cases: Readonly<Record<string, WorkloadOver>> = {
    'replica-volume-missing': mount('new-certificate'),
    'replica-unschedulable': { spec: { nodeSelector: { disk: 'none' } } },
  };
  for (const [check, over] of Object.entries(cases))
    it(`is a warning: ${check}`, async () => {
      const { callouts, findings } = await reportWith(over);
      expect(callouts[0]?.verdict.state).to.equal('healthy');
      const found = findings.find((finding) => finding.check === check);
      expect(found?.severity).to.equal('warning');
      expect(found?.message).to.match(/other Pods serve requests$/);
    });
});
