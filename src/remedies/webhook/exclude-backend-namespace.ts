import { type VitalRequest, vital, vitalRequestsMatched } from '../../apiserver/admission/vital-request.ts';
import {
  controllers,
  foreseenByService,
  foreseenByWorkload,
} from '../../apiserver/deadlock/admission-path.ts';
import { bootstrapOf } from '../../apiserver/deadlock/bootstrap.ts';
import { blame } from '../../apiserver/sentences/call-error/blamed.ts';
import type { AdmissionCallout } from '../../facts/callout.ts';
import { missingPods, type PodController } from '../../facts/objects/pod-controller.ts';
import type { Service } from '../../facts/objects/service.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { isOfCloud, isOfNames, isOfNetwork, isOfVolumes } from '../../facts/workloads/system-pods.ts';
import { listed } from '../../phrases/lists.ts';
import { systemNamespaces } from '../../products/system-namespaces.ts';
import { andTryAgain, serviceBehind, workloadBehind } from '../backend.ts';
import { configurationKinds, defineRemedy, workloadKinds } from '../remedy.ts';
import { excluding, exclusionPlan } from './exclusion.ts';

/** The facts that show which Pods are needed to start a backend, and which of them are refused. */
export const factsOfBlockedPods = [
  'callouts',
  'services',
  'workloads',
  'namespaces',
  'served',
  'version',
  'failedCreateEvents',
  'podControllers',
] as const;

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

/** Namespaces of workloads that other Pods need, whose Pods this webhook refuses by not responding. */
function namespacesOfBlockedPods(callout: AdmissionCallout, facts: StarvedFacts): readonly string[] {
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

/**
 * Namespaces in which Pods must be created before the backend can respond: its own, and those of refused Pods
 * that it depends on.
 */
export const namespacesInNeed = (
  callout: AdmissionCallout,
  { metadata: { namespace = '' } }: Service,
  facts: StarvedFacts,
): readonly string[] => [...new Set([namespace, ...namespacesOfBlockedPods(callout, facts)])];

/** New Pods of controllers in these namespaces. */
const podsIn = (names: readonly string[]): readonly VitalRequest[] =>
  names.map((namespace) => vital('CREATE', 'v1', 'pods', { namespace, user: controllers }));

/** The writes of a restart of a workload. */
const restartIn = (namespace: string): readonly VitalRequest[] => [
  ...['deployments', 'statefulsets', 'daemonsets', 'replicasets'].map((name) =>
    vital('UPDATE', 'apps/v1', name, { namespace }),
  ),
  vital('CREATE', 'apps/v1', 'replicasets', { namespace }),
];

/** The update of a Node that removes a taint. */
export const untainting = vital('UPDATE', 'v1', 'nodes', { user: controllers });

/** True if the webhook is called for one of these requests. */
const matches = (
  callout: AdmissionCallout,
  requests: readonly VitalRequest[],
  facts: Parameters<typeof vitalRequestsMatched>[2],
): boolean => vitalRequestsMatched(callout, requests, facts).length > 0;

/** No restart for workloads of the network or a driver: it would stop the Pods that still run. */
const triesAgain = (namespaces: readonly string[]): string =>
  `Controllers retry refused Pods in ${listed(namespaces)} within about 17 minutes; \`kubectl rollout restart\` of the workload retries at once.`;

export const excludeBackendNamespace = defineRemedy({
  meta: {
    id: 'exclude-backend-namespace',
    title: 'Exclude the namespaces that the backend depends on',
    risk: 'careful',
    does: "Excludes the backend's own namespace in the namespaceSelector. If its Pods need them and its rules match there, the namespaces of the control plane, nodes, network, storage and DNS are excluded, too. Its Pods can then start while the webhook does not respond. If Pods are waiting for that now, their workload is restarted, so that its controller retries at once.",
    leaves:
      'Anything else that keeps the Pods from starting. Until they are ready, requests in other namespaces are still refused.',
    answers: ['bootstrap-deadlock', 'covers-own-configuration-path'],
    touches: [
      { operation: 'patch', kinds: configurationKinds },
      { operation: 'restart', kinds: workloadKinds },
    ],
  },
  about: 'fails-closed',
  requires: factsOfBlockedPods,
  plan({ callout, breaks, check, waitsForNodes }, facts) {
    const service = serviceBehind(callout, facts);
    if (service === undefined) return undefined;
    // A Node is in no namespace.
    if (waitsForNodes === true && matches(callout, [untainting], facts)) return undefined;
    const own = service.metadata.namespace ?? '';
    const workload = workloadBehind(callout, facts);
    const pod = workload === undefined ? foreseenByService(service) : foreseenByWorkload(workload, service);
    const fits = (names: readonly string[]) => bootstrapOf(excluding(callout, names), pod, facts).outcome;
    const blockedNamespaces = namespacesOfBlockedPods(callout, facts);
    const near = namespacesInNeed(callout, service, facts);
    const far = [...new Set([...near, ...systemNamespaces(facts), 'kube-node-lease'])];
    // It refuses neither its own Pods nor their restart: what waits is a Pod elsewhere, or the update of a Node.
    const waitsElsewhere =
      check === 'bootstrap-deadlock' &&
      blockedNamespaces.length === 0 &&
      bootstrapOf(callout, pod, facts).outcome === 'free' &&
      !matches(callout, restartIn(own), facts);
    if (waitsElsewhere && !matches(callout, podsIn(far), facts)) return undefined;
    const candidates = waitsElsewhere
      ? [far]
      : [...(blockedNamespaces.length === 0 ? [] : [blockedNamespaces]), near, far];
    const names = candidates.find((candidate) => fits(candidate) === 'free');
    if (names === undefined)
      return `It is unknown whether its Pods could start with ${listed(far)} excluded. Fail open first, then narrow the rules.`;
    const narrow = exclusionPlan(callout, names);
    const others = blockedNamespaces.filter((name) => name !== own);
    const plan =
      others.length === 0 ? narrow : { ...narrow, warnings: [...narrow.warnings, triesAgain(others)] };
    const wasRefused = names.includes(own);
    return breaks === true && wasRefused && workload !== undefined
      ? andTryAgain(plan, callout, workload)
      : plan;
  },
});
