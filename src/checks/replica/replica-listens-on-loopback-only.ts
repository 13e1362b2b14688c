import { probedCallouts, probeFacts, reportFailing } from '../../apiserver/connection/probed.ts';
import { defineCheck } from '../check.ts';

export const replicaListensOnLoopbackOnly = defineCheck({
  meta: {
    id: 'replica-listens-on-loopback-only',
    link: 'replica',
    title: 'A replica listens on localhost only',
    severity: 'error',
    consequence: 'failing',
    why: "The port is open inside the Pod and closed on the Pod's address: the process is bound to 127.0.0.1, so that only a port-forward or a sidecar reaches it.",
    advice: 'Bind the process to all addresses (`0.0.0.0`, `[::]` or `:PORT`), not to localhost.',
    noRemedy: 'in-the-server',
    messages: {
      all: '{replicas}: port {port} is open on the loopback of the Pod and closed on its address ({bad} of {total} replicas)',
      some: {
        text: '{replicas}: port {port} is open on the loopback of the Pod and closed on its address; {bad} of {total} new connections are refused',
        severity: 'warning',
        consequence: 'degraded',
      },
    },
    follows: ['selector-covers-other-workload'],
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run: reportFailing(({ meeting }) => meeting.fault === 'loopback-only'),
});
