import { matchRequest } from '../../apiserver/admission/match.ts';
import { selectorText } from '../../apiserver/admission/selector-text.ts';
import { probeFacts } from '../../apiserver/connection/probed-callouts.ts';
import { creationOf } from '../../apiserver/held-pods/holding-webhooks.ts';
import { groupBy } from '../../basics/collections.ts';
import { derive } from '../../basics/derive.ts';
import { type AdmissionCallout, failsOpen, isAdmission, webhookEvidence } from '../../facts/callout.ts';
import type { Evidence } from '../../facts/evidence.ts';
import { keyOf, refOf } from '../../facts/object-ref.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import type { Facts, World } from '../../facts/snapshot.ts';
import { countedCallouts, countedFacts } from '../../facts/webhook-counts.ts';
import { workloadArgument, workloadOfPod } from '../../facts/workloads/workloads.ts';
import { listed, counted as numbered } from '../../phrases/lists.ts';
import {
  covers,
  hasEnded,
  isUntouched,
  lacksMark,
  type MissedFacts,
  missedWhileOpen,
  missedWithoutPods,
  shownByOthers,
  type Uninjected,
} from '../../pods/missed-injection.ts';
import {
  type Injector,
  injectorOf,
  lacksInjection,
  mayHaveMissedPods,
  requestOf,
} from '../../products/injectors.ts';
import type { Injection } from '../../products/product.ts';
import { injectsByShape, isChangedByWebhook, podsRequesting } from '../../products/requested-injection.ts';
import { defineCheck, type Find, type Finding, type Messages } from '../check.ts';

const shown = 3;

interface Requested extends Uninjected<{ readonly request: string; readonly product: string }> {
  /** A webhook of the product that matches the first Pod now; undefined if none matches. */
  readonly matching: string | undefined;
  /** True if no rule of these webhooks is about the creation of Pods. */
  readonly isUncovered: boolean;
}

/** Only the first webhook of a product reports them. */
function requestedInVain(
  callout: AdmissionCallout,
  { product, injects }: Injector,
  facts: MissedFacts,
): readonly Requested[] {
  const webhooks = facts.callouts.filter(isAdmission).filter((one) => injectorOf(one)?.product === product);
  if (webhooks[0] !== callout) return [];
  const found = facts.namespaces.all().flatMap((namespace) =>
    (facts.namespacePods.getIfKnown(namespace.metadata.name) ?? []).flatMap((pod) => {
      const request = requestOf(injects, pod, namespace);
      if (request === undefined || hasEnded(pod) || !lacksInjection(injects, pod, namespace)) return [];
      const matches = webhooks.map((one) => matchRequest(one, creationOf(pod), facts));
      const matching = webhooks[matches.findIndex(({ outcome }) => outcome === 'called')]?.webhook;
      const isUncovered = matches.every((one) => one.outcome === 'skipped' && one.by === 'rules');
      return matching !== undefined || matches.every(({ outcome }) => outcome === 'skipped')
        ? { matching, isUncovered, pod, request }
        : [];
    }),
  );
  return [true, false].flatMap((isMatched) => {
    const these = found.filter(({ matching }) => (matching !== undefined) === isMatched);
    const [first] = these;
    if (first === undefined) return [];
    return {
      matching: first.matching,
      isUncovered: first.isUncovered,
      pods: these.map(({ pod }) => pod),
      data: { request: first.request, product },
      evidence: webhooks.map((one) =>
        first.isUncovered
          ? webhookEvidence(
              one,
              'rules[].resources',
              one.rules.flatMap(({ resources }) => resources).join(', '),
            )
          : webhookEvidence(one, 'namespaceSelector', selectorText(one.namespaceSelector)),
      ),
    };
  });
}

const injectorsByShape = derive(['callouts'], ({ callouts }: Pick<Facts, 'callouts'>) =>
  callouts.filter(injectsByShape),
);

/** True if the selectors of all webhooks that may inject exclude a Pod. */
const isExcluded = (pod: Pod, facts: MissedFacts): boolean =>
  injectorsByShape(facts).every((one) => matchRequest(one, creationOf(pod), facts).outcome === 'skipped');

/** Pods that a webhook without a known mark has left as they were requested, by annotation. */
function unchangedOf(callout: AdmissionCallout, facts: MissedFacts): readonly Unchanged[] {
  const isAfter = ({ metadata }: Pod) =>
    (metadata.creationTimestamp ?? '') > (callout.metadata.creationTimestamp ?? '~');
  const left = podsRequesting(callout, facts).flatMap(({ pod, request }) => {
    if (hasEnded(pod) || !isAfter(pod) || isChangedByWebhook(pod) !== false) return [];
    // A webhook that fails closed was called, and left the Pods as they are.
    if (covers(callout, pod, facts))
      return failsOpen(callout) ? { pod, request, message: 'unchanged' as const } : [];
    return isExcluded(pod, facts) ? { pod, request, message: 'excluded' as const } : [];
  });
  const alike = groupBy(
    left,
    ({ request, pod, message }) => `${pod.metadata.namespace} ${request} ${message}`,
  );
  return [...alike.values()].map((same) => ({ ...same[0], pods: same.map(({ pod }) => pod) }));
}

