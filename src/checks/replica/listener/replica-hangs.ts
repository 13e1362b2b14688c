import { reportResponse } from '../../../apiserver/connection/failing-servers.ts';
import { probedCallouts, probeFacts } from '../../../apiserver/connection/probed-callouts.ts';
import { isServiceBacked } from '../../../facts/callout.ts';
import { behind, defineCheck, partial } from '../../check.ts';
import { notRunning } from '../not-running.ts';

export const replicaHangs = defineCheck({
  meta: {
    id: 'replica-hangs',
    title: 'Pod accepts connections but does not respond',
    consequence: 'failing',
    explains: {
      'timeout-504': 5,
      'handshake-timeout': 1,
      'connect-timeout': 5,
      deadline: 5,
      'response-timeout': 2,
      'body-timeout': 2,
    },
    why: 'The API server waits for `timeoutSeconds`, then the call fails. A hanging process often stays Ready, because its readiness probe checks another port or the kernel accepts the connection.',
    advice:
      'Find out what the process waits for (a lock, a slow call, a CPU limit): `kubectl -n {namespace} logs {pod}`. To restart a process that hangs, add a liveness probe (`httpGet` with `scheme: HTTPS`). If the rules match requests of the handler itself, exclude its ServiceAccount with `matchConditions`, and set `timeoutSeconds` to 5 or more: `kubectl edit {kind} {admission}`.',
    messages: {
      all: '{replicas} accepted connections to port {port} and sent {sent} before the timeout of {timeout} s',
      some: partial(
        '{replicas} accepted connections to port {port} and sent {sent} before the timeout: {bad} of {total} new connections hang',
      ),
      behind: behind('{replicas} sent {sent} before the timeout of {timeout} s'),
    },
    follows: [
      'only-dry-runs-fail',
      'pods-cannot-reach-api-server',
      'handler-waits-for-service',
      ...notRunning,
      'service-account-lacks-rights',
    ],
    references: ['/docs/concepts/workloads/pods/probes/#liveness-probe'],
  },
  requires: probeFacts,
  subjects: (facts) => probedCallouts(facts).filter(isServiceBacked),
  run: (callout, facts, find) =>
    reportResponse('hangs')(callout, facts, (messageId, data, ...rest) =>
      find(messageId, { ...data, timeout: callout.timeoutSeconds }, ...rest),
    ),
});
