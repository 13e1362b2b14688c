import { failingServers } from '../../apiserver/connection/failing-servers.ts';
import { ownCall } from '../../apiserver/connection/own-call-result.ts';
import { probedCallouts, probeFacts } from '../../apiserver/connection/probed-callouts.ts';
import { statusText } from '../../apiserver/connection/response-text.ts';
import { isAdmission } from '../../facts/callout.ts';
import { nameIn } from '../../facts/evidence.ts';
import { defineCheck, partial, undecided } from '../check.ts';
import { checksBehindResponses } from './response-fault-check.ts';

export const responseUnauthorized = defineCheck({
  meta: {
    id: 'response-unauthorized',
    title: 'Webhook requires credentials',
    consequence: 'failing',
    confidence: 'observed',
    textAdvice: {
      'client-not-authenticated':
        '[look] Compare the CA that the server was started with (`--requestheader-client-ca-file`) with that of the cluster: `kubectl -n kube-system get configmap extension-apiserver-authentication -o yaml`. [end] Without that flag, restart the server, so that it reads the ConfigMap again: `kubectl -n {namespace} rollout restart {workload}`.',
      'aggregation-not-configured':
        '[end] Set the flags of the aggregation layer on each kube-apiserver, or update the control plane. [see] Its certificates are listed here: `kubectl -n kube-system get configmap extension-apiserver-authentication -o yaml`. [with] Then restart the backend: `kubectl -n {namespace} rollout restart {workload}`.',
    },
    why: 'The API server sends no credentials to webhooks unless its `--admission-control-config-file` configures them; the tokens of KEP-6060 (alpha in 1.37) are not sent yet. The 401 or 403 comes from authentication in the program, or from a proxy in front of it (`RBAC: access denied` is Istio).',
    advice:
      '[look] Find out who rejects the call: `kubectl -n {namespace} logs {pod} --all-containers`. [end] Exclude the path of the webhook from authentication, or its port from the mesh.',
    messages: {
      all: '{replicas} returned {status}: {detail}',
      some: partial('{replicas} returned {status} ({bad} of {total} new connections): {detail}'),
      unproven: undecided(
        '{replicas} returned {status} ({detail}); whether the API server sends credentials is unknown',
      ),
    },
    preventsReadiness: true,
    follows: checksBehindResponses,
    references: [
      '/docs/reference/access-authn-authz/extensible-admission-controllers/#authenticate-apiservers',
      'https://kep.k8s.io/6060',
    ],
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run(callout, facts, find) {
    const found = failingServers(callout, facts, ({ callResult }) => callResult.fault === 'unauthorized');
    const own = isAdmission(callout) ? ownCall(callout, facts) : 'fails';
    if (found === undefined || own === 'passes') return undefined;
    const data = { ...found.data, status: statusText(found.endpoints) };
    return find(own === 'fails' ? found.extent : 'unproven', data, found.evidence, {
      pod: nameIn(found.evidence, 'Pod'),
    });
  },
});
