import { matchRequest } from '../../apiserver/admission/match.ts';
import { selectorText } from '../../apiserver/admission/selector-text.ts';
import { probeFacts } from '../../apiserver/connection/probed-callouts.ts';
import { creationOf } from '../../apiserver/held-pods/holding-webhooks.ts';
import { groupBy } from '../../basics/collections.ts';
import { derive } from '../../basics/derive.ts';
import {
  type AdmissionCallout,
  calloutId,
  failsOpen,
  isAdmission,
  webhookEvidence,
} from '../../facts/callout.ts';
import type { Evidence } from '../../facts/evidence.ts';
import { keyOf, refOf } from '../../facts/object-ref.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import type { Facts, World } from '../../facts/snapshot.ts';
import { countedCallouts, countedFacts } from '../../facts/webhook-counts.ts';
import { hasEnded } from '../../facts/workloads/pod-state.ts';
import { workloadArgument, workloadOfPod } from '../../facts/workloads/workloads.ts';
import { listed, counted as numbered } from '../../phrases/lists.ts';
import {
  covers,
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
  requestOfNamespace,
} from '../../products/injectors.ts';
import type { Injection } from '../../products/product.ts';
import {
  injectsByShape,
  isChangedByWebhook,
  isInjector,
  namesakesOf,
  podsRequesting,
  podsThatRequest,
  requestByLabel,
} from '../../products/requested-injection.ts';
import { defineCheck, type Find, type Finding, type Messages } from '../check.ts';

const shown = 3;

/** What excludes a Pod from webhooks, in words. */
const excludedBy = (matches: readonly ReturnType<typeof matchRequest>[]): string =>
  matches.some((one) => one.outcome === 'skipped' && one.by === 'match-conditions')
    ? 'match conditions'
    : 'selectors';

type InVain = 'requested' | 'older' | 'notCovered' | 'unmatched';

interface Requested
  extends Uninjected<{ readonly request: string; readonly product: string; readonly by: string }> {
  readonly message: InVain;
  /** A webhook of the product that matches the first Pod now; undefined if none matches. */
  readonly matching: AdmissionCallout | undefined;
}

/** True for a Pod that was created before the configuration of the webhook. */
const isOlder = ({ metadata }: Pod, callout: AdmissionCallout): boolean =>
  Date.parse(metadata.creationTimestamp ?? '') < Date.parse(callout.metadata.creationTimestamp ?? '');

/** The message about a Pod that requests injection by these webhooks and does not have it; undefined if one is unclear. */
function inVain(
  pod: Pod,
  { injects }: Injector,
  webhooks: readonly AdmissionCallout[],
  facts: MissedFacts,
): (Pick<Requested, 'message' | 'matching'> & { readonly request: string; readonly by: string }) | undefined {
  const namespace = facts.namespaces.getIfKnown(pod.metadata.namespace ?? '');
  if (namespace === undefined || hasEnded(pod) || !lacksInjection(injects, pod, namespace)) return undefined;
  const matches = webhooks.map((one) => matchRequest(one, creationOf(pod), facts));
  const matching = webhooks[matches.findIndex(({ outcome }) => outcome === 'called')];
  const own = requestOf(injects, pod, namespace);
  const request = own ?? (matching && requestOfNamespace(injects, namespace, matching));
  if (request === undefined) return undefined;
  if (matching !== undefined)
    return { request, matching, by: '', message: isOlder(pod, matching) ? 'older' : 'requested' };
  if (!matches.every(({ outcome }) => outcome === 'skipped')) return undefined;
  const isUncovered = matches.every((one) => one.outcome === 'skipped' && one.by === 'rules');
  return { request, matching, by: excludedBy(matches), message: isUncovered ? 'notCovered' : 'unmatched' };
}

/** Only the first webhook of a product reports them. */
function requestedInVain(
  callout: AdmissionCallout,
  injector: Injector,
  facts: MissedFacts,
): readonly Requested[] {
  const { product } = injector;
  const webhooks = facts.callouts.filter(isAdmission).filter((one) => injectorOf(one)?.product === product);
  if (webhooks[0] !== callout) return [];
  const found = podsThatRequest(facts).flatMap((pod) => {
    const result = inVain(pod, injector, webhooks, facts);
    return result === undefined ? [] : { ...result, pod };
  });
  const alike = groupBy(
    found,
    ({ message, request, by, matching }) => `${message} ${request} ${by} ${matching && calloutId(matching)}`,
  );
  return [...alike.values()].flatMap((these) => {
    const [first] = these;
    if (first === undefined) return [];
    const { message, matching, request, by } = first;
    const evidence = webhooks.map((one) =>
      message === 'notCovered'
        ? webhookEvidence(
            one,
            'rules[].resources',
            one.rules.flatMap(({ resources }) => resources).join(', '),
          )
        : webhookEvidence(one, 'namespaceSelector', selectorText(one.namespaceSelector)),
    );
    return { message, matching, pods: these.map(({ pod }) => pod), data: { request, product, by }, evidence };
  });
}

