import { namesText, probedEndpointEvidence } from '../apiserver/connection/probed-endpoints.ts';
import type { ProbedEndpoint } from '../apiserver/connection/probed-servers.ts';
import type { Callout } from '../facts/callout.ts';
import type { Evidence } from '../facts/evidence.ts';
import { keyOf, refOf } from '../facts/object-ref.ts';
import { briefEnd } from '../phrases/brief.ts';
import type { Gate } from './leadership.ts';

/** The error of a replica, or its denial. */
export function replicaErrorText({ callResult }: ProbedEndpoint): string {
  if (callResult.outcome === 'fails') return callResult.detail || callResult.fault;
  const { outcome } = callResult;
  if (outcome === 'denies' && callResult.answer?.outcome === 'denied') return callResult.answer.message;
  return outcome === 'answers' ? 'responds' : outcome;
}

/** The error message of the API server if one replica denies what another allows. */
export function denialSentence(others: readonly ProbedEndpoint[]): { readonly sentence?: string } {
  const denial = others.find(({ callResult }) => callResult.outcome === 'denies');
  return denial === undefined ? {} : { sentence: replicaErrorText(denial) };
}

/** `the other Pod`, `the other 2 Pods`; their names if there are more of them, or not all are Pods. */
const othersText = ({ others, servers }: Gate): string =>
  others.length !== servers - 1 || others.some(({ pod }) => pod === undefined)
    ? namesText(others)
    : `the other ${others.length === 1 ? 'Pod' : `${others.length} Pods`}`;

/** The data that all messages about leader gating need. */
export const gateData = (gate: Gate) => ({
  others: othersText(gate),
  holder: namesText([gate.holder]),
  lease: keyOf(gate.lease.metadata),
  bad: gate.others.length,
  total: gate.total,
  port: gate.holder.probe?.port ?? 0,
  detail: briefEnd(gate.others[0] === undefined ? '' : replicaErrorText(gate.others[0])),
});

/** The Lease with its holder, and the errors of the other replicas. */
export const gateEvidence = (callout: Callout, { lease, others, holder }: Gate): readonly Evidence[] => [
  {
    object: refOf('Lease', lease.metadata),
    field: 'spec.holderIdentity',
    value: lease.spec?.holderIdentity ?? '',
  },
  probedEndpointEvidence(callout, holder, 'responds'),
  ...others.map((endpoint) => probedEndpointEvidence(callout, endpoint, replicaErrorText(endpoint))),
];

/** The advice for all checks about a backend of which only the leader serves. */
export const gateAdvice =
  '[safe] To restore service, scale to one replica, which becomes the leader: `kubectl -n {namespace} scale {workload} --replicas=1`. [with] More replicas make the failure worse: only one of them serves. [prevent] For a permanent fix, run the webhook apart from the controller that needs leadership, or start its server (with certificates and caches) on every replica. [with] In controller-runtime, a Runnable starts on every replica if its `NeedLeaderElection()` returns false.';
