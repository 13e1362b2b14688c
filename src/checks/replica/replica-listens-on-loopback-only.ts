import { probedCallouts, probeFacts, reportFailing } from '../../apiserver/connection/probed.ts';
import { defineCheck, partial } from '../check.ts';

export const replicaListensOnLoopbackOnly = defineCheck({
  meta: {
    id: 'replica-listens-on-loopback-only',
    title: 'Pod listens only on localhost',
    severity: 'error',
    consequence: 'failing',
    why: 'The process is bound to 127.0.0.1, so the port is open inside the Pod and closed on the Pod IP. Only a port-forward or a sidecar can connect to it.',
    advice:
      'Configure the process to listen on all addresses (`0.0.0.0`, `[::]` or `:PORT`) instead of localhost, usually with an argument or environment variable of the container: `kubectl -n {namespace} edit {workload}`.',
    noRemedy: 'in-the-server',
    messages: {
      all: 'Port {port} is open on localhost and closed on the Pod IP in {replicas}',
      some: partial(
        'Port {port} is open on localhost and closed on the Pod IP in {replicas}: {bad} of {total} new connections are refused',
      ),
    },
    follows: ['selector-covers-other-workload'],
    references: ['/docs/tasks/debug/debug-application/debug-service/#are-the-pods-working'],
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run: reportFailing(({ callResult }) => callResult.fault === 'loopback-only'),
});
