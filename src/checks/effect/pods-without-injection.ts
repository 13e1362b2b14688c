import { matchRequest } from '../../apiserver/admission/match.ts';
import { selectorText } from '../../apiserver/admission/selector-text.ts';
import { type ProbeFacts, probeFacts } from '../../apiserver/connection/probed-callouts.ts';
import { usableEndpoints } from '../../apiserver/connection/probed-endpoints.ts';
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
import { selects } from '../../facts/objects/label-selector.ts';
import type { Metadata } from '../../facts/objects/metadata.ts';
import type { Namespace } from '../../facts/objects/namespace.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import type { Facts, World } from '../../facts/snapshot.ts';
import {
  type CountedWebhook,
  count,
  countEvidence,
  countedCallouts,
  countedFacts,
} from '../../facts/webhook-counts.ts';
import { conditionOf } from '../../facts/workloads/pod-state.ts';
import { unavailableUntil } from '../../facts/workloads/unavailable-until.ts';
import { affectedNames, workloadOfPod } from '../../facts/workloads/workloads.ts';
import { listed, counted as numbered, times } from '../../phrases/lists.ts';
import {
  type Injector,
  injectorOf,
  lacksInjection,
  mayHaveMissedPods,
  requestOf,
} from '../../products/injectors.ts';
import type { Injection } from '../../products/product.ts';
import { injectsByShape, isChangedByWebhook, podsRequesting } from '../../products/requested-injection.ts';
import { systemNamespaces } from '../../products/system-namespaces.ts';
import { defineCheck } from '../check.ts';

const shown = 3;

/** The time of the last write, RFC 3339: the object has been unchanged since. Undefined if unknown. */
const lastWritten = ({ managedFields = [] }: Metadata): string | undefined =>
  managedFields
    .filter(({ subresource }) => (subresource ?? '') === '')
    .map(({ time = '' }) => time)
    .toSorted()
    .at(-1);

/** True if the creation of such a Pod matches the webhook. */
const covers = (
  callout: AdmissionCallout,
  pod: Pod,
  facts: Pick<Facts, 'version' | 'namespaces' | 'served'>,
): boolean => matchRequest(callout, creationOf(pod), facts).outcome === 'called';

type InjectionFacts = Pick<
  Facts,
  'callouts' | 'metrics' | 'version' | 'namespaces' | 'served' | 'namespacePods'
>;

const isOver = ({ status, metadata }: Pod): boolean =>
  status.phase === 'Succeeded' || status.phase === 'Failed' || metadata.deletionTimestamp !== undefined;

interface Failed {
  readonly callout: AdmissionCallout;
  /** True for a Pod that the webhook has not changed, although it should. */
  readonly lacks: (pod: Pod, namespace: Namespace) => boolean;
  /** RFC 3339: the start of the API server that has counted the calls. */
  readonly begin: string;
}

/** Matching Pods without injection, created since `begin` and since the last change of selectors. */
function missedIn(
  namespace: Namespace,
  pods: readonly Pod[],
  { callout, lacks, begin }: Failed,
  facts: Pick<Facts, 'version' | 'namespaces' | 'served'>,
): readonly Pod[] {
  const written = [callout.metadata, namespace.metadata].map(lastWritten);
  if (written.includes(undefined)) return [];
  const since = Math.max(...[begin, ...written].map((time) => Date.parse(time ?? '')));
  return pods.filter(
    (pod) =>
      Date.parse(pod.metadata.creationTimestamp ?? '') > since &&
      !isOver(pod) &&
      lacks(pod, namespace) &&
      covers(callout, pod, facts),
  );
}

/** Pods without injection, and what shows it besides them. */
interface Uninjected<Data> {
  readonly pods: readonly Pod[];
  readonly data: Data;
  readonly evidence: readonly Evidence[];
}

const lacking =
  ({ injects }: Injector): Failed['lacks'] =>
  (pod, namespace) =>
    lacksInjection(injects, pod, namespace);

