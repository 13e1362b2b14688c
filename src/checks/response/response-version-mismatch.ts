import { probedCallouts, probeFacts, reportResponse } from '../../apiserver/connection/probed.ts';
import { behind, defineCheck, partial } from '../check.ts';
import { checksBehindResponses } from './checks-behind-responses.ts';

export const responseVersionMismatch = defineCheck({
  meta: {
    id: 'response-version-mismatch',
    link: 'response',
    title: 'Webhook responds in another version than requested',
    severity: 'error',
    consequence: 'failing',
    explains: {
      'review-versions': 1,
      'answer-of-other-version': 1,
      'answer-with-other-uid': 2,
      'response-invalid': 3,
    },
    why: 'A response must have the apiVersion and kind of the review. Programs from before Kubernetes 1.22 respond in v1beta1, whatever the request.',
    advice:
      'Respond in the apiVersion of the review. Until then, list only versions in `admissionReviewVersions` that the program supports: `kubectl edit {kind} {configuration}`.',
    noRemedy: 'in-the-server',
    messages: {
      all: 'Response from {replicas} ({bad} of {total} replicas) has another version than the review: {detail}',
      some: partial(
        'Response from {replicas} ({bad} of {total} new connections) has another version than the review: {detail}',
      ),
      behind: behind('response from {replicas} has another version than the review: {detail}'),
    },
    follows: checksBehindResponses,
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run: reportResponse('version-mismatch'),
});
