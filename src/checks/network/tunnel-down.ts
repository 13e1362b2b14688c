import { reportFailing, reportOwnCall } from '../../apiserver/connection/failing-servers.ts';
import { lossOf } from '../../apiserver/connection/loss.ts';
import type { OwnCallEnd } from '../../apiserver/connection/own-call.ts';
import { ownEndOf, ownErrorOf } from '../../apiserver/connection/own-call-result.ts';
import { probedCallouts, probeFacts } from '../../apiserver/connection/probed-callouts.ts';
import { findCause } from '../../apiserver/sentences/call-error/find-cause.ts';
import { defineCheck, partial } from '../check.ts';

/** True for a call that passed the tunnel: the Pod refused the connection, or did not respond. */
function isAtItsEnd(end: OwnCallEnd | undefined): boolean {
  const symptom = end?.outcome === 'fails' ? findCause(ownErrorOf(end))?.symptom : undefined;
  return symptom === 'tunnel-refused' || symptom === 'tunnel-timeout';
}

export const tunnelDown = defineCheck({
  meta: {
    id: 'tunnel-down',
    title: 'Konnectivity tunnel to the nodes is down',
    consequence: 'failing',
    why: 'The API server connects to Pods through konnectivity. Without a connected agent, no call reaches a webhook in the cluster, and `kubectl logs` and `exec` fail as well.',
    advice:
      '[look] Check the agents (AKS and others use the label `app=konnectivity-agent`): `kubectl -n kube-system get pods -l k8s-app=konnectivity-agent`. [look] Read in their log why they have no connection to the control plane: `kubectl -n kube-system logs -l k8s-app=konnectivity-agent`.',
    noRemedy: 'in-the-network',
    sharedCause: true,
    messages: {
      all: 'Connections of the control plane through its tunnel to {replicas} fail: {detail}',
      own: 'The API server reports no connection through its tunnel to the nodes: {detail}',
      some: partial(
        'Connections of the control plane through its tunnel to {replicas} fail ({bad} of {total} new connections): {detail}',
      ),
    },
    preventsReadiness: true,
    references: ['/docs/concepts/architecture/control-plane-node-communication/#konnectivity-service'],
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run: (callout, facts, find) =>
    reportFailing((endpoint) => lossOf(endpoint) === 'tunnel')(callout, facts, find) ??
    (isAtItsEnd(ownEndOf(callout, facts)) ? undefined : reportOwnCall(['tunnel'])(callout, facts, find)),
});
