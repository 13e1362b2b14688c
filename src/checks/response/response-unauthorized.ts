import { defineCheck } from '../check.ts';
import { failing, probedCallouts, probeFacts } from '../probed.ts';

export const responseUnauthorized = defineCheck({
  meta: {
    id: 'response-unauthorized',
    link: 'response',
    title: 'The webhook wants credentials that the API server does not send',
    severity: 'error',
    consequence: 'failing',
    why: 'The API server sends no credentials to webhooks unless its own configuration file (`--admission-control-config-file`) says so. A 401 or 403 comes from authentication in the program, or from a proxy before it (`RBAC: access denied` is Istio).',
    advice: 'Exclude the path of the webhook from authentication, or the port from the mesh.',
    messages: {
      all: '{replicas} ({bad} of {total}) ask for credentials: {said}',
      some: {
        text: '{replicas}: ask for credentials; {bad} of {total} new connections meet that: {said}',
        severity: 'warning',
        consequence: 'degraded',
      },
    },
    follows: [
      'replicas-disagree',
      'leader-gated-answer',
      'leader-lease-stale',
      'selector-covers-other-workload',
      'path-trailing-slash',
    ],
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run(probed, facts, find, takenAt) {
    const found = failing(probed, facts, takenAt, ({ meeting }) => meeting.fault === 'unauthorized');
    return found && find(found.extent, found.data, found.evidence, 'observed');
  },
});
