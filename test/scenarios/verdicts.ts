import type { Scenario } from '../../src/demo/scenarios/scenario.ts';
import type { CalloutReport, DoctorReport } from '../../src/diagnose/report.ts';
import { type ExpectedVerdict, expectationOf } from './expectations.ts';

/** A callout's name, as scenarios and users write it. */
export const idOf = ({ kind, configuration, webhook }: CalloutReport): string => {
  if (kind === 'conversion') return `crd/${configuration}`;
  return kind === 'aggregated-api' ? `apiservice/${configuration}` : `${kind}/${configuration}/${webhook}`;
};

/** The report's verdicts on webhooks that are not healthy, in the form of expectations. */
export function verdicts(
  scenario: Scenario,
  { callouts }: Pick<DoctorReport, 'callouts'>,
): readonly ExpectedVerdict[] {
  const { expect: expected } = expectationOf(scenario);
  return callouts.map((callout) => {
    const { state, link, because, effect, error } = callout.verdict;
    const wanted = expected.find((one) => one.callout === idOf(callout));
    if (wanted === undefined) return { callout: idOf(callout), state };
    const quoted = wanted.error !== undefined && error?.includes(wanted.error) ? wanted.error : error;
    return {
      callout: idOf(callout),
      state,
      ...(wanted.link === undefined || link === undefined ? {} : { link }),
      ...(wanted.cause === undefined || because[0] === undefined ? {} : { cause: because[0] }),
      ...(wanted.effect === undefined ? {} : { effect }),
      ...(wanted.error === undefined || quoted === undefined ? {} : { error: quoted }),
    };
  });
}

/** The expected verdicts on the webhooks of the report: those that no scenario names are healthy. */
export function expectedVerdicts(
  scenario: Scenario,
  { callouts }: Pick<DoctorReport, 'callouts'>,
): readonly ExpectedVerdict[] {
  const { expect: expected } = expectationOf(scenario);
  return callouts.map(
    (callout) =>
      expected.find((one) => one.callout === idOf(callout)) ?? { callout: idOf(callout), state: 'healthy' },
  );
}