const injectorsByShape = derive(['callouts'], ({ callouts }: Pick<Facts, 'callouts'>) =>
  callouts.filter(injectsByShape),
);

/**
 * True if all webhooks that may inject exclude a Pod: those for Pods alone, and those that share a word with the webhook, as
 * another installation does.
 */
const isExcluded = (callout: AdmissionCallout, pod: Pod, facts: MissedFacts): boolean =>
  [...injectorsByShape(facts), ...namesakesOf(callout, facts)].every(
    (one) => matchRequest(one, creationOf(pod), facts).outcome === 'skipped',
  );

/** The first webhook that the label requests: one reports the Pod. */
const firstFor = (request: string, pod: Pod, facts: MissedFacts): AdmissionCallout | undefined =>
  injectorsByShape(facts).find((one) => requestByLabel(one, pod) === request);

/** Pods that a webhook without a known mark has left as they were requested, by annotation or by a label that it selects. */
function unchangedOf(callout: AdmissionCallout, facts: MissedFacts): readonly Unchanged[] {
  const annotated = podsRequesting(callout, facts).flatMap(({ pod, request }) => {
    if (hasEnded(pod) || isChangedByWebhook(pod) !== false) return [];
    const isBefore = isOlder(pod, callout);
    // A webhook that fails closed was called, and left the Pods as they are.
    if (covers(callout, pod, facts))
      return isBefore || failsOpen(callout)
        ? { pod, request, message: isBefore ? ('before' as const) : ('unchanged' as const) }
        : [];
    return !isBefore && isExcluded(callout, pod, facts) ? { pod, request, message: 'excluded' as const } : [];
  });
  const labelled = podsThatRequest(facts).flatMap((pod) => {
    const request = requestByLabel(callout, pod);
    return request === undefined ||
      hasEnded(pod) ||
      isChangedByWebhook(pod) === true ||
      firstFor(request, pod, facts) !== callout ||
      !isExcluded(callout, pod, facts)
      ? []
      : { pod, request, message: 'excluded' as const };
  });
  const left = [...annotated, ...labelled];
  const alike = groupBy(
    left,
    ({ request, pod, message }) => `${pod.metadata.namespace} ${request} ${message}`,
  );
  return [...alike.values()].map((same) => ({
    ...same[0],
    by: excludedBy(same.map(({ pod }) => matchRequest(callout, creationOf(pod), facts))),
    pods: same.map(({ pod }) => pod),
  }));
}

interface Unchanged {
  readonly pods: readonly Pod[];
  readonly request: string;
  readonly by: string;
  readonly message: 'unchanged' | 'excluded' | 'before';
}

const podNames = (pods: readonly Pod[]): string =>
  listed(
    pods.map(({ metadata }) => keyOf(metadata)),
    { most: shown },
  );

/** Controllers that create a deleted Pod again, as a Rollout of Argo does by its ReplicaSet. */
const replacing: ReadonlySet<string> = new Set([
  'ReplicaSet',
  'ReplicationController',
  'CloneSet',
  'StatefulSet.apps.kruise.io',
  'StrimziPodSet',
]);

/**
 * The first workload of the Pods that a restart replaces, the first Pod that its controller replaces, the first other
 * owner (a deletion ends the work of a TaskRun or a Workflow), and the first Pod without a controller: nothing creates it
 * again.
 */
