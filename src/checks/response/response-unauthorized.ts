import { probedCallouts, probeFacts, reportFailing } from '../../apiserver/connection/probed.ts';
import { defineCheck } from '../check.ts';
import { behindAnswers } from './behind-answers.ts';

export const responseUnauthorized = defineCheck({
  meta: {
    id: 'response-unauthorized',
    link: 'response',
    title: 'The webhook wants credentials that the API server does not send',
    severity: 'error',
    consequence: 'failing',
    explains: { unauthorized: 1, forbidden: 1 },
    why: 'The API server sends no credentials to webhooks unless its own configuration file (`--admission-control-config-file`) says so. A 401 or 403 comes from authentication in the program, or from a proxy before it (`RBAC: access denied` is Istio).',
    advice: 'Exclude the path of the webhook from authentication, or the port from the mesh.',
    noRemedy: 'in-the-server',
    messages: {
      all: '{replicas} ({bad} of {total}) ask for credentials: {said}',
      some: {
        text: '{replicas}: ask for credentials; {bad} of {total} new connections meet that: {said}',
        severity: 'warning',
        consequence: 'degraded',
      },
    },
    follows: behindAnswers,
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run: reportFailing(({ meeting }) => meeting.fault === 'unauthorized'),
});
