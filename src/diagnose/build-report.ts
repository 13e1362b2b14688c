import type { NextCall } from '../apiserver/next-call/call-outcome.ts';
import { nextCall } from '../apiserver/next-call/next-call.ts';
import { adviceFor, type Check, type Finding, messageText, severities } from '../checks/check.ts';
import { applicableAdvice } from '../facts/advice.ts';
import { type Callout, calloutId, isAdmission } from '../facts/callout.ts';
import { changeRecords, noteOf, opens } from '../facts/change-record.ts';
import { defined } from '../facts/defined.ts';
import { groupBy } from '../facts/group-by.ts';
import { refText } from '../facts/object-ref.ts';
import type { ReplicaProbe } from '../facts/probes.ts';
import type { Facts, Snapshot } from '../facts/snapshot.ts';
import { type NotLookedAt, type Unread, unreadText } from '../facts/unread.ts';
import { listed } from '../phrases/lists.ts';
import { counted } from '../phrases/numbers.ts';
import { type Explained, joinByCause } from './cause.ts';
import { placeholderNames } from './command-names.ts';
import { impactReport } from './impact-report.ts';
import { ifItFailed, outageOf } from './outage.ts';
import { replicaReports, sampleReports } from './replica-reports.ts';
import type {
  BackendReport,
  CalloutReport,
  CoverageReport,
  DoctorReport,
  FindingReport,
  NotTried,
  ReportCore,
  Verdict,
} from './report.ts';
import { type CheckResult, type CheckResults, type CheckRun, runChecks } from './run-check.ts';
import type { Show } from './shown-findings.ts';
import { type CalloutBeforeStory, withStories } from './stories.ts';
import { verdictOf, withEffectOnly } from './verdict-of.ts';

/** True for reasons that are reported once for the run, in `notLookedAt`. */
const isReportedForRun = ({ why }: Unread): boolean => why === 'forbidden' || why === 'timeout';

const mostNamed = 3;

/**
 * Returns what probes omitted at a webhook or APIService, one line per reason; empty if no probe was
 * requested.
 */
export function notTriedAt(callout: Callout, { probes }: Pick<Facts, 'probes'>): readonly NotTried[] {
  const id = calloutId(callout);
  const tried = probes.getIfKnown(id);
  if (tried === undefined) return [];
  const untried = [...tried.notTried, ...tried.replicas.flatMap(({ notTried }) => notTried)];
  const byReason = new Map<string, Set<string>>();
  for (const unread of untried.filter((one) => !isReportedForRun(one))) {
    const { why, detail = why } = unread;
    byReason.set(detail, (byReason.get(detail) ?? new Set()).add(unreadText(unread)));
  }
  return [...byReason].map(([why, whats]) => ({ what: listed([...whats], { most: mostNamed }), why }));
}

/** The message of a finding with its data filled in. */
function messageOf({ messageId, data }: Finding, { meta }: Check): string {
  const text = messageText(meta.messages[messageId] ?? '');
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) => String(data[name] ?? placeholder));
}

/** Returns the backend of a webhook or APIService for a report. */
export const backendOf = ({ client: { service, url } }: Callout): BackendReport => ({
  ...defined({ service, url }),
});

/** A webhook or APIService with its findings and the prediction of its next call. */
interface EvaluatedCallout {
  readonly callout: Callout;
  readonly explained: readonly Explained[];
  readonly next: NextCall;
}

function calloutReport(
  { callout, explained, next }: EvaluatedCallout,
  snapshot: Snapshot,
  sameCluster: string,
): CalloutBeforeStory {
  const { kind, configuration, webhook, index, timeoutSeconds } = callout;
  const notTried = notTriedAt(callout, snapshot.facts);
  const samples = sampleReports(callout, snapshot);
  return {
    kind,
    configuration,
    webhook,
    index,
    ...(isAdmission(callout) ? { failurePolicy: callout.failurePolicy } : {}),
    timeoutSeconds,
    backend: backendOf(callout),
    ...withImpact(callout, explained, verdictOf(callout, explained, next, snapshot.facts), snapshot),
    ...openedBy(callout, sameCluster),
    replicas: replicaReports(callout, snapshot),
    ...(samples.length === 0 ? {} : { samples }),
    ...(notTried.length === 0 ? {} : { notTried }),
  };
}

