import { nextCall } from '../apiserver/next-call/next-call.ts';
import { groupBy } from '../basics/collections.ts';
import { severities } from '../checks/chain.ts';
import type { Check, Finding } from '../checks/check.ts';
import { type Callout, calloutId } from '../facts/callout.ts';
import { refText } from '../facts/object-ref.ts';
import type { Facts, Snapshot } from '../facts/snapshot.ts';
import { coverageOf, crashes, exceededLimits, notCalledWith, notEvaluated } from './coverage.ts';
import { type ExplainedFinding, joinByCause } from './findings/cause.ts';
import { findingReports, type ReportSubject } from './findings/finding-reports.ts';
import { type CheckResults, type CheckRun, runChecks } from './findings/run-check.ts';
import type { ShowsFinding } from './findings/shown-findings.ts';
import { type BrokenCallout, ifItFailed } from './outage/broken-callout.ts';
import { lastChanges } from './outage/last-changes.ts';
import { outageOf, splitByTime } from './outage/outage.ts';
import { type DoctorReport, type FindingReport, isBroken, type ReportCore } from './report.ts';
import { type CalloutBeforeStory, withStories } from './stories.ts';
import { calloutReport } from './verdict/callout-report.ts';
import { withoutMeaning } from './verdict/replica-reports.ts';
import { withEffectOnly } from './verdict/verdict-of.ts';

/** Options of {@link buildReport}. */
export interface ReportOptions extends CheckRun {
  /** Default: all findings. */
  readonly show?: ShowsFinding;
  /** Flags that select the same cluster in a suggested command, with a leading space. */
  readonly sameCluster?: string | undefined;
  /** Replaces the model's prediction. */
  readonly foreseen?: typeof nextCall;
}

interface ReportInput {
  readonly snapshot: Snapshot;
  readonly chosen: readonly Callout[];
  readonly checks: ReadonlyMap<string, Check>;
  /** Findings by the text of their subject. */
  readonly findings: ReadonlyMap<string, readonly Finding[]>;
  readonly checkResults: CheckResults;
  readonly options: ReportOptions;
}

/** A webhook or APIService with its shown findings. `filtered`: one with a consequence is left out. */
interface Part {
  readonly callout: CalloutBeforeStory;
  readonly findings: readonly FindingReport[];
  readonly filtered: boolean;
}

/**
 * Combines facts, findings and the model's predictions into the one report that every output prints. Pure.
 *
 * @param chosen the webhooks and APIServices that the user chose.
 */
export function buildReport(
  snapshot: Snapshot,
  chosen: readonly Callout[],
  catalogue: readonly Check[],
  options: ReportOptions = {},
): DoctorReport {
  const { facts } = snapshot;
  const checkResults = options.checkResults ?? runChecks(catalogue, facts);
  const checks = new Map(catalogue.map((check) => [check.meta.id, check]));
  // Index by subject: there can be thousands of webhooks and APIServices.
  const findings = groupBy(
    checkResults.results.flatMap((result) => result.findings),
    ({ subject }) => refText(subject),
  );
  const input: ReportInput = { snapshot, chosen, checks, findings, checkResults, options };
  const parts = partsOf(input);
  const others = aboutOthers(findings, facts.callouts, chosen).flatMap(([subject, found]) =>
    shownFindings(input, { id: subject.replace(' ', '/') }, joinByCause(found, checks)),
  );
  // What happens to other objects now comes before what may happen to a webhook.
  const shown = [...others, ...oncePerObject(parts, checks)];
  const hidden = new Set(parts.filter(isHidden).map(({ callout }) => calloutId(callout)));
  return withStories(assembled(input, parts, shown, hidden), hidden);
}

/** The chosen webhooks and APIServices that were evaluated before the deadline. */
function partsOf(input: ReportInput): readonly Part[] {
  const { snapshot, chosen, checks, findings, checkResults, options } = input;
  const { show = () => true, sameCluster = '', isOver, foreseen = nextCall } = options;
  const predict = withoutHealthy(foreseen, checkResults);
  return chosen.flatMap((callout): Part | readonly Part[] => {
    if (isOver?.()) return [];
    const next = predict(callout, snapshot.facts);
    const found = findings.get(refText(callout.ref)) ?? [];
    const explained = joinByCause(withEffectOnly(found, next), checks);
    const left = explained.filter(({ finding }) => !show(finding.checkId, finding.severity));
    const report = calloutReport({ callout, explained, next }, snapshot, sameCluster);
    const hidden = new Set(left.map(({ finding }) => finding.checkId));
    const because = report.verdict.because.filter((check) => !hidden.has(check));
    const replicas = report.replicas.map((one) => withoutMeaning(one, checks.get(because[0] ?? '')));
    const judged = { ...report, verdict: { ...report.verdict, because }, replicas };
    const shown = shownFindings(input, { id: calloutId(callout), callout }, explained);
    return {
      callout: judged,
      findings: withLastChanges({ callout, report: judged, findings: shown }, snapshot.facts),
      filtered: left.some(({ finding }) => finding.consequence !== undefined),
    };
  });
}

/** Adds what changed before a failure to the evidence of its cause. */
function withLastChanges(
  { findings, ...broken }: Required<BrokenCallout>,
  facts: Facts,
): readonly FindingReport[] {
  const { state, because } = broken.report.verdict;
  if (!isBroken(state)) return findings;
  return findings.map((finding) =>
    finding.check === because[0] && finding.causedBy === undefined
      ? {
          ...finding,
          evidence: [...finding.evidence, ...lastChanges({ ...broken, findings }, finding, facts)],
        }
      : finding,
  );
}