/** Pods that were created without injection while the webhook failed open, as the API server has counted. */
function missedWhileOpen(
  counted: CountedWebhook,
  injector: Injector,
  facts: InjectionFacts,
): Uninjected<{ readonly times: string; readonly since: string }> | undefined {
  const { callout } = counted;
  const failedOpen = count(counted, facts, (counts) => counts.failedOpen);
  if (failedOpen === undefined || failedOpen.total === 0) return undefined;
  const [begin] = (facts.metrics.get('server')?.servers ?? []).flatMap(({ since }) => since ?? []).toSorted();
  if (begin === undefined) return undefined;
  const spared = [...systemNamespaces(facts), callout.client.service?.namespace];
  const selected = [...facts.namespaces.all()].filter(
    ({ metadata }) =>
      !spared.includes(metadata.name) && selects(callout.namespaceSelector, metadata.labels ?? {}),
  );
  const missed = selected.flatMap((namespace) => {
    const { name } = namespace.metadata;
    if (!facts.namespacePods.known(name)) return [];
    return missedIn(
      namespace,
      facts.namespacePods.get(name) ?? [],
      { callout, lacks: lacking(injector), begin },
      facts,
    );
  });
  // Throws if Pods of a namespace were not read.
  if (missed.length === 0) for (const { metadata } of selected) facts.namespacePods.get(metadata.name);
  return {
    pods: missed,
    data: { times: times(failedOpen.total), since: failedOpen.since },
    evidence: countEvidence(
      counted,
      facts,
      'apiserver_admission_webhook_fail_open_count',
      (one) => one.failedOpen,
    ),
  };
}

const HOUR = 3_600_000;

/**
 * Pods without injection that were created in the hour before the Deployment of the injector became available again, or
 * until now if it is not; no counts are needed.
 */
function missedWithoutPods(
  callout: AdmissionCallout,
  lacks: Failed['lacks'],
  facts: InjectionFacts & World<'pods' | 'services' | 'workloads'>,
): Uninjected<{ readonly state: string }> | undefined {
  const { service } = callout.client;
  const end = unavailableUntil(callout, facts);
  if (end === undefined) return undefined;
  const until = Date.parse(end);
  const begin = new Date(until - HOUR).toISOString();
  const pods = [...facts.namespaces.all()].flatMap((namespace) => {
    const { name } = namespace.metadata;
    if (name === service?.namespace) return [];
    const known = facts.namespacePods.getIfKnown(name) ?? [];
    return missedIn(namespace, known, { callout, lacks, begin }, facts);
  });
  const missed = pods.filter(({ metadata }) => Date.parse(metadata.creationTimestamp ?? '') < until);
  if (missed.length === 0) return undefined;
  const state =
    end === facts.takenAt ? 'which has no ready Pod' : `whose Pods have been Ready only since ${end}`;
  const own = (service && facts.pods.getIfKnown(keyOf(service))) ?? [];
  const evidence = own.slice(0, shown).map((pod) => ({
    object: refOf('Pod', pod.metadata),
    field: 'status.conditions[Ready]',
    value: conditionOf(pod.status.conditions, 'Ready')?.lastTransitionTime ?? 'absent',
  }));
  return { pods: missed, data: { state }, evidence };
}

/** Labels and annotations with which a Pod may refuse injection, or that show an earlier one. */
const mayRefuse = /inject|sidecar|skip|exclu|disable|ignore|config\.mirror/i;

/** True if a webhook of unknown purpose has not changed a Pod that nothing exempts. */
const isUntouched = (pod: Pod): boolean =>
  pod.spec.hostNetwork !== true &&
  isChangedByWebhook(pod) === false &&
  ![pod.metadata.annotations, pod.metadata.labels].some((marks) =>
    Object.keys(marks ?? {}).some((key) => mayRefuse.test(key)),
  );

const controllerOf = ({ metadata: { ownerReferences = [] } }: Pod): string | undefined =>
  ownerReferences.find(({ controller }) => controller === true)?.uid;

