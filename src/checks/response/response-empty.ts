import { responseFaultCheck } from './response-fault-check.ts';

export const responseEmpty = responseFaultCheck({
  id: 'response-empty',
  title: 'Webhook returns an empty body',
  why: 'A response without a body is not an AdmissionReview, so the call fails. failurePolicy decides the result of the request.',
  advice:
    '[look] Find out why the program sends no body: `kubectl -n {namespace} logs {pod}`. [with] It must return an AdmissionReview with `response.uid` equal to `request.uid`, and `response.allowed`.',
  fault: 'empty',
  returned: 'an empty response body',
});
