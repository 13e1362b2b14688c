import { probedCallouts, probeFacts, reportResponse } from '../../apiserver/connection/probed.ts';
import { behind, defineCheck, partial } from '../check.ts';
import { checksBehindResponses } from './checks-behind-responses.ts';

export const responsePathNotFound = defineCheck({
  meta: {
    id: 'response-path-not-found',
    link: 'response',
    title: 'Path of the webhook does not exist on the server',
    severity: 'error',
    consequence: 'failing',
    explains: {
      'path-not-found': 1,
      'method-not-allowed': 1,
      'resource-not-found': 2,
      'apiservice-discovery-failed': 6,
      'api-version-not-found': 2,
    },
    why: 'The server returns 404 or 405 for the configured path: another version of the program with other paths, or a program that is not a webhook.',
    advice:
      'Compare `clientConfig.service.path` with the paths that this version of the program serves: `kubectl -n {namespace} logs {pod}`. Correct the path: `kubectl edit {kind} {configuration}`. If another version left this configuration, delete it: `kubectl delete {kind} {configuration}`.',
    noRemedy: 'in-the-server',
    messages: {
      all: '404 or 405 for the configured path from {replicas} ({bad} of {total} replicas): {detail}',
      some: partial(
        '404 or 405 for the configured path from {replicas} ({bad} of {total} new connections): {detail}',
      ),
      behind: behind('404 or 405 for the configured path from {replicas}: {detail}'),
    },
    follows: checksBehindResponses,
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run: reportResponse('path-not-found'),
});
