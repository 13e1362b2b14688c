import { throttledRequest } from '../../apiserver/sentences/logs/log-lines.ts';
import type { Evidence } from '../../facts/evidence.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { logEvidence, logLines } from '../../facts/workloads/pod-logs.ts';
import { refOfPod } from '../../facts/workloads/workloads.ts';

/** What to do about a program whose client delays its own requests to the API server. */
export const raiseClientLimits =
  '[end] Raise the limits of the client for requests to the API server (QPS and burst), if the program has arguments for them: `kubectl -n {namespace} edit {workload}`. [end] Otherwise let the policies of the webhook read fewer objects, or install a release that caches them.';

/** The time of a line of klog, without a year and in the time zone of the container: `I0720 12:00:00.000000`. */
const timeOfKlog = /\b[IWEF](?<month>\d\d)(?<day>\d\d) (?<time>\d\d:\d\d:\d\d)/;

/** True if klog wrote the line at most ten minutes before the snapshot, or after it. */
function isRecent(line: string, takenAt: string): boolean {
  const { month, day, time } = timeOfKlog.exec(line)?.groups ?? {};
  const year = new Date(takenAt).getUTCFullYear();
  return [year - 1, year, year + 1].some(
    (one) => Math.abs(Date.parse(`${one}-${month}-${day}T${time}Z`) - Date.parse(takenAt)) <= 10 * 60_000,
  );
}

/** The last line in the logs of these Pods that reports requests which their own client has just delayed. */
export function throttledLine(
  pods: readonly Pod[],
  facts: Pick<Facts, 'logs' | 'takenAt'>,
): Evidence | undefined {
  const found = pods
    .flatMap((pod) => logLines(pod, pod.spec.containers, facts))
    .findLast(
      ({ line }) =>
        // No review waits for discovery.
        !line.includes('?timeout=32s') &&
        isRecent(line, facts.takenAt) &&
        throttledRequest(line) !== undefined,
    );
  return found && logEvidence(refOfPod(found.pod), found.container, found.line);
}