interface Unchanged {
  readonly pods: readonly Pod[];
  readonly request: string;
  readonly message: 'unchanged' | 'excluded';
}

const podNames = (pods: readonly Pod[]): string =>
  listed(
    pods.map(({ metadata }) => keyOf(metadata)),
    { most: shown },
  );

/** Controllers that create a deleted Pod again, as a Rollout of Argo does by its ReplicaSet. */
const replacing: ReadonlySet<string> = new Set(['ReplicaSet', 'ReplicationController', 'CloneSet']);

/**
 * The first workload of the Pods that a restart replaces, the first Pod that its controller replaces, and the first Pod
 * without a controller: nothing creates it again. Of others, a deletion ends the work, as of a TaskRun or a Workflow.
 */
function workloadNames(pods: readonly Pod[]) {
  const isAlone = (pod: Pod): boolean => workloadOfPod(pod).kind === 'Pod';
  const isRestarted = (pod: Pod): boolean => workloadArgument(workloadOfPod(pod)) !== undefined;
  const isReplaced = (pod: Pod): boolean => replacing.has(workloadOfPod(pod).kind);
  const pod = pods.find(isRestarted) ?? pods.find(isReplaced) ?? pods.find((one) => !isAlone(one)) ?? pods[0];
  const workload = pod && workloadOfPod(pod);
  const recreated = workload && workloadArgument(workload);
  return {
    place: pod?.metadata.namespace,
    recreated,
    replaced: pod && isReplaced(pod) ? pod.metadata.name : undefined,
    alone: pods.find(isAlone)?.metadata.name,
  };
}

/** What all messages say of the Pods, the evidence, and the workload of the first Pod. */
function common({ pods, evidence }: Uninjected<object>, { what: part, mark }: Injection) {
  return {
    said: { podsHave: numbered(pods.length, 'Pod has', 'Pods have'), part, pods: podNames(pods) },
    evidence: [
      ...pods.slice(0, shown).map(({ metadata }) => ({
        object: { kind: 'Pod', namespace: metadata.namespace ?? '', name: metadata.name },
        field: mark.includes('/') ? `metadata.annotations["${mark}"]` : `spec.volumes[${mark}]`,
        value: `absent; made at ${metadata.creationTimestamp}`,
      })),
      ...evidence,
    ],
    names: workloadNames(pods),
  };
}

const managedEvidence = (pods: readonly Pod[]): readonly Evidence[] =>
  pods.slice(0, shown).map(({ metadata }) => ({
    object: refOf('Pod', metadata),
    field: 'metadata.managedFields',
    value: `every label, annotation and field of spec has a manager; made at ${metadata.creationTimestamp}`,
  }));

const recreateThem =
  '[safe] While calls to the injector succeed, recreate the Pods: `kubectl -n {place} rollout restart {recreated}`. [end] While calls to the injector succeed, delete each Pod; its controller creates it again: `kubectl -n {place} delete pod {replaced}`. [look] Save the manifest of a Pod without a controller: `kubectl -n {place} get pod {alone} -o yaml`. [end] Then delete Pod `{alone}`, and create it from the manifest. [look] If a new Pod is not injected either, read the log of the injector: `kubectl -n {namespace} logs {backend}`.';

const compareSelectors =
  '[look] Compare the selectors with the labels of the namespace and of the Pod: `kubectl get namespace {place} --show-labels`. [end] If these Pods need injection, add the label that the selectors require, or remove the label that excludes the Pods. [end] Then recreate the Pods: `kubectl -n {place} rollout restart {recreated}`. [end] Then delete each Pod; its controller creates it again: `kubectl -n {place} delete pod {replaced}`.';

const advice =
  '[safe] When the injector responds again, recreate the Pods: `kubectl -n {place} rollout restart {recreated}`. [end] When the injector responds again, delete each Pod; its controller creates it again: `kubectl -n {place} delete pod {replaced}`. [end] Set `failurePolicy: Fail` if a Pod without injection is worse than no Pod.';

