import { probedCallouts, probeFacts, reportFailing } from '../../apiserver/connection/probed.ts';
import { advise } from '../../facts/advice.ts';
import { isServiceBacked } from '../../facts/callout.ts';
import { defineCheck } from '../check.ts';
import { notRunning } from './not-running.ts';

export const replicaHangs = defineCheck({
  meta: {
    id: 'replica-hangs',
    link: 'replica',
    title: 'A replica takes connections and never answers',
    severity: 'error',
    consequence: 'failing',
    explains: { 'timeout-504': 5, 'handshake-timeout': 1, 'connect-timeout': 5, deadline: 4 },
    why: 'The API server waits until the timeout is over, and then the call has failed; with failurePolicy Ignore each request is still that much slower. A process that hangs often stays Ready: its readiness probe asks another port, or the kernel accepts for it. An API server keeps its connection to one replica: all of its calls fail or none, until that connection ends.',
    advice: advise`Delete the Pod to get a new process: ${'kubectl -n {namespace} delete pod {pod}'}. Look first at what it waits for: ${'kubectl -n {namespace} logs {pod}'}, its CPU limit (throttling), a lock. Give it a liveness probe on the port that it serves.`,
    messages: {
      all: '{replicas}: accepts connections at port {port} and says nothing until the deadline ({bad} of {total} replicas)',
      some: {
        text: '{replicas}: accepts connections at port {port} and says nothing until the deadline; {bad} of {total} new connections end so',
        severity: 'warning',
        consequence: 'degraded',
      },
    },
    follows: notRunning,
  },
  requires: probeFacts,
  subjects: (facts) => probedCallouts(facts).filter(({ callout }) => isServiceBacked(callout)),
  run: reportFailing(({ meeting }) => meeting.fault === 'hangs'),
});
