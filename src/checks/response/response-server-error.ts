import { responseFaultCheck } from './response-fault-check.ts';

export const responseServerError = responseFaultCheck({
  id: 'response-server-error',
  title: 'Webhook returns an HTTP error',
  explains: {
    'no-upstream': 3,
    'handler-panic': 2,
    'backend-not-authorized': 2,
    unavailable: 1,
    'gateway-timeout': 2,
    'http-error': 1,
    panic: 1,
  },
  why: 'Any HTTP status other than 200 to 206 is a failed call, whatever the body contains. failurePolicy decides the result of the request. Probes send dry runs: a handler that fails for these alone can admit other requests.',
  advice:
    'Read the log of the program at that time, and fix the error that it reports: `kubectl -n {namespace} logs {pod}`.',
  fault: 'server-error',
  returned: '{status}',
  follows: ['handler-waits-for-service'],
  references: ['/docs/reference/access-authn-authz/extensible-admission-controllers/#failure-policy'],
});
