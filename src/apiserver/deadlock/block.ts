import { type AdmissionCallout, webhookEvidence } from '../../facts/callout.ts';
import type { Evidence } from '../../facts/evidence.ts';
import type { Facts } from '../../facts/snapshot.ts';
import type { MatchedRequest } from '../admission/impact.ts';
import { matchEvidence, requestsText } from '../admission/match-evidence.ts';
import type { PathRequest } from './admission-path.ts';
import { bootstrapOf } from './bootstrap.ts';
import { type Serving, webhookChainText } from './serving.ts';

/**
 * What the new Pods need, back to these Pods: `Deployment a/x → ReplicaSet → Pod → webhook x.example.com →
 * Service a/x → Deployment a/x`, through what `others` name.
 */
export const dependencies = (
  { chain, text, ref }: Serving,
  webhook: AdmissionCallout,
  ...others: readonly string[]
): Evidence => ({
  object: ref,
  field: 'dependencies',
  value: [chain, ...others, webhookChainText(webhook), text].join(' → '),
});

/** The request of new Pods that is blocked, and the webhook that blocks it. */
export interface Block {
  readonly webhook: AdmissionCallout;
  readonly matched: readonly MatchedRequest<PathRequest>[];
}

/** The data of the messages about a block. */
export const blockData = (serving: Serving, { webhook, matched }: Block) => ({
  workload: serving.text,
  webhook: webhook.webhook,
  requests: requestsText(matched.map(({ about }) => about)),
});

/** The rules that match the request, and the desired replicas. */
export const blockEvidence = (serving: Serving, { webhook, matched }: Block): readonly Evidence[] => [
  ...matchEvidence(webhook, matched),
  webhookEvidence(webhook, 'failurePolicy', webhook.failurePolicy),
  ...(serving.wanted === undefined
    ? []
    : [{ object: serving.ref, field: 'spec.replicas', value: String(serving.wanted) }]),
  dependencies(serving, webhook),
];

/** The facts that decide whether a webhook matches a predicted request. */
export type ModelFacts = Pick<Facts, 'version' | 'namespaces' | 'served'>;

/** The request of these Pods that a webhook without replicas blocks; undefined if they serve without it. */
export function blockBy(webhook: AdmissionCallout, serving: Serving, facts: ModelFacts): Block | undefined {
  const found = bootstrapOf(webhook, serving.pod, facts, serving.wanted === 0);
  return found.outcome === 'blocked' ? { webhook, matched: found.matched } : undefined;
}
