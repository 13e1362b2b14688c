import { groupBy } from '../../basics/collections.ts';
import type { CalloutReport, DoctorReport, FindingReport } from '../../diagnose/report.ts';
import { calloutId } from '../../facts/callout.ts';
import { refText } from '../../facts/object-ref.ts';
import { type NotLookedAt, unreadText } from '../../facts/unread.ts';
import { adviceText } from '../../phrases/advice.ts';
import { harmlessDocument } from '../text/harmless.ts';
import { errorLabel } from '../text/labels.ts';
import { type JunitCase, junitXml } from './junit-xml.ts';

/** A finding, its evidence and its advice. */
export const findingText = ({ severity, check, message, advice, evidence }: FindingReport): string =>
  [
    `${severity} ${check}: ${message}`,
    ...evidence.map(
      ({ object, field, value }) => `  ${[refText(object), field].filter(Boolean).join(' ')}: ${value}`,
    ),
    adviceText(advice),
  ].join('\n');

type Outcome = NonNullable<JunitCase['outcome']>;

function outcomeOf(
  { verdict, cause: id }: CalloutReport,
  findings: readonly FindingReport[],
): Outcome | undefined {
  const { state, because, error } = verdict;
  const cause = findings.find((finding) => finding.id === id) ?? findings.find(isError);
  const message = cause?.message ?? error ?? `the next call: ${state}`;
  const type = cause?.check ?? because[0] ?? state;
  if (state === 'unknown') return { kind: 'error', type, message };
  if (state === 'healthy' && !findings.some(isError)) return undefined;
  return { kind: 'failure', type, message };
}

const isError = ({ severity }: FindingReport): boolean => severity === 'error';

function caseOfCallout(callout: CalloutReport, findings: readonly FindingReport[]): JunitCase {
  const outcome = outcomeOf(callout, findings);
  const { verdict } = callout;
  const errorLines = verdict.error === undefined ? [] : [`${errorLabel(verdict)}: ${verdict.error}`];
  return {
    classname: `${callout.kind}.${callout.configuration}`,
    name: callout.webhook,
    ...(outcome === undefined ? {} : { outcome }),
    text: [...errorLines, ...findings.map(findingText)].join('\n\n'),
  };
}

/** A finding that is not about a webhook or APIService. */
const caseOfFinding = (finding: FindingReport): JunitCase => ({
  classname: `other.${finding.check}`,
  name: finding.id,
  ...(isError(finding)
    ? { outcome: { kind: 'failure', type: finding.check, message: finding.message } as const }
    : {}),
  text: findingText(finding),
});

/** The case of an object that could not be read: an error, not a failure. */
export const caseOfUnread = ({ why, detail, ...unread }: NotLookedAt): JunitCase => ({
  classname: 'not-looked-at',
  name: unreadText(unread),
  outcome: { kind: 'error', type: why, message: `${unreadText(unread)}: ${why}` },
  text: detail ?? '',
});

/** JUnit XML: a case per webhook, per finding about another object, and per object that was not read. */
export function renderReportJunit(given: DoctorReport): string {
  const report = harmlessDocument(given, true);
  const findings = groupBy(report.findings, ({ callout }) => callout);
  return junitXml({
    name: 'kubectl webhook doctor',
    timestamp: report.takenAt,
    cases: [
      ...report.callouts.map((callout) => caseOfCallout(callout, findings.get(calloutId(callout)) ?? [])),
      ...(findings.get(undefined) ?? []).map(caseOfFinding),
      ...report.notLookedAt.map(caseOfUnread),
    ],
  });
}