/** What shows that a webhook changes such Pods: its response to a test Pod, or another Pod of the same controller. */
function shownByOthers(
  callout: AdmissionCallout,
  missed: readonly Pod[],
  facts: ProbeFacts & Pick<Facts, 'namespacePods'>,
): string | undefined {
  const changesTest =
    facts.probes.known(calloutId(callout)) &&
    usableEndpoints(callout, facts).some(
      ({ callResult }) =>
        callResult.outcome === 'answers' &&
        callResult.answer?.outcome === 'allowed' &&
        callResult.answer.patched !== undefined,
    );
  if (changesTest) return 'it changes a test Pod';
  const controllers = new Set(missed.flatMap((pod) => controllerOf(pod) ?? []));
  const changed = [...facts.namespacePods.all()]
    .flat()
    .find((pod) => controllers.has(controllerOf(pod) ?? '') && isChangedByWebhook(pod) === true);
  return changed && `a webhook has changed ${keyOf(changed.metadata)} of the same controller`;
}

interface Requested extends Uninjected<{ readonly request: string; readonly product: string }> {
  /** A webhook of the product that matches the first Pod now; undefined if none matches. */
  readonly matching: string | undefined;
}

/** Only the first webhook of a product reports them. */
function requestedInVain(
  callout: AdmissionCallout,
  { product, injects }: Injector,
  facts: InjectionFacts,
): readonly Requested[] {
  const webhooks = facts.callouts.filter(isAdmission).filter((one) => injectorOf(one)?.product === product);
  if (webhooks[0] !== callout) return [];
  const found = [...facts.namespaces.all()].flatMap((namespace) =>
    (facts.namespacePods.getIfKnown(namespace.metadata.name) ?? []).flatMap((pod) => {
      const request = requestOf(injects, pod, namespace);
      if (request === undefined || isOver(pod) || !lacksInjection(injects, pod, namespace)) return [];
      const outcomes = webhooks.map((one) => matchRequest(one, creationOf(pod), facts).outcome);
      const matching = webhooks[outcomes.indexOf('called')]?.webhook;
      return matching !== undefined || outcomes.every((one) => one === 'skipped')
        ? { matching, pod, request }
        : [];
    }),
  );
  return [true, false].flatMap((isMatched) => {
    const these = found.filter(({ matching }) => (matching !== undefined) === isMatched);
    const [first] = these;
    if (first === undefined) return [];
    return {
      matching: first.matching,
      pods: these.map(({ pod }) => pod),
      data: { request: first.request, product },
      evidence: webhooks.map((one) =>
        webhookEvidence(one, 'namespaceSelector', selectorText(one.namespaceSelector)),
      ),
    };
  });
}

const injectorsByShape = derive(['callouts'], ({ callouts }: Pick<Facts, 'callouts'>) =>
  callouts.filter(injectsByShape),
);

/** True if the selectors of all webhooks that may inject exclude a Pod. */
const isExcluded = (pod: Pod, facts: InjectionFacts): boolean =>
  injectorsByShape(facts).every((one) => matchRequest(one, creationOf(pod), facts).outcome === 'skipped');

