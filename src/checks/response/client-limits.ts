import { throttledRequest } from '../../apiserver/sentences/logs/log-lines.ts';
import type { Evidence } from '../../facts/evidence.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { logEvidence, logLines } from '../../facts/workloads/pod-logs.ts';
import { refOfPod } from '../../facts/workloads/workloads.ts';

/** What to do about a program whose client delays its own requests to the API server. */
export const raiseClientLimits =
  '[end] Raise the limits of the client for requests to the API server (QPS and burst), if the program has arguments for them: `kubectl -n {namespace} edit {workload}`. [end] Otherwise let its policies read fewer objects, or install a release that caches them.';

/** The last line in the logs of these Pods that reports requests which their own client delayed. */
export function throttledLine(pods: readonly Pod[], facts: Pick<Facts, 'logs'>): Evidence | undefined {
  const found = pods
    .flatMap((pod) => logLines(pod, pod.spec.containers, facts))
    .findLast(({ line }) => throttledRequest(line) !== undefined);
  return found && logEvidence(refOfPod(found.pod), found.container, found.line);
}
