import { blame } from '../apiserver/sentences/blamed.ts';
import type { AdmissionCallout } from '../facts/callout.ts';
import { missingPods, type PodController } from '../facts/objects/pod-controller.ts';
import type { Facts } from '../facts/snapshot.ts';
import { isOfCloud, isOfNames, isOfNetwork, isOfVolumes } from '../facts/system-pods.ts';
import { systemNamespaces } from '../products/system-namespaces.ts';

type StarvedFacts = Pick<
  Facts,
  'callouts' | 'services' | 'namespaces' | 'failedCreateEvents' | 'podControllers'
>;

function isNeededByOthers({ metadata, spec: { template } }: PodController, facts: StarvedFacts): boolean {
  const { namespace = '' } = metadata;
  const labels = template.metadata?.labels ?? {};
  return (
    systemNamespaces(facts).includes(namespace) ||
    [isOfNetwork, isOfCloud, isOfVolumes].some((is) => is(template)) ||
    isOfNames(labels, namespace, facts.services.all(), undefined)
  );
}

/** Namespaces of workloads that other Pods need, and whose Pods are refused because this webhook does not answer. */
export function starvedNamespaces(callout: AdmissionCallout, facts: StarvedFacts): readonly string[] {
  if (!facts.failedCreateEvents.known('FailedCreate')) return [];
  const found = (facts.failedCreateEvents.get('FailedCreate') ?? []).flatMap(
    ({ involvedObject, message = '' }) => {
      const { kind, namespace = '', name } = involvedObject;
      const key = `${kind} ${namespace}/${name}`;
      const maker = facts.podControllers.getIfKnown(key);
      if (maker === undefined || missingPods(maker) === 0 || !isNeededByOthers(maker, facts)) return [];
      const blamed = blame(message, facts.callouts);
      return blamed?.error.kind !== 'denial' && blamed?.callouts.includes(callout) ? [namespace] : [];
    },
  );
  return [...new Set(found)];
}
