import { probedCallouts, probeFacts, reportFailing } from '../../apiserver/connection/probed.ts';
import { defineCheck } from '../check.ts';

export const replicaSpeaksPlainHttp = defineCheck({
  meta: {
    id: 'replica-speaks-plain-http',
    link: 'replica',
    title: 'Pod serves plain HTTP instead of HTTPS',
    severity: 'error',
    consequence: 'failing',
    explains: { 'plain-http': 1, 'not-tls': 1 },
    why: 'The API server calls webhooks over HTTPS only. The port of the Service belongs to a health or metrics server, or the process started without its certificate.',
    advice:
      'Set `targetPort` of the Service to the port that serves TLS, or configure the process with its certificate and key.',
    noRemedy: 'in-the-server',
    messages: {
      all: 'Port {port} of {replicas} serves plain HTTP ({bad} of {total} replicas)',
      some: {
        text: 'Port {port} of {replicas} serves plain HTTP: {bad} of {total} new connections fail',
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
