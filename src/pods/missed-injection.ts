import { matchRequest } from '../apiserver/admission/match.ts';
import type { ProbeFacts } from '../apiserver/connection/probed-callouts.ts';
import { usableEndpoints } from '../apiserver/connection/probed-endpoints.ts';
import { creationOf } from '../apiserver/held-pods/holding-webhooks.ts';
import { type AdmissionCallout, calloutId } from '../facts/callout.ts';
import type { Evidence } from '../facts/evidence.ts';
import { keyOf, refOf } from '../facts/object-ref.ts';
import { selects } from '../facts/objects/label-selector.ts';
import type { Metadata } from '../facts/objects/metadata.ts';
import type { Namespace } from '../facts/objects/namespace.ts';
import type { Pod } from '../facts/objects/pod.ts';
import type { Facts, World } from '../facts/snapshot.ts';
import { type CountedWebhook, count, countEvidence } from '../facts/webhook-counts.ts';
import { conditionOf, hasEnded } from '../facts/workloads/pod-state.ts';
import { unavailableUntil } from '../facts/workloads/unavailable-until.ts';
import { controllerOf } from '../facts/workloads/workloads.ts';
import { times } from '../phrases/lists.ts';
import { type Injector, lacksInjection } from '../products/injectors.ts';
import { isChangedByWebhook } from '../products/requested-injection.ts';
import { systemNamespaces } from '../products/system-namespaces.ts';

/** Maximum number of Pods in the evidence. */
const shown = 3;

/** The time of the last write, RFC 3339: the object has been unchanged since. Undefined if unknown. */
const lastWritten = ({ managedFields = [] }: Metadata): string | undefined =>
  managedFields
    .filter(({ subresource }) => (subresource ?? '') === '')
    .map(({ time = '' }) => time)
    .toSorted()
    .at(-1);

/** True if the creation of such a Pod matches the webhook. */
export const covers = (
  callout: AdmissionCallout,
  pod: Pod,
  facts: Pick<Facts, 'version' | 'namespaces' | 'served'>,
): boolean => matchRequest(callout, creationOf(pod), facts).outcome === 'called';

/** The facts that show Pods without injection. */
export type MissedFacts = Pick<
  Facts,
  'callouts' | 'metrics' | 'version' | 'namespaces' | 'served' | 'namespacePods' | 'requestingPods'
>;

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
      !hasEnded(pod) &&
      lacks(pod, namespace) &&
      covers(callout, pod, facts),
  );
}

/** Pods without injection, and what shows it besides them. */
export interface Uninjected<Data> {
  readonly pods: readonly Pod[];
  readonly data: Data;
  readonly evidence: readonly Evidence[];
}

/** Returns a function: true for a Pod without the mark of the product. */
export const lacksMark =
  ({ injects }: Injector): Failed['lacks'] =>
  (pod, namespace) =>
    lacksInjection(injects, pod, namespace);

/** Pods that were created without injection while the webhook failed open, as the API server has counted. */
export function missedWhileOpen(
  counted: CountedWebhook,
  injector: Injector,
  facts: MissedFacts,
): Uninjected<{ readonly times: string; readonly since: string }> | undefined {
  const { callout } = counted;
  const failedOpen = count(counted, facts, (counts) => counts.failedOpen);
  if (failedOpen === undefined || failedOpen.total === 0) return undefined;
  const [begin] = (facts.metrics.get('server')?.servers ?? []).flatMap(({ since }) => since ?? []).toSorted();
  if (begin === undefined) return undefined;
  const spared = [...systemNamespaces(facts), callout.client.service?.namespace];
  const selected = facts.namespaces
    .all()
    .filter(
      ({ metadata }) =>
        !spared.includes(metadata.name) && selects(callout.namespaceSelector, metadata.labels ?? {}),
    );
  const missed = selected.flatMap((namespace) => {
    const { name } = namespace.metadata;
    if (!facts.namespacePods.known(name)) return [];
    return missedIn(
      namespace,
      facts.namespacePods.get(name) ?? [],
      { callout, lacks: lacksMark(injector), begin },
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
export function missedWithoutPods(
  callout: AdmissionCallout,
  lacks: Failed['lacks'],
  facts: MissedFacts & World<'pods' | 'services' | 'workloads'>,
): Uninjected<{ readonly state: string }> | undefined {
  const { service } = callout.client;
  const end = unavailableUntil(callout, facts);
  if (end === undefined) return undefined;
  const until = Date.parse(end);
  const begin = new Date(until - HOUR).toISOString();
  const pods = facts.namespaces.all().flatMap((namespace) => {
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
export const isUntouched = (pod: Pod): boolean =>
  pod.spec.hostNetwork !== true &&
  isChangedByWebhook(pod) === false &&
  ![pod.metadata.annotations, pod.metadata.labels].some((marks) =>
    Object.keys(marks ?? {}).some((key) => mayRefuse.test(key)),
  );

/** What shows that a webhook changes such Pods: its response to a test Pod, or another Pod of the same controller. */
export function shownByOthers(
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
  const controllers = new Set(missed.flatMap((pod) => controllerOf(pod.metadata)?.uid ?? []));
  const changed = facts.namespacePods
    .all()
    .flat()
    .find(
      (pod) => controllers.has(controllerOf(pod.metadata)?.uid ?? '') && isChangedByWebhook(pod) === true,
    );
  return changed && `a webhook has changed ${keyOf(changed.metadata)} of the same controller`;
}
