import { expect } from 'chai';
import type { Severity } from '../../src/checks/chain.ts';
import { exitCode } from '../../src/cli/exit-code.ts';
import type { CalloutState, DoctorReport } from '../../src/diagnose/report.ts';

const report = (
  severities: readonly Severity[],
  unread = 0,
  state: CalloutState = 'healthy',
  because: readonly string[] = [],
): DoctorReport =>
  ({
    callouts: [{ verdict: { state, because } }],
    summary: { callouts: { unknown: state === 'unknown' ? 1 : 0 } },
    findings: severities.map((severity) => ({ severity })),
    notLookedAt: Array.from({ length: unread }, () => ({ what: 'pods', why: 'forbidden' })),
  }) as unknown as DoctorReport;

describe('exitCode', () => {
  const cases = [
    ['nothing found, all looked at', report([]), 'error', 0],
    ['a warning below --fail-on', report(['warning', 'info']), 'error', 0],
    ['an error', report(['error']), 'error', 1],
    ['a warning with --fail-on warning', report(['warning']), 'warning', 1],
    ['an error with --fail-on never', report(['error']), 'never', 0],
    ['something not looked at', report([], 1), 'error', 3],
    ['an error and something not looked at', report(['error'], 1), 'error', 1],
    ['a failing callout whose check is skipped', report([], 0, 'failing', ['service-missing']), 'error', 0],
    ['a verdict that is unknown', report(['warning'], 0, 'unknown'), 'error', 3],
    ['a degraded callout with a warning', report(['warning'], 0, 'degraded'), 'error', 0],
    ['something not looked at with --fail-on never', report(['error'], 1), 'never', 3],
  ] as const;
  for (const [name, given, failOn, code] of cases)
    it(`is ${code} for ${name}`, () => expect(exitCode(given, failOn)).to.equal(code));
});
