import { responseFaultCheck } from './response-fault-check.ts';

export const responseNotAReview = responseFaultCheck({
  id: 'response-not-a-review',
  title: 'Webhook returns something other than a review',
  explains: { 'undecodable-answer': 1, 'body-not-decompressed': 1, 'response-invalid': 1, 'empty-answer': 2 },
  why: 'The API server decodes the body as an AdmissionReview (JSON or YAML), whatever its Content-Type. An HTML page, a plain `ok` or an invalid document fails the call: another program responds, or the response is built incorrectly.',
  advice:
    'Find out which program serves that port and path: `kubectl -n {namespace} describe pod {pod}`. Read its log: `kubectl -n {namespace} logs {pod}`. It must return an AdmissionReview with a `response`.',
  fault: 'not-a-review',
  returned: 'a body that is not a review',
});
