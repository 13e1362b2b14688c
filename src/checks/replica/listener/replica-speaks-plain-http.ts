import { reportFailing } from '../../../apiserver/connection/failing-servers.ts';
import { probedCallouts, probeFacts } from '../../../apiserver/connection/probed-callouts.ts';
import { firstResult } from '../../../basics/collections.ts';
import { knownPods } from '../../../facts/workloads/replicas.ts';
import { tlsSwitchedOff } from '../../../pods/listening.ts';
import { defineCheck, partial } from '../../check.ts';

export const replicaSpeaksPlainHttp = defineCheck({
  meta: {
    id: 'replica-speaks-plain-http',
    title: 'Pod serves plain HTTP instead of HTTPS',
    consequence: 'failing',
    why: 'The API server calls webhooks over HTTPS only. The port of the Service belongs to a health or metrics server, or the process started without its certificate.',
    advice:
      '[end] Set `targetPort` to the port that serves TLS: `kubectl -n {namespace} edit service {service}`. [end] If the process does not serve TLS, configure its certificate and key: `kubectl -n {namespace} edit {workload}`.',
    messages: {
      all: 'Port {port} of {replicas} serves plain HTTP',
      switchedOff: {
        text: 'Port {port} of {replicas} serves plain HTTP: {setting} turns TLS off',
        advice:
          '[end] Turn TLS on, and mount the certificate and its key: `kubectl -n {namespace} edit {workload}`. [with] Change the values of its chart or its manifests, too.',
      },
      some: partial('Port {port} of {replicas} serves plain HTTP: {bad} of {total} new connections fail'),
    },
    preventsReadiness: true,
    follows: ['selector-covers-other-workload', 'leader-gated-answer', 'leader-lease-stale'],
    references: [
      '/docs/reference/access-authn-authz/extensible-admission-controllers/#contacting-the-webhook',
    ],
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run: (callout, facts, find) =>
    reportFailing(({ callResult }) => callResult.fault === 'plain-http')(
      callout,
      facts,
      (extent, data, ...details) => {
        const setting = firstResult(knownPods(callout, facts), (pod) => tlsSwitchedOff(pod, data.port));
        return extent === 'all' && setting !== undefined
          ? find('switchedOff', { ...data, setting }, ...details)
          : find(extent, data, ...details);
      },
    ),
});