function workloadNames(pods: readonly Pod[]) {
  const of = pods.map((pod) => ({ pod, workload: workloadOfPod(pod) }));
  const alone = of.find(({ workload }) => workload.kind === 'Pod')?.pod.metadata;
  const controlled = of.filter(({ workload }) => workload.kind !== 'Pod');
  const restarted = controlled.find(({ workload }) => workloadArgument(workload) !== undefined);
  const replaced = controlled.find(({ workload }) => replacing.has(workload.kind));
  const { pod, workload } = restarted ?? replaced ?? controlled[0] ?? {};
  return {
    place: pod?.metadata.namespace ?? alone?.namespace,
    recreated: restarted && workloadArgument(restarted.workload),
    replaced: restarted === undefined ? replaced?.pod.metadata.name : undefined,
    controller:
      workload && restarted === undefined && replaced === undefined
        ? `${workload.kind}/${workload.name}`
        : undefined,
    alone: alone?.name,
    home: alone?.namespace,
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
  '[safe] While calls to the injector succeed, recreate the Pods: `kubectl -n {place} rollout restart {recreated}`. [end] While calls to the injector succeed, delete each Pod; its controller creates it again: `kubectl -n {place} delete pod {replaced}`. [end] Pods of `{controller}` are injected when its operator or a new run creates them. [look] Save the manifest of a Pod without a controller: `kubectl -n {home} get pod {alone} -o yaml`. [end] Then delete Pod `{alone}`, and create it from the manifest. [look] If a new Pod is not injected either, read the log of the injector: `kubectl -n {namespace} logs {backend}`.';

const compareSelectors =
  '[look] Compare the selectors and match conditions with the labels of the namespace and of the Pod: `kubectl get namespace {place} --show-labels`. [end] If these Pods need injection, add the label that they require, or remove the label that excludes the Pods. [end] Then recreate the Pods: `kubectl -n {place} rollout restart {recreated}`. [end] Then delete each Pod; its controller creates it again: `kubectl -n {place} delete pod {replaced}`. [end] Pods of `{controller}` are injected when its operator or a new run creates them.';

const advice =
  '[safe] When the injector responds again, recreate the Pods: `kubectl -n {place} rollout restart {recreated}`. [end] When the injector responds again, delete each Pod; its controller creates it again: `kubectl -n {place} delete pod {replaced}`. [end] Set `failurePolicy: Fail` if a Pod without injection is worse than no Pod.';

const messages = {
  missed:
    '{podsHave} no {part} ({pods}), although matched by {webhook}: requests were admitted without it {times} {since}',
  withoutPods: '{podsHave} no {part} ({pods}), although matched by {webhook}, {state}',
  untouched: '{webhook}, {state}, has not changed {count} ({pods}): {shown}',
  requested: {
    text: '{podsHave} no {part} ({pods}), although injection is requested ({request}), and the selectors of {webhook} match',
    advice: recreateThem,
  },
  older: {
    text: '{podsHave} no {part} ({pods}): injection is requested ({request}), but {webhook} was created later ({time})',
    advice: recreateThem,
  },
  before: {
    text: '{count} ({pods}) requested injection ({request}) before {webhook} was created ({time})',
    advice: recreateThem,
  },
  notCovered: {
    text: '{podsHave} no {part} ({pods}), although injection is requested ({request}): no rule of a webhook of {product} matches the creation of Pods',
    advice:
      '[look] Compare the rules with those in the manifests of this release: `kubectl get {kind} {configuration} -o yaml`. [end] Apply these manifests again, or delete the configuration if the program writes it when it starts, and restart the program: `kubectl -n {namespace} rollout restart {workload}`. [end] Then recreate the Pods: `kubectl -n {place} rollout restart {recreated}`. [end] Then delete each Pod; its controller creates it again: `kubectl -n {place} delete pod {replaced}`. [end] Pods of `{controller}` are injected when its operator or a new run creates them.',
  },
  unmatched: {
    text: '{podsHave} no {part} ({pods}), although injection is requested ({request}): the {by} of {product} exclude the Pod or its namespace',
    advice: compareSelectors,
  },
  excluded: {
    text: '{webhook} does not match {count} ({pods}), although injection is requested ({request}): its {by} exclude the Pod or its namespace',
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
    'requestingPods' as const,
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
  return unchangedOf(callout, facts).map(({ pods, request, by, message }) =>
    find(
      message,
      { ...saidOf(pods), request, by, time: callout.metadata.creationTimestamp ?? '' },
      managedEvidence(pods),
      workloadNames(pods),
    ),
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
  const told = new Set(alone?.pods);
  const others = requested.flatMap((found) => {
    if (found.pods.every((pod) => told.has(pod))) return [];
    const { said, evidence, names } = common(found, injector.injects);
    const { webhook: by = '', metadata } = found.matching ?? {};
    const data = { ...said, ...found.data, webhook: by, time: metadata?.creationTimestamp ?? '' };
    return find(found.message, data, evidence, names);
  });
  return [...down, ...others];
}

export const podsWithoutInjection = defineCheck({
  meta: {
    id: 'pods-without-injection',
    title: 'Pods were created without injection',
    severity: 'warning',
    why: 'While calls to a webhook with failurePolicy Ignore fail, Pods are created without injection. Until they are recreated, they run without the proxy or agent, outside of mutual TLS, policy and secrets. A run reads the first 500 Pods of the cluster (2000 with `--deep` or a name).',
    advice,
    noRemedy: 'is-past',
    messages,
  },
  requires,
  subjects: ({ callouts }) => callouts.filter(isInjector),
  run(callout, facts, find) {
    const injector = injectorOf(callout);
    const found =
      injector === undefined
        ? withoutMark(callout, facts, find)
        : withoutInjection(callout, injector, facts, find);
    // Throws if Pods were not read.
    if (found.length === 0) facts.requestingPods.get('Pods');
    return found;
  },
});