/** Findings that pass the filters; if filters drop the cause, another finding becomes the cause. */
function shownFindings(
  { checks, snapshot, options: { show = () => true, sameCluster } }: ReportInput,
  subject: ReportSubject,
  explained: readonly ExplainedFinding[],
): readonly FindingReport[] {
  const findings = explained.flatMap(({ finding }) =>
    show(finding.checkId, finding.severity) ? finding : [],
  );
  const shown = findings.length === explained.length ? explained : joinByCause(findings, checks);
  return findingReports({ ...subject, sameCluster }, shown, checks, snapshot.facts);
}

/** Drops findings that repeat the same message for another webhook of the same object. */
function oncePerObject(parts: readonly Part[], checks: ReadonlyMap<string, Check>): readonly FindingReport[] {
  const reported = new Set<string>();
  return parts.flatMap(({ callout: { kind, configuration }, findings }) =>
    findings.filter(({ check, message }) => {
      if (checks.get(check)?.meta.oncePerObject !== true) return true;
      const key = JSON.stringify([check, kind, configuration, message]);
      return !reported.has(key) && reported.add(key);
    }),
  );
}

/** Findings about other objects: reported with all callouts, or with one that they may affect. */
function aboutOthers(
  findings: ReadonlyMap<string, readonly Finding[]>,
  callouts: readonly Callout[],
  about: readonly Callout[],
): readonly (readonly [subject: string, found: readonly Finding[]])[] {
  const all = about.length >= callouts.length;
  const chosen = new Set(about.map(({ ref }) => refText(ref)));
  const known = new Set(callouts.map(({ ref }) => refText(ref)));
  return [...findings]
    .filter(([subject]) => !known.has(subject))
    .map(([subject, found]) => [
      subject,
      found.filter(({ concerns = [] }) => all || concerns.some((ref) => chosen.has(refText(ref)))),
    ]);
}

/**
 * The report without its stories.
 *
 * @param hidden ids of webhooks and APIServices whose findings are all filtered out.
 */
function assembled(
  { snapshot, chosen, checkResults }: ReportInput,
  parts: readonly Part[],
  findings: readonly FindingReport[],
  hidden: ReadonlySet<string>,
) {
  const { facts, cluster } = snapshot;
  const { results, stopped } = checkResults;
  const reports = parts.map(({ callout }) => callout);
  const broken = reports.flatMap((report, at) => {
    const callout = chosen[at];
    if (callout === undefined || hidden.has(calloutId(report))) return [];
    return { callout, report, findings: parts[at]?.findings ?? [] };
  });
  const { late, unchecked } = splitByTime(outageOf(broken, 'fails-open', facts), broken, facts.version);
  const { callouts: counts, ...summary } = summaryOf(
    ['healthy', 'degraded', 'failing', 'unknown'],
    reports.filter((report) => !hidden.has(calloutId(report))).map(({ verdict }) => verdict.state),
    findings,
  );
  return {
    apiVersion: 'kubectl-webhook/v1',
    kind: 'DoctorReport',
    takenAt: facts.takenAt,
    cluster,
    summary: {
      ...summary,
      callouts: { ...counts, total: reports.length, ...(hidden.size === 0 ? {} : { hidden: hidden.size }) },
    },
    blocked: [...outageOf(broken, 'blocks', facts), ...late],
    unchecked,
    possiblyBlocked: outageOf(broken.flatMap(ifItFailed), 'blocks', facts),
    coverage: coverageOf(chosen, reports, facts),
    callouts: reports,
    findings,
    notLookedAt: [
      ...snapshot.notLookedAt,
      ...notCalledWith(reports),
      ...crashes(results),
      ...exceededLimits(results, snapshot.notLookedAt),
      ...notEvaluated(chosen.length - parts.length),
      ...stopped,
    ],
  } as const;
}

/** True for a webhook or APIService that is not healthy if filters leave out all findings that explain it. */
const isHidden = ({ callout: { verdict }, findings, filtered }: Part): boolean =>
  verdict.state !== 'healthy' && filtered && !findings.some(({ check }) => verdict.because.includes(check));

/** Prevents the state healthy if a check was stopped: the prediction gets its `unread`. */
export function withoutHealthy(
  foreseen: typeof nextCall,
  { stopped: [unread] }: Pick<CheckResults, 'stopped'>,
): typeof nextCall {
  if (unread === undefined) return foreseen;
  return (callout, facts) => {
    const next = foreseen(callout, facts);
    return next.outcome === 'fails' || next.outcome === 'fails-for-some' ? next : { ...next, unread };
  };
}

const count = <K extends string>(keys: readonly K[], items: readonly K[]): Record<K, number> =>
  Object.fromEntries(keys.map((key) => [key, items.filter((item) => item === key).length])) as Record<
    K,
    number
  >;

/** Counts webhooks and APIServices by state, and findings by severity. */
export const summaryOf = <State extends string>(
  states: readonly State[],
  ofCallouts: readonly State[],
  findings: readonly FindingReport[],
): ReportCore<State>['summary'] => ({
  callouts: { total: ofCallouts.length, ...count(states, ofCallouts) },
  findings: count(
    severities,
    findings.map(({ severity }) => severity),
  ),
});
