import { responseFaultCheck } from './response-fault-check.ts';

export const responseServerError = responseFaultCheck({
  id: 'response-server-error',
  title: 'Webhook returns an HTTP error',
  why: 'Any HTTP status other than 200 to 206 is a failed call, whatever the body contains. failurePolicy decides the result of the request. Probes send dry runs: a handler that fails for these alone can admit other requests.',
  advice:
    '[look] Read the log of the program at the time of a failed call, and fix the error in the log: `kubectl -n {namespace} logs {pod}`.',
  fault: 'server-error',
  returned: '{status}',
  known: {
    proxy: {
      // The whole body of Envoy, and the title of nginx's page, for a server behind them that does not accept a connection
      // or respond. A program may quote that of a proxy on its own way.
      detail:
        /^HTTP 50[234] (?:upstream connect error|no healthy upstream$|upstream request timeout$|(?:Bad Gateway|Gateway Time-?out|Service Temporarily Unavailable)$)/i,
      text: 'A proxy in {replicas} returned {status}, because it got no response from the program behind it: {detail}',
      advice:
        '[look] Find out why the program behind the proxy does not respond: `kubectl -n {namespace} logs {pod} --all-containers`. [look] Compare the port to which the proxy forwards with the port on which the program listens.',
    },
    oldApi: {
      // NotFound of client-go, for a request of the program to an API that the cluster removed or never had.
      detail: /^HTTP 500\b.*the server could not find the requested resource/,
      text: '{replicas} returned {status}, because the API server does not serve an API that the program calls: {detail}',
      advice:
        '[look] Compare the release of the program with the version of the cluster, also after an upgrade of its operator: `kubectl -n {namespace} get deployments,daemonsets,statefulsets -o wide`. [end] Update the program, or let its operator create the workload again if the operator left the old one. [see] The log of the program: `kubectl -n {namespace} logs {pod}`.',
    },
    limited: {
      detail: /^HTTP 429\b/,
      text: '{replicas} returned {status}, because a rate limit rejects the review: {detail}',
      advice:
        '[end] Raise the limit in the program, or in the proxy before it, or let the rules match fewer requests: `kubectl edit {kind} {configuration}`. [see] The log of the program: `kubectl -n {namespace} logs {pod} --all-containers`.',
    },
    contentType: {
      detail: /^HTTP 415\b/,
      text: '{replicas} returned {status} for Content-Type application/json, which the API server sends: {detail}',
      advice:
        '[end] Make the program, or a proxy before it, accept `Content-Type: application/json` without parameters. [look] Read the log of the program: `kubectl -n {namespace} logs {pod}`.',
    },
  },
  follows: ['handler-waits-for-service'],
  references: ['/docs/reference/access-authn-authz/extensible-admission-controllers/#failure-policy'],
});
