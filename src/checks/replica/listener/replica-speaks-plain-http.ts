import { reportFailing } from '../../../apiserver/connection/failing-servers.ts';
import { probedCallouts, probeFacts } from '../../../apiserver/connection/probed-callouts.ts';
import { defineCheck, partial } from '../../check.ts';

export const replicaSpeaksPlainHttp = defineCheck({
  meta: {
    id: 'replica-speaks-plain-http',
    title: 'Pod serves plain HTTP instead of HTTPS',
    consequence: 'failing',
    explains: { 'plain-http': 1, 'not-tls': 1 },
    why: 'The API server calls webhooks over HTTPS only. The port of the Service belongs to a health or metrics server, or the process started without its certificate.',
    advice:
      'Set `targetPort` to the port that serves TLS: `kubectl -n {namespace} edit service {service}`. If the process serves none, configure it with its certificate and key: `kubectl -n {namespace} edit {workload}`.',
    messages: {
      all: 'Port {port} of {replicas} serves plain HTTP',
      some: partial('Port {port} of {replicas} serves plain HTTP: {bad} of {total} new connections fail'),
    },
    follows: ['selector-covers-other-workload', 'leader-gated-answer', 'leader-lease-stale'],
    references: [
      '/docs/reference/access-authn-authz/extensible-admission-controllers/#contacting-the-webhook',
    ],
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run: reportFailing(({ callResult }) => callResult.fault === 'plain-http'),
});