/** Pods that a webhook without a known mark has left as they were requested, by annotation. */
function unchangedOf(callout: AdmissionCallout, facts: InjectionFacts): readonly Unchanged[] {
  const isAfter = ({ metadata }: Pod) =>
    (metadata.creationTimestamp ?? '') > (callout.metadata.creationTimestamp ?? '~');
  const left = podsRequesting(callout, facts).flatMap(({ pod, request }) => {
    if (isOver(pod) || !isAfter(pod) || isChangedByWebhook(pod) !== false) return [];
    // A webhook that fails closed was called, and left the Pods as they are.
    if (covers(callout, pod, facts))
      return failsOpen(callout) ? { pod, request, message: 'unchanged' as const } : [];
    return isExcluded(pod, facts) ? { pod, request, message: 'excluded' as const } : [];
  });
  const alike = groupBy(
    left,
    ({ request, pod, message }) => `${pod.metadata.namespace} ${request} ${message}`,
  );
  return [...alike.values()].flatMap((same) => {
    const [first] = same;
    return first === undefined ? [] : { ...first, pods: same.map(({ pod }) => pod) };
  });
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

const workloadNames = ([pod]: readonly Pod[]) =>
  affectedNames(pod && { ...workloadOfPod(pod), namespace: pod.metadata.namespace });

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

const compareSelectors =
  'Compare the selectors with the labels of the namespace and of the Pod: `kubectl get namespace {place} --show-labels`. If these Pods need it, add the label that they select, or remove the one that excludes them, and recreate the Pods: `kubectl -n {place} rollout restart {affected}`.';

export const podsWithoutInjection = defineCheck({
  meta: {
    id: 'pods-without-injection',
    title: 'Pods were created without injection',
    severity: 'warning',
    explains: { 'mutation-skipped': 1, 'handler-call-failed': 2 },
    why: 'While calls to a webhook with failurePolicy Ignore fail, Pods are created without injection. Until they are recreated, they run without the proxy or agent, outside of mutual TLS, policy and secrets. A run reads 3 namespaces of an injector that is down, or was in the last hour; `--deep`, or the name of the injector, at most 20.',
    advice:
      'When the injector responds again, recreate the Pods: `kubectl -n {place} rollout restart {affected}`. Set `failurePolicy: Fail` if a Pod without injection is worse than no Pod.',
    noRemedy: 'is-past',
    messages: {
      missed:
        '{podsHave} no {part} ({pods}), although matched by {webhook}: requests were admitted without it {times} {since}',
      withoutPods: '{podsHave} no {part} ({pods}), although matched by {webhook}, {state}',
      untouched: '{webhook}, {state}, has not changed {count} ({pods}): {shown}',
      requested: {
        text: '{podsHave} no {part} ({pods}), although injection is requested ({request}), and {webhook} matches',
        advice:
          'If calls to the injector fail, fix that first: `kubectl webhook doctor {configuration}`. Then recreate the Pods: `kubectl -n {place} rollout restart {affected}`.',
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
        advice:
          'If calls to the injector fail, fix that first: `kubectl webhook doctor {configuration}`. Then recreate the Pods: `kubectl -n {place} rollout restart {affected}`. If a new Pod is not injected either, read the log of the injector: `kubectl -n {namespace} logs {backend}`.',
      },
    },
  },
  requires: [
    ...new Set([
      ...countedFacts,
      'namespaces' as const,
      'served' as const,
      'namespacePods' as const,
      'workloads' as const,
      ...probeFacts,
    ]),
  ],
  subjects: ({ callouts }) =>
    callouts.filter(isAdmission).filter((one) => injectorOf(one) !== undefined || injectsByShape(one)),
  run(callout, facts, find) {
    const injector = injectorOf(callout);
    const { webhook } = callout;
    if (injector === undefined) {
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
        return find('untouched', { ...saidOf(pods), ...data, shown: by }, untouched, workloadNames(pods));
      }
      return unchangedOf(callout, facts).map(({ pods, request, message }) =>
        find(message, { ...saidOf(pods), request }, managedEvidence(pods), workloadNames(pods)),
      );
    }
    const counted = countedCallouts(facts).find((one) => one.callout === callout);
    const requested = requestedInVain(callout, injector, facts);
    const alone = mayHaveMissedPods(callout)
      ? missedWithoutPods(callout, lacking(injector), facts)
      : undefined;
    // The check is unknown without counts only if nothing else shows such Pods.
    const isCounting =
      (requested.length === 0 && alone === undefined) || facts.metrics.getIfKnown('server')?.missing === 0;
    const missed =
      isCounting && counted && mayHaveMissedPods(callout)
        ? missedWhileOpen(counted, injector, facts)
        : undefined;
    if (missed && missed.pods.length > 0) {
      const { said, evidence, names } = common(missed, injector.injects);
      return find('missed', { ...said, ...missed.data, webhook: callout.webhook }, evidence, names);
    }
    const down = alone === undefined ? [] : [{ ...alone, ...common(alone, injector.injects) }];
    const others = requested.map((found) => {
      const { said, evidence, names } = common(found, injector.injects);
      const { request, product } = found.data;
      return found.matching === undefined
        ? find('unmatched', { ...said, request, product }, evidence, names)
        : find('requested', { ...said, request, webhook: found.matching }, evidence, names);
    });
    return [
      ...down.map(({ said, data, evidence, names }) =>
        find('withoutPods', { ...said, ...data, webhook }, evidence, names),
      ),
      ...others,
    ];
  },
});
