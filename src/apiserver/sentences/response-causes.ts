import { ends } from './cause-pattern.ts';

/** What came back: apiserver webhook/request/admissionreview.go, apimachinery errors NewGenericServerResponse. */
export const responseCauses = [
  // could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)
  ends(
    'review-versions',
    /does not accept known AdmissionReview versions|no supported conversion review versions/,
  ),
  // Webhook SideEffects is nil
  ends('side-effects', /Webhook SideEffects is nil/),
  // received undecodable patch in webhook response: …
  ends('patch-invalid', /undecodable patch|unsupported patch type/),
  // illegal base64 data at input byte 0: `response.patch` as plain JSON
  ends('patch-invalid', /^illegal base64 data at input byte/),
  // json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool
  ends(
    'response-invalid',
    /^(?:json: cannot unmarshal |yaml: |(?:Internal error occurred: )?mime: |unexpected GroupVersion string: )/,
    'undecodable-answer',
  ),
  // received invalid webhook response: expected response.uid="a", got "b"
  ends(
    'response-invalid',
    /invalid webhook response|expected webhook response of|expected response\.uid|0-length response|couldn't get version\/kind|unknown conversion|no kind "\w+" is registered|response was absent|no response provided|response\.result\.status was|returned \d+ objects, expected|returned invalid/,
  ),
  // 404: the server could not find the requested resource
  ends('path-not-found', /the server could not find the requested resource|404 page not found/),
  // 405: the server does not allow this method on the requested resource
  ends('http-error', /the server does not allow this method/, 'method-not-allowed'),
  // 401: the server has asked for the client to provide credentials
  ends('unauthorized', /the server has asked for the client to provide credentials/),
  // 403 with a text body: RBAC: access denied
  ends('unauthorized', /RBAC: access denied|\bForbidden\b/, 'forbidden'),
  // 503: the server is currently unable to handle the request
  ends('unavailable', /currently unable to handle the request|service unavailable/i),
  // 504: the server was unable to return a response in the time allotted, but may still be processing the request
  ends(
    'unavailable',
    /unable to return a response in the time allotted|gateway time-?out/i,
    'gateway-timeout',
  ),
  // 500: an error on the server ("…") has prevented the request from succeeding
  ends(
    'http-error',
    /an error on the server \(|responded with the status code (?<status>\d+)|bad status from \S+: (?<badStatus>\d+)|the server rejected our request|the server has received too many requests|the server reported a conflict|invalid Content-Type|unable to respond with a content type|Bad Gateway|Unable to connect/,
  ),
  // ValidatingAdmissionWebhook/policy.example.com has panicked: …
  ends('panic', /has panicked|\bpanic\b/i),
] as const;
