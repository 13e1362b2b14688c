import { probedCallouts, probeFacts, reportFailing } from '../../apiserver/connection/probed.ts';
import { defineCheck } from '../check.ts';
import { behindAnswers } from './behind-answers.ts';

export const responsePathNotFound = defineCheck({
  meta: {
    id: 'response-path-not-found',
    link: 'response',
    title: 'Nothing answers at the path of the webhook',
    severity: 'error',
    consequence: 'failing',
    explains: { 'path-not-found': 1, 'method-not-allowed': 1, 'resource-not-found': 2 },
    why: 'The server answers 404 or 405 at the path that the configuration names: another version of the program, which serves other paths, or a program that is no webhook.',
    advice:
      'Compare `clientConfig.service.path` with the paths that this version of the program serves. A configuration that an older or newer version left behind has to be updated with it.',
    noRemedy: 'in-the-server',
    messages: {
      all: '{replicas} ({bad} of {total}) know nothing at the path: {said}',
      some: {
        text: '{replicas}: know nothing at the path; {bad} of {total} new connections meet that: {said}',
        severity: 'warning',
        consequence: 'degraded',
      },
    },
    follows: behindAnswers,
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run: reportFailing(({ meeting }) => meeting.fault === 'path-not-found'),
});