/** The newest change by this program that made the webhook fail open, if it still fails open. */
function openedBy(callout: Callout, sameCluster: string): Pick<CalloutReport, 'opened'> {
  if (!isAdmission(callout) || callout.failurePolicy !== 'Ignore') return {};
  const record = changeRecords(callout.metadata).findLast((one) => opens(one, callout.webhook));
  if (record === undefined) return {};
  const { id: change, at, until } = record;
  const undo = `kubectl webhook undo ${change}${sameCluster}`;
  return { opened: { change, at, ...(until === undefined ? {} : { until }), ...noteOf(record), undo } };
}

/** Counts the webhooks, APIServices and Pods that probes connected to. */
function coverageOf(
  chosen: readonly Callout[],
  parts: readonly CalloutBeforeStory[],
  { probes }: Facts,
): CoverageReport {
  const endpoints = chosen.flatMap((callout) => {
    const { replicas = [], serverName = '', url } = probes.getIfKnown(calloutId(callout)) ?? {};
    const { namespace } = callout.client.service ?? {};
    return [
      ...replicas.filter(isConnectedTo).map(({ pod, endpoint }) => `${namespace}/${pod ?? endpoint}`),
      ...(url === undefined ? [] : [serverName]),
    ];
  });
  const notProbed = parts.filter(
    ({ verdict }) => verdict.state === 'healthy' && verdict.confidence === 'derived',
  );
  return { callouts: chosen.length, probed: new Set(endpoints).size, notProbed: notProbed.length };
}

const isConnectedTo = ({ dialogues, proxy }: ReplicaProbe): boolean =>
  dialogues.length > 0 || proxy !== undefined;

/** Objects from the command line that no webhook was called with. */
function notCalledWith(callouts: readonly Pick<CalloutReport, 'samples'>[]): readonly NotLookedAt[] {
  const given = callouts.flatMap(({ samples = [] }) => samples.filter(({ by }) => by === 'given'));
  return [...groupBy(given, ({ object }) => refText(object))].flatMap(([what, alike]) => {
    const [first] = alike;
    const detail = first?.notCalled;
    if (detail === undefined || alike.some(({ notCalled }) => notCalled === undefined)) return [];
    return [{ what, why: 'not called', detail }];
  });
}

/** The verdict, with its impact if requests are blocked, or will be if the only Pod fails. */
function withImpact(
  callout: Callout,
  explained: readonly Explained[],
  verdict: Verdict,
  { facts }: Snapshot,
): Pick<CalloutReport, 'verdict' | 'impact'> {
  const implied = explained.map(({ finding }) => finding.implies);
  const stops = verdict.effect === 'blocks' || implied.includes('one-pod-left');
  return stops && isAdmission(callout)
    ? { verdict, impact: impactReport(callout, implied.includes('no-way-back'), facts) }
    : { verdict };
}

/** The subject of findings: a webhook or APIService, or another object by its id. */
interface ReportSubject {
  readonly id: string;
  readonly callout?: Callout;
}

function findingReports(
  { id: about, callout }: ReportSubject,
  explained: readonly Explained[],
  checks: ReadonlyMap<string, Check>,
  facts: Facts,
): readonly FindingReport[] {
  const timesFound = new Map<string, number>();
  return explained.flatMap(({ finding, causedBy }) => {
    const check = checks.get(finding.checkId);
    if (check === undefined) return [];
    const times = (timesFound.get(finding.checkId) ?? 0) + 1;
    timesFound.set(finding.checkId, times);
    return [
      {
        id: `${finding.checkId}:${about}${times > 1 ? `#${times}` : ''}`,
        check: finding.checkId,
        severity: finding.severity,
        confidence: finding.confidence,
        link: finding.link,
        subject: finding.subject,
        ...(callout === undefined ? {} : { callout: about }),
        title: check.meta.title,
        message: messageOf(finding, check),
        why: check.meta.why,
        advice: applicableAdvice({
          text: adviceFor(check.meta, finding.messageId),
          names: { ...placeholderNames(finding.subject, callout, facts), ...finding.names },
        }),
        evidence: finding.evidence,
        ...defined({ since: finding.since }),
        ...(causedBy === undefined ? {} : { causedBy }),
        remedies: [],
      },
    ];
  });
}

/**
 * A webhook or APIService with its shown findings. `filtered`: filters leave out a finding with a
 * consequence.
 */
