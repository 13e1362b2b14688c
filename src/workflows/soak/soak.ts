import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterReader, OpenProber } from '../../collect/cluster.ts';
import { readFirst } from '../../collect/planner.ts';
import { dryRunOutcome, fieldText } from '../../soak/dry-run-outcome.ts';
import type { SoakReport } from '../../soak/soak-report.ts';
import { soakTally } from '../../soak/soak-tally.ts';
import { chooseObject, soakedWebhook } from './choose-object.ts';
import { sendOnce } from './soaked-object.ts';

/** Maximum number of concurrent requests, so that they do not pile up on an API server that hangs. */
const mostInProgress = 200;

/**
 * Calls `send` at a fixed rate until `ended`, without waiting for earlier calls; then waits for those in
 * progress. Returns the number of calls that were skipped because too many were in progress.
 */
async function steadyRate(
  rate: number,
  ended: AbortSignal,
  send: (sentAt: number) => Promise<void>,
): Promise<{ readonly milliseconds: number; readonly notSent: number }> {
  const began = performance.now();
  const inProgress = new Set<Promise<void>>();
  let notSent = 0;
  for (let number = 0; !ended.aborted; number += 1) {
    const wait = (number * 1000) / rate - (performance.now() - began);
    if (wait > 1) await sleep(wait, undefined, { signal: ended }).catch(() => undefined);
    if (ended.aborted) break;
    if (inProgress.size >= mostInProgress) {
      notSent += 1;
      // Yields, so that a loop that is late still processes responses.
      await sleep(0);
      continue;
    }
    const sending = send(performance.now() - began).finally(() => inProgress.delete(sending));
    inProgress.add(sending);
    if (wait <= 0) await new Promise(setImmediate);
  }
  const milliseconds = performance.now() - began;
  await Promise.all(inProgress);
  return { milliseconds, notSent };
}

/** The command that runs meanwhile. */
export interface SoakedCommand {
  readonly command: string;
  /** Starts it; resolves with its exit code when it has exited. */
  readonly run: () => Promise<number | null>;
}

/** The flags of `soak`. */
export interface SoakOptions {
  /** Name of the webhook as typed. */
  readonly callout: string;
  /** Namespace of `service/NAME`, as typed. */
  readonly namespace?: string | undefined;
  readonly rate: number;
  /** Milliseconds: the duration, or with a command the maximum duration. */
  readonly length: number;
  /** Content of the file with the object to send; undefined: one is suggested. */
  readonly object?: string | undefined;
  readonly during?: SoakedCommand | undefined;
  readonly interrupted: AbortSignal;
  readonly now: Date;
  readonly onStage?: (stage: string) => void;
}

/** Milliseconds of load before the command starts, and after it has exited. */
const before = 1_000;
const after = 3_000;
/** When the load ends: after the duration, on Ctrl-C, or some time after the command. */
function watchOver({ length, during, interrupted }: SoakOptions) {
  const over = new AbortController();
  const end = (): void => over.abort();
  const began = performance.now();
  const elapsed = (): number => Math.round((performance.now() - began) / 100) / 10;
  const timer = setTimeout(end, length);
  interrupted.addEventListener('abort', end, { once: true });
  if (interrupted.aborted) end();
  let running: SoakReport['during'];
  const start = setTimeout(() => {
    if (during === undefined || over.signal.aborted) return;
    const { command } = during;
    const from = elapsed();
    running = { command, from };
    void during.run().then((exitCode) => {
      running = { command, from, to: elapsed(), exitCode };
      setTimeout(end, after);
    });
  }, before);
  const stop = (): void => {
    clearTimeout(timer);
    clearTimeout(start);
  };
  return { signal: over.signal, during: () => running, stop };
}

/** Sends dry runs at a steady rate and counts results. Throws CannotStart, CalloutNameError, ReadError. */
export async function soak(
  reader: ClusterReader,
  openProber: OpenProber,
  options: SoakOptions,
): Promise<SoakReport> {
  const { rate, onStage, interrupted, now } = options;
  const [{ facts, failed }, prober] = await Promise.all([
    readFirst(reader, ['version', 'callouts', 'namespaces', 'served']),
    openProber(),
  ]);
  const callout = soakedWebhook(facts.callouts, options.callout, failed, options.namespace);
  const { object } = options;
  const { sent, proof, by } = await chooseObject({ prober, reader }, callout, facts, { object, failed });
  const tally = soakTally(callout.timeoutSeconds * 500);
  const watch = watchOver(options);
  let answered = 0;
  const { milliseconds, notSent } = await steadyRate(rate, watch.signal, async (sentAt) => {
    const started = performance.now();
    const answer = await sendOnce(prober, sent, callout);
    const outcome =
      'failure' in answer
        ? ({ outcome: 'failed', message: answer.failure } as const)
        : dryRunOutcome(answer, proof);
    tally.add(outcome, sentAt, performance.now() - started);
    answered += 1;
    if (answered % rate === 0) onStage?.(`${answered} responses to dry runs`);
  });
  watch.stop();
  const seconds = Math.round(milliseconds / 100) / 10;
  const during = watch.during();
  const { kind, configuration, webhook, failurePolicy, timeoutSeconds } = callout;
  return {
    apiVersion: 'kubectl-webhook/v1',
    kind: 'SoakReport',
    takenAt: now.toISOString(),
    callout: { kind, configuration, webhook, failurePolicy, timeoutSeconds },
    object: { ...sent.object, by },
    shows: proof.by === 'denial' ? { by: 'denial' } : { by: 'fields', fields: proof.fields.map(fieldText) },
    rate,
    ...(during === undefined ? {} : { during }),
    seconds,
    interrupted: interrupted.aborted,
    ...tally.result(seconds, notSent),
  };
}