const messages = {
  missed:
    '{podsHave} no {part} ({pods}), although matched by {webhook}: requests were admitted without it {times} {since}',
  withoutPods: '{podsHave} no {part} ({pods}), although matched by {webhook}, {state}',
  untouched: '{webhook}, {state}, has not changed {count} ({pods}): {shown}',
  requested: {
    text: '{podsHave} no {part} ({pods}), although injection is requested ({request}), and {webhook} matches them',
    advice: recreateThem,
  },
  notCovered: {
    text: '{podsHave} no {part} ({pods}), although injection is requested ({request}): no rule of a webhook of {product} matches the creation of Pods',
    advice:
      '[look] Compare the rules with those in the manifests of this release: `kubectl get {kind} {configuration} -o yaml`. [end] Apply these manifests again, or delete the configuration if the program writes it when it starts, and restart the program: `kubectl -n {namespace} rollout restart {workload}`. [end] Then recreate the Pods: `kubectl -n {place} rollout restart {recreated}`. [end] Then delete each Pod; its controller creates it again: `kubectl -n {place} delete pod {replaced}`.',
  },
  unmatched: {
    text: '{podsHave} no {part} ({pods}), although injection is requested ({request}): the selectors of {product} exclude the Pod or its namespace',
    advice: compareSelectors,
  },
  excluded: {
    text: '{webhook} does not match {count} ({pods}), although injection is requested ({request}): its selectors exclude the Pod or its namespace',
    advice: compareSelectors,
  },
  unchanged: {
    text: '{webhook} matches {count} ({pods}), and injection is requested ({request}), but no webhook added a container, volume, variable or label',
    advice: recreateThem,
  },
} as const satisfies Messages;

const requires = [
  ...new Set([
    ...countedFacts,
    'namespaces' as const,
    'served' as const,
    'namespacePods' as const,
    'workloads' as const,
    ...probeFacts,
  ]),
] as const;

type InjectionFacts = World<(typeof requires)[number]>;
type FindMissed = Find<typeof messages, typeof advice>;

/** Pods that a webhook of an unknown product has not changed. */
function withoutMark(callout: AdmissionCallout, facts: InjectionFacts, find: FindMissed): readonly Finding[] {
  const { webhook } = callout;
  const saidOf = (pods: readonly Pod[]) => ({
    count: numbered(pods.length, 'Pod'),
    pods: podNames(pods),
    webhook,
  });
  const missed = failsOpen(callout) ? missedWithoutPods(callout, isUntouched, facts) : undefined;
  const by = missed && shownByOthers(callout, missed.pods, facts);
  if (missed !== undefined && by !== undefined) {
    const { pods, data, evidence } = missed;
    const untouched = [...managedEvidence(pods), ...evidence];
    return [find('untouched', { ...saidOf(pods), ...data, shown: by }, untouched, workloadNames(pods))];
  }
  return unchangedOf(callout, facts).map(({ pods, request, message }) =>
    find(message, { ...saidOf(pods), request }, managedEvidence(pods), workloadNames(pods)),
  );
}

/** Pods without the mark of the product. */
function withoutInjection(
  callout: AdmissionCallout,
  injector: Injector,
  facts: InjectionFacts,
  find: FindMissed,
): readonly Finding[] {
  const { webhook } = callout;
  const mayMiss = mayHaveMissedPods(callout);
  const counted = countedCallouts(facts).find((one) => one.callout === callout);
  const requested = requestedInVain(callout, injector, facts);
  const alone = mayMiss ? missedWithoutPods(callout, lacksMark(injector), facts) : undefined;
  // The check is unknown without counts only if nothing else shows such Pods.
  const isCounting =
    (requested.length === 0 && alone === undefined) || facts.metrics.getIfKnown('server')?.missing === 0;
  const missed = isCounting && counted && mayMiss ? missedWhileOpen(counted, injector, facts) : undefined;
  if (missed && missed.pods.length > 0) {
    const { said, evidence, names } = common(missed, injector.injects);
    return [find('missed', { ...said, ...missed.data, webhook }, evidence, names)];
  }
  const down = (alone === undefined ? [] : [alone]).map((found) => {
    const { said, evidence, names } = common(found, injector.injects);
    return find('withoutPods', { ...said, ...found.data, webhook }, evidence, names);
  });
  const others = requested.map((found) => {
    const { said, evidence, names } = common(found, injector.injects);
    const data = { ...said, ...found.data, webhook: found.matching ?? '' };
    const inVain = found.isUncovered ? 'notCovered' : 'unmatched';
    return find(found.matching === undefined ? inVain : 'requested', data, evidence, names);
  });
  return [...down, ...others];
}

export const podsWithoutInjection = defineCheck({
  meta: {
    id: 'pods-without-injection',
    title: 'Pods were created without injection',
    severity: 'warning',
    why: 'While calls to a webhook with failurePolicy Ignore fail, Pods are created without injection. Until they are recreated, they run without the proxy or agent, outside of mutual TLS, policy and secrets. A run reads 3 namespaces of an injector that is down or was in the last hour (at most 20 with `--deep` or its name).',
    advice,
    noRemedy: 'is-past',
    messages,
  },
  requires,
  subjects: ({ callouts }) =>
    callouts.filter(isAdmission).filter((one) => injectorOf(one) !== undefined || injectsByShape(one)),
  run(callout, facts, find) {
    const injector = injectorOf(callout);
    return injector === undefined
      ? withoutMark(callout, facts, find)
      : withoutInjection(callout, injector, facts, find);
  },
});
