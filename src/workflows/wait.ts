import { setTimeout as pause } from 'node:timers/promises';
import type { CalloutReport, DoctorReport } from '../diagnose/report.ts';
import type { ProbeLevel } from '../facts/probes.ts';
import { isReadOf, unreadText } from '../facts/unread.ts';
import { listed } from '../phrases/lists.ts';
import { type ClusterOptions, onCluster } from './cluster/with-cluster.ts';
import { doctor } from './doctor.ts';
import { CalloutNameError } from './selection/choose-callouts.ts';
import type { CalloutFilter } from './selection/filter-callouts.ts';

/** The arguments and flags of `wait`. */
export interface WaitOptions {
  /** Names as typed. */
  readonly callouts: readonly string[];
  readonly filter?: CalloutFilter;
  readonly probe: ProbeLevel;
  readonly cluster: ClusterOptions;
  /** Milliseconds: the timeout, and the interval between two runs of doctor. */
  readonly timeout: number;
  readonly interval: number;
  readonly onStage?: (stage: string) => void;
  /** Flags that select the same cluster in a suggested command, with a leading space: ` --context prod`. */
  readonly sameCluster: string;
}

/** The result of `wait`: the document that `-o json` prints. */
export interface WaitReport {
  readonly apiVersion: 'kubectl-webhook/v1';
  readonly kind: 'WaitReport';
  /** RFC 3339: the time of the last run. */
  readonly takenAt: string;
  readonly succeeded: boolean;
  readonly waitedMs: number;
  /** Why the condition was not met in the last run; absent if it was. */
  readonly waitsFor?: string;
  /** As doctor reports them in the last run; empty if nothing has the name. */
  readonly callouts: readonly CalloutReport[];
}

/** The result of `wait`, and the last report of doctor. */
export interface WaitResult {
  readonly wait: WaitReport;
  readonly report: DoctorReport | undefined;
}

const idOf = ({ kind, configuration, webhook }: CalloutReport): string =>
  [kind, configuration, webhook].filter(Boolean).join('/');

/** The kinds of objects that a name can refer to. */
const registrations: readonly string[] = [
  'validatingwebhookconfigurations',
  'mutatingwebhookconfigurations',
  'customresourcedefinitions',
  'apiservices',
];

/** Why the first webhook that is not healthy fails; undefined if all are healthy. */
function lackingIn({ callouts, findings, notLookedAt, withoutWebhooks }: DoctorReport): string | undefined {
  const unread = notLookedAt.filter((one) => isReadOf(one, registrations));
  const [first] = unread;
  if (callouts.length === 0 && first !== undefined)
    return `${listed(unread.map(unreadText))} cannot be read (${first.why})`;
  if (callouts.length === 0)
    return withoutWebhooks === undefined
      ? 'there is no such webhook yet'
      : 'the configuration has no webhooks yet';
  const waiting = callouts.find(({ verdict }) => verdict.state !== 'healthy');
  if (waiting === undefined) return undefined;
  const message = findings.find(({ check }) => check === waiting.verdict.because[0])?.message;
  return `${idOf(waiting)} is ${waiting.verdict.state}${message === undefined ? '' : `: ${message}`}`;
}

const similarText = ({ message, similar }: CalloutNameError): string =>
  similar === undefined ? message : `${message}; there is a webhook with a similar name: ${similar}`;

/** The minimum time of one run in milliseconds. */
const shortest = 1_000;

/** Runs doctor once. A named webhook may not exist yet: operators register their webhooks while they start. */
const look = (
  { callouts, filter, probe: level, cluster, sameCluster }: WaitOptions,
  milliseconds: number,
): Promise<DoctorReport | string> =>
  onCluster({ ...cluster, milliseconds }, async (reader, prober) => {
    try {
      return await doctor(reader, {
        callouts,
        filter,
        exactNames: true,
        withoutSamples: true,
        sameCluster,
        now: new Date(),
        probe: { level, prober },
      });
    } catch (error) {
      if (error instanceof CalloutNameError && error.absent) return similarText(error);
      throw error;
    }
  });

/**
 * Runs doctor repeatedly until the next call of all named webhooks succeeds, or the timeout is reached. Throws CannotStart
 * if there is no cluster, or a name is ambiguous.
 */
export async function waitFor(question: WaitOptions): Promise<WaitResult> {
  const { timeout, interval, onStage, cluster } = question;
  const { interrupted } = cluster;
  const started = performance.now();
  for (;;) {
    const left = Math.max(timeout - (performance.now() - started), shortest);
    const result = await look(question, Math.min(left, cluster.milliseconds));
    const report = typeof result === 'string' ? undefined : result;
    const lacking = typeof result === 'string' ? result : lackingIn(result);
    const waitedMs = Math.round(performance.now() - started);
    // The last run starts early enough to end with the timeout.
    const untilLast = timeout - shortest - waitedMs;
    if (lacking === undefined || untilLast <= 0 || interrupted?.aborted) {
      const wait: WaitReport = {
        apiVersion: 'kubectl-webhook/v1',
        kind: 'WaitReport',
        takenAt: report?.takenAt ?? new Date().toISOString(),
        succeeded: lacking === undefined,
        waitedMs,
        ...(lacking === undefined ? {} : { waitsFor: lacking }),
        callouts: report?.callouts ?? [],
      };
      return { wait, report };
    }
    onStage?.(lacking);
    await pause(Math.min(interval, untilLast), undefined, { signal: interrupted }).catch(() => undefined);
  }
}
