import { coversResource, staleIn } from '../../apiserver/admission/rule-resources.ts';
import { selectedNamespaces } from '../../apiserver/admission/selected-namespaces.ts';
import type { FirstFacts } from '../../collect/planner.ts';
import { type Callout, configurationsWithoutWebhooks, isAdmission } from '../../facts/callout.ts';
import type { LabelTest } from '../../facts/objects/label-selector-text.ts';
import type { Facts } from '../../facts/snapshot.ts';
import type { Unread } from '../../facts/unread.ts';
import { listed } from '../../phrases/lists.ts';
import { CalloutNameError, chooseCallouts, namedWithoutWebhooks } from './choose-callouts.ts';

/** Filters for webhooks and APIServices, besides names: `-n`, `--affecting`, `-l`. */
export interface CalloutFilter {
  /** The namespace of the backend; with `affecting`: that of the requests. */
  readonly namespace?: string | undefined;
  readonly affecting?: boolean;
  /** Selects the labels of the configuration. */
  readonly labels?: LabelTest | undefined;
}

type ReachFacts = Pick<Facts, 'namespaces' | 'served'>;

/** Whether its rules and its namespaceSelector can match requests in a namespace. */
function mayAffect(callout: Callout, namespace: string, facts: ReachFacts): boolean {
  if (callout.kind === 'conversion') return callout.resource.scope !== 'Cluster';
  const served = facts.served.getIfKnown('served');
  if (!isAdmission(callout)) {
    const own = served?.resources.filter(
      ({ group, version }) => group === callout.group && version === callout.version,
    );
    return own === undefined || own.length === 0 || own.some(({ namespaced }) => namespaced);
  }
  if (facts.namespaces.known(namespace) && !selectedNamespaces(callout, facts).includes(namespace))
    return false;
  // The labels of the Namespace also select requests for the Namespace itself.
  return callout.rules.some(
    (rule) =>
      served === undefined ||
      staleIn(rule, served.stale) !== undefined ||
      served.resources.some(
        (one) => (one.namespaced || one.resource === 'namespaces') && coversResource(rule, one),
      ),
  );
}

const passes =
  ({ namespace, affecting, labels }: CalloutFilter, facts: ReachFacts) =>
  (callout: Callout): boolean => {
    if (labels !== undefined && !labels(callout.metadata.labels ?? {})) return false;
    if (namespace === undefined) return true;
    if (affecting === true) return mayAffect(callout, namespace, facts);
    return callout.client.service?.namespace === namespace;
  };

/** The names and filters of a run. */
export interface CalloutChoice {
  /** Names as typed; empty for all. */
  readonly callouts?: readonly string[];
  /** Do not accept the beginning of a name. */
  readonly exactNames?: boolean;
  readonly filter?: CalloutFilter | undefined;
}

interface SelectedCallouts {
  readonly chosen: readonly Callout[];
  /** Named configurations without webhooks; absent if none. */
  readonly withoutWebhooks?: readonly string[];
  /** Number of webhooks and APIServices that filters exclude; absent if none. */
  readonly leftOut?: number;
}

/** Selects by names and filters. Throws CalloutNameError, also for a namespace that does not exist. */
export function selectedCallouts(
  first: Pick<FirstFacts, 'callouts' | 'configurations' | 'namespaces' | 'served'>,
  { callouts: names = [], exactNames = false, filter = {} }: CalloutChoice,
  unread: readonly Unread[],
): SelectedCallouts {
  const { namespace } = filter;
  const within = first.callouts.filter(passes(filter, first));
  if (namespace !== undefined && within.length === 0 && first.namespaces.isAbsent(namespace))
    throw new CalloutNameError(`namespace "${namespace}" does not exist`, [], {});
  const leftOut = first.callouts.length - within.length;
  const empty = configurationsWithoutWebhooks(first);
  const naming = {
    withoutWebhooks: empty,
    unread,
    exactNames,
    namespace: filter.affecting ? undefined : namespace,
  };
  const named = namedWithoutWebhooks(empty, names);
  try {
    const chosen = chooseCallouts(within, names, naming);
    return {
      chosen,
      ...(named.length === 0 ? {} : { withoutWebhooks: named }),
      ...(leftOut === 0 ? {} : { leftOut }),
    };
  } catch (error) {
    if (!(error instanceof CalloutNameError && error.absent) || leftOut === 0) throw error;
    // Throws if none has the name, also among those that filters exclude.
    const others = chooseCallouts(first.callouts, names, { ...naming, namespace: undefined });
    if (others.length === 0) throw error;
    const all = listed(names.map((name) => `"${name}"`));
    throw new CalloutNameError(`${all}: not among the webhooks that -n and -l select`, [], {});
  }
}
