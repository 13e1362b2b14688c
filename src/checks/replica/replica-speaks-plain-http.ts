import { probedCallouts, probeFacts, reportFailing } from '../../apiserver/connection/probed.ts';
import { defineCheck } from '../check.ts';

export const replicaSpeaksPlainHttp = defineCheck({
  meta: {
    id: 'replica-speaks-plain-http',
    link: 'replica',
    title: 'A replica speaks plain HTTP where TLS is expected',
    severity: 'error',
    consequence: 'failing',
    explains: { 'plain-http': 1, 'not-tls': 1 },
    why: 'The API server calls webhooks over HTTPS only. The port behind the Service belongs to a health or metrics server, or the process was started without its certificate.',
    advice:
      'Point `targetPort` of the Service at the port that serves TLS, or give the process its certificate and key.',
    noRemedy: 'in-the-server',
    messages: {
      all: '{replicas}: plain HTTP at port {port} ({bad} of {total} replicas)',
      some: {
        text: '{replicas}: plain HTTP at port {port}; {bad} of {total} new connections meet it',
        severity: 'warning',
        consequence: 'degraded',
      },
    },
    follows: ['selector-covers-other-workload', 'leader-gated-answer', 'leader-lease-stale'],
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run: reportFailing(({ meeting }) => meeting.fault === 'plain-http'),
});
