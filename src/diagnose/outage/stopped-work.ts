import {
  areAllNamespaces,
  extentText,
  selectedNamespaces,
} from '../../apiserver/admission/selected-namespaces.ts';
import { doesNotRespond, endedBeforeFailingOpen } from '../../apiserver/budget/late-failing-open.ts';
import { stuckBecauseOf } from '../../apiserver/sentences/call-error/stuck-namespaces.ts';
import { groupBy } from '../../basics/collections.ts';
import { type Callout, calloutId, isAdmission } from '../../facts/callout.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { ifKnown } from '../../facts/unread.ts';
import { agreeing, namedList } from '../../phrases/lists.ts';
import { impactTexts, namespacesNotDeletable, stopsDeletion } from '../verdict/impact-report.ts';
import type { BrokenCallout, OutageLine } from './broken-callout.ts';

const missingMetrics: Readonly<Record<string, string>> = {
  'metrics.k8s.io': 'HorizontalPodAutoscalers get no CPU and memory metrics',
  'custom.metrics.k8s.io': 'HorizontalPodAutoscalers get no custom metrics',
  'external.metrics.k8s.io': 'HorizontalPodAutoscalers get no external metrics',
};

/** Work of the cluster that stops; deletions of namespaces, and new metrics for autoscalers, are not urgent. */
interface Harm {
  readonly what: string;
  readonly urgent: boolean;
}

/** Deletions of namespaces, with those that are stuck in Terminating because of it. */
function namespaceHarms(
  callout: Callout,
  which: 'stuck' | 'deletions and stuck',
  facts: Facts,
): readonly Harm[] {
  const names = [...new Set(stuckBecauseOf(callout, facts).map(({ namespace }) => namespace.metadata.name))];
  const covered = isAdmission(callout) ? selectedNamespaces(callout, facts) : undefined;
  const notDeletable =
    covered === undefined || areAllNamespaces(covered, facts)
      ? namespacesNotDeletable
      : `${extentText(covered, facts)} cannot be deleted`;
  const stuck = `${namedList('namespace', names, 3)} ${agreeing(names.length, 'is', 'are')} stuck in Terminating`;
  const what = [...(which === 'stuck' ? [] : [notDeletable]), ...(names.length === 0 ? [] : [stuck])].join(
    ', ',
  );
  return what === '' ? [] : [{ what, urgent: false }];
}

/** Heartbeats that their clients end before the webhook fails open. */
function lateHarms(callout: Callout, facts: Facts): readonly Harm[] {
  if (!isAdmission(callout)) return [];
  const ended = ifKnown(
    () =>
      doesNotRespond(callout, facts)
        ? endedBeforeFailingOpen(callout, facts.callouts.filter(isAdmission), facts)
        : [],
    [],
  );
  return [...new Set(ended.map(({ about }) => about.impact))].map((what) => ({ what, urgent: true }));
}

/** The cluster's own work that stops while the webhook or APIService fails; deletions of namespaces last. */
function systemImpact({ callout, report }: BrokenCallout, facts: Facts): readonly Harm[] {
  const { verdict, impact } = report;
  if (verdict.state !== 'failing') return [];
  if (verdict.effect !== 'blocks') return verdict.effect === 'fails-open' ? lateHarms(callout, facts) : [];
  const { namespace = '', name = '' } = callout.client.service ?? {};
  if (callout.kind === 'aggregated-api') {
    const metrics = missingMetrics[callout.group];
    return [
      ...(metrics === undefined ? [] : [{ what: metrics, urgent: false }]),
      ...namespaceHarms(callout, 'deletions and stuck', facts),
    ];
  }
  const { stops = [] } = impact ?? {};
  const stopped = [
    ...impactTexts(stops.filter((one) => !stopsDeletion(one))),
    ...(impact?.comesBack === 'no' ? [`new Pods of Service ${namespace}/${name} cannot start`] : []),
  ];
  return [
    ...stopped.map((what) => ({ what, urgent: true })),
    ...namespaceHarms(callout, stops.some(stopsDeletion) ? 'deletions and stuck' : 'stuck', facts),
  ];
}

/** The cluster's own work that stops, a line for each harm. */
export function systemLines(broken: readonly BrokenCallout[], facts: Facts): readonly OutageLine[] {
  const harms = groupBy(
    broken.flatMap((one) => systemImpact(one, facts).map((harm) => ({ harm, id: calloutId(one.callout) }))),
    ({ harm }) => harm.what,
  );
  const idsOf = (same: readonly { readonly id: string }[]) => [...new Set(same.map(({ id }) => id))];
  return [...harms.values()].map((same) => ({
    kind: 'system',
    what: same[0].harm.what,
    ...(same[0].harm.urgent ? { urgent: true as const } : {}),
    which: 'all',
    weight: 1,
    callouts: idsOf(same),
  }));
}
