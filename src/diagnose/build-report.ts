import type { NextCall } from '../apiserver/next-call/call-fate.ts';
import type { Check, Finding, Severity } from '../checks/check.ts';
import { type Callout, calloutId, isAdmission } from '../facts/callout.ts';
import { refText } from '../facts/object-ref.ts';
import type { Snapshot } from '../facts/snapshot.ts';
import type { NotLookedAt } from '../facts/unread.ts';
import { type Explained, explain } from './cause.ts';
import { impactReport } from './impact-report.ts';
import { judge } from './judge.ts';
import { messageOf } from './message.ts';
import { notTriedAt } from './not-tried.ts';
import { outdone } from './outdone.ts';
import type {
  CalloutReport,
  CalloutState,
  DoctorReport,
  FindingReport,
  ReplicaReport,
  Verdict,
} from './report.ts';
import type { CheckResult } from './run-check.ts';

/** All that a report is built from. */
export interface Judged {
  readonly snapshot: Snapshot;
  /** The callouts that were asked about. */
  readonly asked: readonly Callout[];
  readonly checks: readonly Check[];
  readonly results: readonly CheckResult[];
  readonly nextCall: (callout: Callout) => NextCall;
  readonly replicas: (callout: Callout) => readonly ReplicaReport[];
  /** Which findings to show and to count. Verdicts rest on all of them. */
  readonly show: (finding: { readonly checkId: string; readonly severity: Severity }) => boolean;
}

function calloutReport(
  callout: Callout,
  explained: readonly Explained[],
  next: NextCall,
  judged: Judged,
): CalloutReport {
  const { kind, configuration, webhook, index, timeoutSeconds, client } = callout;
  const notTried = notTriedAt(callout, judged.snapshot.facts);
  return {
    kind,
    configuration,
    webhook,
    index,
    ...(isAdmission(callout) ? { failurePolicy: callout.failurePolicy } : {}),
    timeoutSeconds,
    backend: {
      ...(client.service === undefined ? {} : { service: client.service }),
      ...(client.url === undefined ? {} : { url: client.url }),
    },
    ...withImpact(callout, explained, judge(callout, explained, next, judged.snapshot.facts), judged),
    replicas: judged.replicas(callout),
    ...(notTried.length === 0 ? {} : { notTried }),
  };
}

/** Fragile: one Pod stands between requests and refusal. */
const fragile = 'outage-risk-single-replica';

/** The verdict, and what follows from it where requests are, or may soon be, stopped. */
function withImpact(
  callout: Callout,
  explained: readonly Explained[],
  verdict: Verdict,
  { snapshot }: Judged,
): Pick<CalloutReport, 'verdict' | 'impact'> {
  const found = explained.map(({ finding }) => finding.checkId);
  // Of a deadlock that nobody can tell, an information speaks; while Pods of the system run, its own come back.
  const grave = explained
    .filter(({ finding }) => finding.severity !== 'info' && finding.messageId !== 'wouldStarve')
    .map(({ finding }) => finding.checkId);
  const stops = verdict.effect === 'blocks' || found.includes(fragile);
  return stops && isAdmission(callout)
    ? { verdict, impact: impactReport(callout, grave, snapshot.facts) }
    : { verdict };
}

function findingReports(
  about: string,
  isCallout: boolean,
  explained: readonly Explained[],
  checks: ReadonlyMap<string, Check>,
  show: Judged['show'],
): readonly FindingReport[] {
  const shown = explained.filter(({ finding }) => show(finding));
  const seen = new Map<string, number>();
  return shown.flatMap(({ finding, causedBy }) => {
    const check = checks.get(finding.checkId);
    if (check === undefined) return [];
    const times = (seen.get(finding.checkId) ?? 0) + 1;
    seen.set(finding.checkId, times);
    return [
      {
        id: `${finding.checkId}:${about}${times > 1 ? `#${times}` : ''}`,
        check: finding.checkId,
        severity: finding.severity,
        confidence: finding.confidence,
        link: finding.link,
        subject: finding.subject,
        ...(isCallout ? { callout: about } : {}),
        title: check.meta.title,
        message: messageOf(finding, check),
        why: check.meta.why,
        advice: check.meta.advice,
        evidence: finding.evidence.map(({ object, field, value }) => ({
          object: refText(object),
          ...(field === undefined ? {} : { field }),
          value,
        })),
        ...(causedBy === undefined ? {} : { causedBy }),
        remedies: [],
      },
    ];
  });
}

