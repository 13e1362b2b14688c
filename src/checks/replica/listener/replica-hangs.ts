import { reportResponse } from '../../../apiserver/connection/failing-servers.ts';
import { probedCallouts, probeFacts } from '../../../apiserver/connection/probed-callouts.ts';
import { isAdmission, isServiceBacked } from '../../../facts/callout.ts';
import type { Pod } from '../../../facts/objects/pod.ts';
import { knownPods } from '../../../facts/workloads/replicas.ts';
import { behind, defineCheck, partial } from '../../check.ts';
import { longestUsualTimeout } from '../../failure-policy/timeout-too-long.ts';
import { raiseClientLimits, throttledLine } from '../../response/client-limits.ts';
import { notRunning } from '../not-running.ts';

/** A CPU limit with which a TLS handshake alone can take seconds: up to a tenth of a CPU. */
const veryLow = (limit: string): boolean =>
  limit.endsWith('m') ? Number(limit.slice(0, -1)) <= 100 : Number(limit) <= 0.1;

/** The container whose CPU limit is very low. */
const lowLimit = ({ spec }: Pod) =>
  spec.containers
    .map(({ name: container, resources }) => ({ container, limit: resources?.limits?.cpu ?? '' }))
    .find(({ limit }) => limit !== '' && veryLow(limit));

export const replicaHangs = defineCheck({
  meta: {
    id: 'replica-hangs',
    title: 'Pod accepts connections but does not respond',
    consequence: 'failing',
    why: 'The API server waits for `timeoutSeconds`, then the call fails. A hanging process often stays Ready, because its readiness probe checks another port or the kernel accepts the connection.',
    advice:
      '[look] Find out why the process does not respond (a lock, a slow call, a CPU limit): `kubectl -n {namespace} logs {pod}`. [end] To restart a process that hangs, add a liveness probe (`httpGet` with `scheme: HTTPS`). [end] If the rules match requests of the handler itself, exclude the ServiceAccount of the webhook with `matchConditions`, and set `timeoutSeconds` to 5 or more: `kubectl edit {kind} {admission}`.',
    messages: {
      all: '{replicas} accepted connections to port {port} and sent {sent} before the timeout of {timeout} s',
      long: {
        text: '{replicas} accepted connections to port {port} and sent {sent} before the timeout of {timeout} s',
        advice:
          '[end] Set `timeoutSeconds` to 5 or less, because each request waits for it before failurePolicy Ignore admits it: `kubectl edit {kind} {admission}`. [look] Find out why the process does not respond (a lock, a slow call, a CPU limit): `kubectl -n {namespace} logs {pod}`. [end] To restart a process that hangs, add a liveness probe (`httpGet` with `scheme: HTTPS`). [end] If the rules match requests of the handler itself, exclude the ServiceAccount of the webhook with `matchConditions`: `kubectl edit {kind} {admission}`.',
      },
      throttled: {
        text: '{replicas} sent no response within {timeout} s: its program limits its own requests to the API server',
        advice: raiseClientLimits,
      },
      limited: {
        text: '{replicas} sent {sent} before the timeout of {timeout} s; container {container} has a CPU limit of {limit}',
        advice:
          '[end] Raise or remove `limits.cpu` of the container: `kubectl -n {namespace} edit {workload}`. [look] To check this first, compare the CPU usage with the limit: `kubectl -n {metered} top pod`. [look] If the usage is far below the limit, find out why the process does not respond: `kubectl -n {namespace} logs {pod}`.',
      },
      some: partial(
        '{replicas} accepted connections to port {port} and sent {sent} before the timeout: {bad} of {total} new connections hang',
      ),
      behind: behind('{replicas} sent {sent} before the timeout of {timeout} s'),
    },
    preventsReadiness: true,
    follows: [
      'only-dry-runs-fail',
      'pods-cannot-reach-api-server',
      'handler-waits-for-service',
      ...notRunning,
      'service-account-lacks-rights',
    ],
    references: ['/docs/concepts/workloads/pods/probes/#liveness-probe'],
  },
  requires: [...probeFacts, 'logs'],
  subjects: (facts) => probedCallouts(facts).filter(isServiceBacked),
  run: (callout, facts, find) =>
    reportResponse('hangs')(callout, facts, (messageId, data, evidence, ...[names, confidence]) => {
      const known = { ...data, timeout: callout.timeoutSeconds };
      const pod = knownPods(callout, facts).find(({ metadata }) => metadata.name === names.pod);
      if (messageId !== 'all' || pod === undefined)
        return find(messageId, known, evidence, names, confidence);
      const line = throttledLine([pod], facts);
      if (line !== undefined) return find('throttled', known, [...evidence, line], names, confidence);
      const limited = lowLimit(pod);
      if (limited !== undefined)
        return find('limited', { ...known, ...limited }, evidence, names, confidence);
      // With failurePolicy Fail, a shorter timeout only lets each request fail earlier.
      const isLong =
        isAdmission(callout) &&
        callout.failurePolicy === 'Ignore' &&
        callout.timeoutSeconds > longestUsualTimeout;
      return find(isLong ? 'long' : 'all', known, evidence, names, confidence);
    }),
});
