import { matchRequest } from '../../apiserver/admission/match.ts';
import { creationOf } from '../../apiserver/held-pods/holding-webhooks.ts';
import type { AdmissionCallout } from '../../facts/callout.ts';
import { selects } from '../../facts/label-selector.ts';
import { keyOf, type Metadata, type Namespace, type Pod } from '../../facts/objects.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { count, countEvidence, countedCallouts, countedFacts } from '../../facts/webhook-counts.ts';
import { affectedNames, workloadOfPod } from '../../facts/workloads.ts';
import { listed, counted as numbered, times } from '../../phrases/lists.ts';
import { type Injector, injectorOf, lacksInjection, mayHaveMissedPods } from '../../products/injectors.ts';
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

const isOver = ({ status, metadata }: Pod): boolean =>
  status.phase === 'Succeeded' || status.phase === 'Failed' || metadata.deletionTimestamp !== undefined;

/** A webhook that failed open. */
interface Failed {
  readonly callout: AdmissionCallout;
  readonly injector: Injector;
  /** RFC 3339: the start of the API server that has counted the calls. */
  readonly begin: string;
}

/** Matching Pods without injection, created since `begin` and since the last change of selectors. */
function missedIn(
  namespace: Namespace,
  pods: readonly Pod[],
  { callout, injector: { injects }, begin }: Failed,
  facts: Pick<Facts, 'version' | 'namespaces' | 'served'>,
): readonly Pod[] {
  const written = [callout.metadata, namespace.metadata].map(lastWritten);
  if (written.includes(undefined)) return [];
  const since = Math.max(...[begin, ...written].map((time) => Date.parse(time ?? '')));
  return pods.filter(
    (pod) =>
      Date.parse(pod.metadata.creationTimestamp ?? '') > since &&
      !isOver(pod) &&
      lacksInjection(injects, pod, namespace) &&
      covers(callout, pod, facts),
  );
}

export const podsWithoutInjection = defineCheck({
  meta: {
    id: 'pods-without-injection',
    title: 'Pods were created without injection',
    severity: 'warning',
    why: 'While calls to a webhook with failurePolicy Ignore fail, Pods are created without injection and are not corrected later: they run without the proxy or agent, outside of mutual TLS, policy and secrets, until they are recreated. The count includes only matching Pods that were created after the last change of the configuration, and after the start of the API server.',
    advice:
      'When the injector responds again, recreate the Pods: `kubectl -n {place} rollout restart {affected}`. Set `failurePolicy: Fail` if a Pod without injection is worse than no Pod.',
    noRemedy: 'is-past',
    messages: {
      missed:
        '{podsHave} no {part} ({pods}), although matched by {webhook}: requests were admitted without it {times} {since}',
    },
  },
  requires: [...countedFacts, 'version', 'namespaces', 'served', 'namespacePods'],
  subjects: (facts) => countedCallouts(facts).filter(({ callout }) => mayHaveMissedPods(callout)),
  run(counted, facts, find) {
    const { callout } = counted;
    const injector = injectorOf(callout);
    const failedOpen = count(counted, facts, (counts) => counts.failedOpen);
    if (injector === undefined || failedOpen === undefined || failedOpen.total === 0) return undefined;
    const begin = (facts.metrics.get('server')?.servers ?? [])
      .flatMap(({ since }) => since ?? [])
      .toSorted()[0];
    if (begin === undefined) return undefined;
    const spared = [...systemNamespaces(facts), callout.client.service?.namespace];
    const selected = [...facts.namespaces.all()].filter(
      ({ metadata }) =>
        !spared.includes(metadata.name) && selects(callout.namespaceSelector, metadata.labels ?? {}),
    );
    const missed = selected.flatMap((namespace) => {
      const { name } = namespace.metadata;
      if (!facts.namespacePods.known(name)) return [];
      return missedIn(namespace, facts.namespacePods.get(name) ?? [], { callout, injector, begin }, facts);
    });
    if (missed.length === 0) {
      // Throws if Pods of a namespace were not read.
      for (const { metadata } of selected) facts.namespacePods.get(metadata.name);
      return undefined;
    }
    const names = missed.map(({ metadata }) => keyOf(metadata));
    const { what: part, mark } = injector.injects;
    const data = {
      podsHave: numbered(missed.length, 'Pod has', 'Pods have'),
      part,
      pods: listed(names, { most: shown }),
      webhook: callout.webhook,
      times: times(failedOpen.total),
      since: failedOpen.since,
    };
    const [pod] = missed;
    const evidence = [
      ...missed.slice(0, shown).map(({ metadata }) => ({
        object: { kind: 'Pod', namespace: metadata.namespace ?? '', name: metadata.name },
        field: `metadata.annotations["${mark}"]`,
        value: `absent; made at ${metadata.creationTimestamp}`,
      })),
      ...countEvidence(
        counted,
        facts,
        'apiserver_admission_webhook_fail_open_count',
        (one) => one.failedOpen,
      ),
    ];
    return find(
      'missed',
      data,
      evidence,
      affectedNames(pod && { ...workloadOfPod(pod), namespace: pod.metadata.namespace }),
    );
  },
});