/** Without those that only repeat, for another callout of the same object, what was said already. */
function oncePerObject(
  parts: readonly { readonly callout: CalloutReport; readonly findings: readonly FindingReport[] }[],
  checks: ReadonlyMap<string, Check>,
): readonly FindingReport[] {
  const said = new Set<string>();
  return parts.flatMap(({ callout: { kind, configuration }, findings }) =>
    findings.filter(({ check, message }) => {
      if (checks.get(check)?.meta.oncePerObject !== true) return true;
      const words = JSON.stringify([check, kind, configuration, message]);
      return !said.has(words) && said.add(words);
    }),
  );
}

/** Findings about objects that are no callout: told where all callouts are, or one that they may concern. */
function aboutOthers(
  findings: ReadonlyMap<string, readonly Finding[]>,
  checks: ReadonlyMap<string, Check>,
  judged: Judged,
): readonly FindingReport[] {
  const { callouts } = judged.snapshot.facts;
  const all = judged.asked.length >= callouts.length;
  const asked = new Set(judged.asked.map(({ ref }) => refText(ref)));
  const known = new Set(callouts.map(({ ref }) => refText(ref)));
  return [...findings].flatMap(([subject, found]) => {
    if (known.has(subject)) return [];
    const told = found.filter(({ concerns = [] }) => all || concerns.some((ref) => asked.has(refText(ref))));
    return findingReports(subject.replace(' ', '/'), false, explain(told, checks), checks, judged.show);
  });
}

/** A crash of our own code is not "fine" either. */
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

const count = <K extends string>(keys: readonly K[], items: readonly K[]): Record<K, number> =>
  Object.fromEntries(keys.map((key) => [key, items.filter((item) => item === key).length])) as Record<
    K,
    number
  >;

/** Findings by the text of their subject: thousands of callouts must not look through each other's findings. */
function bySubject(results: readonly CheckResult[]): ReadonlyMap<string, readonly Finding[]> {
  const found = new Map<string, Finding[]>();
  for (const finding of results.flatMap((result) => result.findings)) {
    const key = refText(finding.subject);
    const known = found.get(key);
    if (known === undefined) found.set(key, [finding]);
    else known.push(finding);
  }
  return found;
}

const states: readonly CalloutState[] = ['healthy', 'degraded', 'failing', 'unknown'];

/** Joins facts, findings and the model's predictions into the one report that every output prints. */
export function buildReport(judged: Judged): DoctorReport {
  const { snapshot, asked, results } = judged;
  const checks = new Map(judged.checks.map((check) => [check.meta.id, check]));
  const findings = bySubject(results);
  const parts = asked.map((callout) => {
    const next = judged.nextCall(callout);
    const found = findings.get(refText(callout.ref)) ?? [];
    const explained = explain(
      found.map((finding) => outdone(finding, next)),
      checks,
    );
    return {
      callout: calloutReport(callout, explained, next, judged),
      findings: findingReports(calloutId(callout), true, explained, checks, judged.show),
    };
  });
  const shown = [...oncePerObject(parts, checks), ...aboutOthers(findings, checks, judged)];
  const severities: readonly Severity[] = ['error', 'warning', 'info'];
  return {
    apiVersion: 'kubectl-webhook/v1',
    kind: 'DoctorReport',
    takenAt: snapshot.takenAt,
    cluster: snapshot.cluster,
    summary: {
      callouts: {
        total: parts.length,
        ...count(
          states,
          parts.map(({ callout }) => callout.verdict.state),
        ),
      },
      findings: count(
        severities,
        shown.map(({ severity }) => severity),
      ),
    },
    callouts: parts.map(({ callout }) => callout),
    findings: shown,
    notLookedAt: [...snapshot.notLookedAt, ...crashes(results)],
  };
}
