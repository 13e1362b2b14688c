import { setTimeout as pause } from 'node:timers/promises';
import type { CalloutReport, DoctorReport } from '../diagnose/report.ts';
import type { ProbeLevel } from '../facts/probes.ts';
import { isReadOf, unreadText } from '../facts/unread.ts';
import { listed } from '../phrases/lists.ts';
import { CalloutNameError } from './choose-callouts.ts';
import { doctor } from './doctor.ts';
import type { CalloutFilter } from './filter-callouts.ts';
import { type ClusterOptions, withCluster } from './with-cluster.ts';

/** What the arguments and flags of `wait` ask for. */
export interface WaitQuestion {
  /** Names as typed. */
  readonly callouts: readonly string[];
  readonly filter?: CalloutFilter;
  readonly probe: ProbeLevel;
  readonly cluster: ClusterOptions;
  /** Milliseconds until it gives up, and between two looks. */
  readonly timeout: number;
  readonly interval: number;
  readonly onStage?: (stage: string) => void;
}

/** What became of the waiting: the document that `-o json` prints. */
export interface WaitReport {
  readonly apiVersion: 'kubectl-webhook/v1';
  readonly kind: 'WaitReport';
  /** RFC 3339, of the last look. */
  readonly takenAt: string;
  readonly succeeded: boolean;
  readonly waitedMs: number;
  /** Why the last look was not enough; absent when it was. */
  readonly waitsFor?: string;
  /** As doctor reports them, at the last look; empty where the cluster did not have what was named. */
  readonly callouts: readonly CalloutReport[];
}

/** What waiting came to, and doctor's report of the last look. */
export interface Waited {
  readonly wait: WaitReport;
  readonly report: DoctorReport | undefined;
}

const idOf = ({ kind, configuration, webhook }: CalloutReport): string =>
  [kind, configuration, webhook].filter(Boolean).join('/');

/** Where what a name stands for may be registered. */
const registrations: readonly string[] = [
  'validatingwebhookconfigurations',
  'mutatingwebhookconfigurations',
  'customresourcedefinitions',
  'apiservices',
];

/** What the first webhook lacks that is not healthy; undefined when all are. */
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

/** Milliseconds that a look has at least. */
const shortest = 1_000;

/** One look. What is named may not exist yet: operators register their webhooks while they start. */
const look = (
  { callouts, filter, probe: level, cluster }: WaitQuestion,
  milliseconds: number,
): Promise<DoctorReport | string> =>
  withCluster({ ...cluster, milliseconds }, async (reader, prober) => {
    try {
      return await doctor(reader, {
        callouts,
        filter,
        whole: true,
        withoutSamples: true,
        now: new Date(),
        probe: { level, prober },
      });
    } catch (error) {
      if (error instanceof CalloutNameError && error.absent) return similarText(error);
      throw error;
    }
  });

/**
 * Looks again and again until the next call of everything that is named would succeed, or the time is over. Throws
 * CannotStart where there is no cluster, or a name is ambiguous.
 */
export async function waitFor(question: WaitQuestion): Promise<Waited> {
  const { timeout, interval, onStage, cluster } = question;
  const { interrupted } = cluster;
  const started = performance.now();
  for (;;) {
    const left = Math.max(timeout - (performance.now() - started), shortest);
    const seen = await look(question, Math.min(left, cluster.milliseconds));
    const report = typeof seen === 'string' ? undefined : seen;
    const lacking = typeof seen === 'string' ? seen : lackingIn(seen);
    const waitedMs = Math.round(performance.now() - started);
    if (lacking === undefined || waitedMs + interval > timeout || interrupted?.aborted) {
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
    await pause(interval, undefined, { signal: interrupted }).catch(() => undefined);
  }
}
