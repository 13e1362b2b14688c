import { expect } from 'chai';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import { type AdmissionCallout, calloutId } from '../../src/facts/callout.ts';
import { complete } from '../../src/facts/lookup.ts';
import { attachRemedies } from '../../src/workflows/attach-remedies.ts';
import { healthy, snapshotOf, webhook } from '../support/snapshot.ts';

const served = complete([['served', { resources: [], stale: [] }] as const]);
const first = webhook();
const second = webhook({ webhook: 'quota.example.com', index: 1 });

/** The commands that fail open, if the check reports these webhooks of the cluster. */
function failopens(reported: readonly AdmissionCallout[], callouts = [first, second]): readonly string[] {
  const findings = reported.map((callout) => ({
    id: `no-ready-endpoint:${calloutId(callout)}`,
    check: 'no-ready-endpoint',
    link: 'backend',
    severity: 'error',
    consequence: 'failing',
    advice: { text: '', placeholders: [] },
    evidence: [],
    callout: calloutId(callout),
    subject: callout.ref,
  }));
  const verdict = { state: 'failing', because: ['no-ready-endpoint'] };
  const report = {
    callouts: reported.map((callout) => ({ ...callout, verdict })),
    findings,
    stories: [],
    notLookedAt: [],
  } as unknown as DoctorReport;
  const facts = healthy({ callouts, served });
  return attachRemedies(report, snapshotOf(facts), { isUnfiltered: true, sameCluster: '' })
    .findings.flatMap(({ remedies }) => remedies)
    .filter(({ firstAid }) => firstAid)
    .map(({ command }) => command.text);
}

describe('the command that fails open', () => {
  it('names the configuration once if the check reports all its webhooks', () => {
    const whole = 'kubectl webhook failopen policy --for 30m';
    expect(failopens([first, second])).to.deep.equal([whole, whole]);
  });

  it('names the webhook if another one of the configuration works', () => {
    expect(failopens([first])).to.deep.equal([
      'kubectl webhook failopen policy/policy.example.com --for 30m',
    ]);
  });
});