interface Part {
  readonly callout: CalloutBeforeStory;
  readonly findings: readonly FindingReport[];
  readonly filtered: boolean;
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

/**
 * Findings about other objects: reported with all webhooks and APIServices, or with one that they may affect.
 */
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

/** The number of webhooks and APIServices that were not evaluated before the deadline. */
export const notEvaluated = (many: number): readonly NotLookedAt[] =>
  many === 0
    ? []
    : [{ what: counted(many, 'more webhook'), why: 'timeout', detail: 'the time limit was reached' }];

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

/** Checks that crashed, for `notLookedAt`. */
const crashes = (results: readonly CheckResult[]): readonly NotLookedAt[] =>
  results.flatMap(({ checkId, subject, error }) =>
    error === undefined
      ? []
      : [
          {
            what: `check ${checkId}${subject === undefined ? '' : ` of ${refText(subject)}`}`,
            why: 'internal error',
            detail: error,
          },
        ],
  );

/** Checks that exceeded a limit, once for each reason. */
function tooLarge(results: readonly CheckResult[], known: readonly Unread[]): readonly NotLookedAt[] {
  const reported = new Set(known.map(({ detail }) => detail));
  const found = results.flatMap(({ unread, subject }) =>
    unread?.why === 'too-large' && typeof unread.what === 'string' && !reported.has(unread.detail)
      ? { ...unread, what: subject === undefined ? unread.what : `${unread.what} of ${refText(subject)}` }
      : [],
  );
  return [...groupBy(found, ({ detail }) => detail)].map(([detail = '', alike]) => ({
    what: listed([...new Set(alike.map(({ what }) => what))], { most: mostNamed }),
    why: 'too-large',
    detail,
  }));
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

/** Options of {@link buildReport}. */
export interface ReportOptions extends CheckRun {
  /** Default: all findings. */
  readonly show?: Show;
  /** Flags that select the same cluster in a suggested command, with a leading space. */
  readonly sameCluster?: string | undefined;
  /** Replaces the model's prediction. */
  readonly foreseen?: typeof nextCall;
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
  const shown = [...oncePerObject(parts, checks), ...others];
  const hidden = new Set(parts.filter(isHidden).map(({ callout }) => calloutId(callout)));
  return withStories(assembled(input, parts, shown, hidden), hidden);
}

/** Everything that a report is built from. */
interface ReportInput {
  readonly snapshot: Snapshot;
  readonly chosen: readonly Callout[];
  readonly checks: ReadonlyMap<string, Check>;
  /** Findings by the text of their subject. */
  readonly findings: ReadonlyMap<string, readonly Finding[]>;
  readonly checkResults: CheckResults;
  readonly options: ReportOptions;
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
    return {
      callout: { ...report, verdict: { ...report.verdict, because } },
      findings: shownFindings(input, { id: calloutId(callout), callout }, explained),
      filtered: left.some(({ finding }) => finding.consequence !== undefined),
    };
  });
}

/** Findings that pass the filters; if filters drop the cause, another finding becomes the cause. */
const shownFindings = (
  { checks, snapshot, options: { show = () => true } }: ReportInput,
  subject: ReportSubject,
  explained: readonly Explained[],
): readonly FindingReport[] =>
  findingReports(
    subject,
    joinByCause(
      explained.flatMap(({ finding }) => (show(finding.checkId, finding.severity) ? finding : [])),
      checks,
    ),
    checks,
    snapshot.facts,
  );

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
    blocked: outageOf(broken, 'blocks', facts),
    unchecked: outageOf(broken, 'fails-open', facts),
    possiblyBlocked: outageOf(broken.flatMap(ifItFailed), 'blocks', facts),
    coverage: coverageOf(chosen, reports, facts),
    callouts: reports,
    findings,
    notLookedAt: [
      ...snapshot.notLookedAt,
      ...notCalledWith(reports),
      ...crashes(results),
      ...tooLarge(results, snapshot.notLookedAt),
      ...notEvaluated(chosen.length - parts.length),
      ...stopped,
    ],
  } as const;
}

/** True for a webhook or APIService that is not healthy if filters leave out all findings that explain it. */
const isHidden = ({ callout: { verdict }, findings, filtered }: Part): boolean =>
  verdict.state !== 'healthy' && filtered && !findings.some(({ check }) => verdict.because.includes(check));
