import { parseCallError } from '../apiserver/sentences/call-error/parse-call-error.ts';
import { type OutboundError, outboundErrorIn } from '../apiserver/sentences/logs/outbound-error.ts';
import { type Callout, isAdmission } from '../facts/callout.ts';
import type { Pod } from '../facts/objects/pod.ts';
import type { Facts } from '../facts/snapshot.ts';
import { lastingStatuses } from '../facts/workloads/container-crash.ts';
import { logLines, logOf } from '../facts/workloads/pod-logs.ts';

/** The last failed request to another server in the known logs of these Pods; undefined if there is none. */
export const failedRequest = (pods: readonly Pod[], facts: Pick<Facts, 'logs'>) =>
  pods
    .flatMap((pod) =>
      logLines(pod, lastingStatuses(pod), facts).flatMap((logged) => {
        const error = outboundErrorIn(logged.line);
        return error === undefined ? [] : [{ ...logged, error }];
      }),
    )
    .at(-1);

/** True for a call of this webhook that got no response in time: it waits for itself. */
function isUnansweredCall(line: string, callout: Callout): boolean {
  const error = parseCallError(line);
  const kind = error?.cause?.kind;
  return (
    isAdmission(callout) && error?.webhook === callout.webhook && (kind === 'deadline' || kind === 'canceled')
  );
}

/**
 * The last line in the known logs of these Pods that reports a call of a webhook without a response, if the webhook is
 * their own and no request to another server failed since then.
 */
export function ownCallIn(pods: readonly Pod[], callout: Callout, facts: Pick<Facts, 'logs'>) {
  const lines = pods.flatMap((pod) => logLines(pod, lastingStatuses(pod), facts));
  const at = lines.findLastIndex(({ line }) => isUnansweredCall(line, callout));
  const later = lines.slice(at + 1).some(({ line }) => outboundErrorIn(line) !== undefined);
  return later ? undefined : lines[at];
}

/** As many lines of a log are its end: a program that waits writes the same error again and again. */
const lastLines = 12;

/**
 * The host of a kubelet whose certificate metrics-server rejects (pkg/scraper/scraper.go), if that is so repeatedly, or it
 * has no metrics of any node (pkg/server/server.go).
 */
function rejectedKubelet(lines: readonly string[]): string | undefined {
  const scrapes = lines.filter((line) => line.includes('"Failed to scrape node"') && line.includes('x509: '));
  const hasNoMetrics = lines.some((line) => line.includes('err="no metrics to serve"'));
  return hasNoMetrics || scrapes.length > 1
    ? scrapes.flatMap((line) => outboundErrorIn(line)?.host ?? []).at(-1)
    : undefined;
}

/**
 * The request to another server that a container of a Pod repeats at the end of its log, and that fails; undefined if
 * there is none. `toKubelet`: of metrics-server, which has no metrics because of that.
 */
export function repeatedRequest(
  pod: Pod,
  container: string | undefined,
  facts: Pick<Facts, 'logs'>,
): (OutboundError & { readonly toKubelet: boolean }) | undefined {
  const lines = logOf(pod, container, facts).trimEnd().split('\n').slice(-lastLines);
  const failed = lines.flatMap((line) => outboundErrorIn(line) ?? []);
  const last = failed.at(-1);
  if (last === undefined) return undefined;
  const toKubelet = last.host === rejectedKubelet(lines);
  // Stored logs have the latest of repeated lines only.
  const isRepeated = toKubelet || failed.filter(({ host }) => host === last.host).length > 1;
  return isRepeated ? { ...last, toKubelet } : undefined;
}
