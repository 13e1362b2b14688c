import { failingServers, ownCall, probedCallouts, probeFacts } from '../../apiserver/connection/probed.ts';
import { isAdmission } from '../../facts/callout.ts';
import { defineCheck } from '../check.ts';
import { behindAnswers } from './behind-answers.ts';

export const responseUnauthorized = defineCheck({
  meta: {
    id: 'response-unauthorized',
    link: 'response',
    title: 'Webhook requires credentials',
    severity: 'error',
    consequence: 'failing',
    explains: {
      'aggregation-not-configured': 1,
      'client-not-authenticated': 1,
      'apiservice-discovery-failed': 5,
      unauthorized: 1,
      forbidden: 1,
    },
    why: 'The API server sends no credentials to webhooks unless its `--admission-control-config-file` configures them, which no API shows. Tokens for webhooks (KEP-6060, alpha) are issued from 1.37 on, and kube-apiserver itself does not send them yet. A 401 or 403 comes from authentication in the program, or from a proxy in front of it (`RBAC: access denied` is Istio).',
    advice: 'Exclude the path of the webhook from authentication, or its port from the mesh.',
    noRemedy: 'in-the-server',
    messages: {
      all: '401 or 403 from {replicas} ({bad} of {total}): {said}',
      some: {
        text: '401 or 403 from {replicas} ({bad} of {total} new connections): {said}',
        severity: 'warning',
        consequence: 'degraded',
      },
      unproven: {
        text: '401 or 403 from {replicas} ({bad} of {total}); unknown: whether the API server sends credentials: {said}',
        severity: 'warning',
        consequence: 'unknown',
      },
    },
    follows: behindAnswers,
    references: ['https://kep.k8s.io/6060'],
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run(probed, facts, find) {
    const found = failingServers(probed, facts, ({ meeting }) => meeting.fault === 'unauthorized');
    const own = isAdmission(probed.callout) ? ownCall(probed, facts) : 'fails';
    if (found === undefined || own === 'passes') return undefined;
    return find(own === 'fails' ? found.extent : 'unproven', found.data, found.evidence, 'observed');
  },
});
