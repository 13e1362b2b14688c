import { derive } from '../../../basics/derive.ts';
import type { Callout } from '../../../facts/callout.ts';
import type { Condition } from '../../../facts/objects/metadata.ts';
import type { Namespace } from '../../../facts/objects/namespace.ts';
import type { Facts } from '../../../facts/snapshot.ts';
import { type Blame, blame } from './blamed.ts';

/** A condition of a namespace that is stuck in Terminating, whose message names webhooks or APIServices. */
export interface StuckNamespace {
  readonly namespace: Namespace;
  readonly condition: Condition;
  readonly blame: Blame;
}

/** Conditions that report why the namespace controller cannot continue (controller/namespace/deletion). */
const blockingConditions = ['NamespaceDeletionDiscoveryFailure', 'NamespaceDeletionContentFailure'];

const stuckNamespaces = derive(
  ['callouts', 'namespaces'],
  ({ callouts, namespaces }: Pick<Facts, 'callouts' | 'namespaces'>): readonly StuckNamespace[] =>
    namespaces.all().flatMap((namespace) => {
      if (namespace.metadata.deletionTimestamp === undefined) return [];
      return (namespace.status?.conditions ?? []).flatMap((condition) => {
        if (condition.status !== 'True' || !blockingConditions.includes(condition.type)) return [];
        const blamed = blame(condition.message ?? '', callouts);
        return blamed === undefined ? [] : [{ namespace, condition, blame: blamed }];
      });
    }),
);

/** The conditions of namespaces whose deletion this webhook or APIService blocks. */
export const stuckBecauseOf = (
  callout: Callout,
  facts: Pick<Facts, 'callouts' | 'namespaces'>,
): readonly StuckNamespace[] =>
  stuckNamespaces(facts).filter(({ blame: { callouts } }) => callouts.includes(callout));
