import { responseFaultCheck } from './response-fault-check.ts';

export const responseNotAReview = responseFaultCheck({
  id: 'response-not-a-review',
  title: 'Webhook returns something other than a review',
  why: 'The API server decodes the body as an AdmissionReview (JSON or YAML), whatever its Content-Type. An HTML page, a plain `ok` or an invalid document fails the call: another program responds, or the response is built incorrectly.',
  advice:
    '[look] Find out which program responds on that port: `kubectl -n {namespace} describe pod {pod}`. [end] If this program is not the webhook, correct `targetPort` of the Service: `kubectl -n {namespace} edit service {service}`. [end] Or correct the path in `clientConfig`: `kubectl edit {kind} {configuration}`. [end] Otherwise correct the program: it must return an AdmissionReview with a `response`. [see] The log of the program: `kubectl -n {namespace} logs {pod}`.',
  fault: 'not-a-review',
  returned: 'a body that is not a review',
  known: {
    absent: {
      detail: /webhook response was absent/,
      text: '{replicas} returned a review without `response`: {detail}',
      advice:
        '[end] Set `response` in the program, with the `uid` of the request. [look] If the response is the unchanged review, another program serves that path: `kubectl -n {namespace} describe pod {pod}`. [see] The log of the program: `kubectl -n {namespace} logs {pod}`.',
    },
    mistyped: {
      detail: /cannot unmarshal \w+ into Go struct field/,
      text: '{replicas} returned a review in which a field has the wrong type: {detail}',
      advice:
        '[end] Correct the type of this field in the program: `allowed` is a boolean, `status.code` a number, and `patch` a base64 string. [see] The log of the program: `kubectl -n {namespace} logs {pod}`.',
    },
  },
});
