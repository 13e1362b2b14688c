import { type Callout, isAdmission } from '../../facts/callout.ts';
import type { Labels } from '../../facts/objects/metadata.ts';
import { resources } from '../../facts/resource.ts';
import type { ServedResources } from '../../facts/served-resources.ts';
import type { StatusMessage, StuckObject } from '../../facts/stuck-object.ts';
import { labelsText } from '../../facts/workloads.ts';
import { podCreation } from '../deadlock/admission-path.ts';
import { blame } from '../sentences/blamed.ts';
import { parseCallError } from '../sentences/parse-call-error.ts';
import type { AdmissionRequest, Operation } from './admission-request.ts';
import { impactOf } from './impact.ts';
import { type MatchFacts, matchRequest } from './match.ts';
import { selectorText } from './selector-text.ts';
import { unforeseenLabels } from './unforeseen-labels.ts';

/** The callouts that an object's trouble may come from, and what led to them. */
export interface Trail {
  /** `words`: the object's own evidence names them. `requests`: they are asked about what it needs. */
  readonly by: 'words' | 'requests';
  readonly callouts: readonly Callout[];
  /** The words that name one of them; empty when none does. */
  readonly words: readonly StatusMessage[];
  /** Selectors of mutating webhooks that leave its Pods out: why nothing is injected. Absent where words name a webhook. */
  readonly leftOut?: readonly StatusMessage[];
  /** What names a webhook that is none of the callouts; absent when the words name one of them, or nobody. */
  readonly stranger?: UnknownWebhook;
}

/** A webhook that an error names and that no configuration of the API holds. */
export interface UnknownWebhook {
  readonly webhook: string;
  /** It stands in a manifest on the API server's disk (from 1.36 on); else its configuration is gone. */
  readonly isStatic: boolean;
  /** All that name it. */
  readonly words: readonly StatusMessage[];
}

/** Names of the REST API may not end so (WebhookAdmissionConfiguration staticManifestsDir). */
const staticSuffix = '.static.k8s.io';

/** The first of the webhooks that words name; of words that name a callout nobody asks. */
function strangerIn(words: readonly StatusMessage[]): UnknownWebhook | undefined {
  const named = words.map((one) => ({ one, webhook: parseCallError(one.value)?.webhook }));
  const webhook = named.find((found) => found.webhook !== undefined)?.webhook;
  if (webhook === undefined) return undefined;
  return {
    webhook,
    isStatic: webhook.endsWith(staticSuffix),
    words: named.filter((found) => found.webhook === webhook).map(({ one }) => one),
  };
}

const podControllers = ['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job'] as const;
const isPodController = (kind: string): kind is (typeof podControllers)[number] =>
  podControllers.some((one) => one === kind);

const request = (
  operation: Operation,
  [group, resource]: readonly [string, string],
  over: Partial<AdmissionRequest> = {},
): AdmissionRequest => ({ operation, group, version: 'v1', resource, moreLabels: true, ...over });

/** What a Pod that is to go still needs: the kubelet's last words, and nobody's finalizer any more. */
const requestsOfLeavingPod = ({ template }: StuckObject, namespace: string): readonly AdmissionRequest[] => {
  const pod = { kind: 'Pod', namespace, labels: template?.metadata?.labels ?? {} };
  return [
    request('DELETE', ['', 'pods'], pod),
    request('UPDATE', ['', 'pods'], pod),
    request('UPDATE', ['', 'pods'], { subresource: 'status', ...pod }),
  ];
};

/** The Pod that it makes, or is, and what becomes of a Pod. */
function requestsOfPods(victim: StuckObject, namespace: string): readonly AdmissionRequest[] {
  const { ref, template, owners, metadata } = victim;
  if (ref.kind === 'Pod' && metadata.deletionTimestamp !== undefined)
    return requestsOfLeavingPod(victim, namespace);
  const labels = template?.metadata?.labels ?? {};
  const pod = podCreation({
    namespace,
    labels,
    from: 'template',
    ...(template === undefined ? {} : { template }),
    service: { name: '' },
  }).request;
  const makers = [ref.kind, ...owners, ...(ref.kind === 'Deployment' ? ['ReplicaSet'] : [])];
  return [
    pod,
    ...makers.flatMap((kind) => {
      if (!isPodController(kind)) return [];
      const { group, plural } = resources[kind];
      const resource = [group, plural] as const;
      return [
        request('CREATE', resource, { kind, namespace }),
        request('UPDATE', resource, { kind, namespace }),
        request('UPDATE', resource, { subresource: 'status', kind, namespace }),
      ];
    }),
    // Each Pod of a Job keeps a finalizer until it was counted.
    ...(makers.includes('Job') ? [request('UPDATE', ['', 'pods'], { kind: 'Pod', namespace, labels })] : []),
    request('CREATE', ['', 'pods'], { subresource: 'binding', kind: 'Binding', namespace }),
    request('UPDATE', ['', 'pods'], { subresource: 'status', kind: 'Pod', namespace, labels }),
  ];
}

/** Every write that the object needs to get on, as far as anyone can tell. */
function requestsOf(victim: StuckObject, served: ServedResources | undefined): readonly AdmissionRequest[] {
  const { ref, metadata, resource } = victim;
  if (ref.kind === 'CustomResourceDefinition') {
    const writes = (['CREATE', 'UPDATE', 'DELETE'] as const).flatMap((operation) =>
      (resource?.versions ?? []).map((version) =>
        request(operation, [resource?.group ?? '', resource?.plural ?? ''], { version }),
      ),
    );
    const itself = ['apiextensions.k8s.io', 'customresourcedefinitions'] as const;
    return [...writes, request('UPDATE', itself), request('UPDATE', itself, { subresource: 'status' })];
  }
  if (ref.kind === 'Namespace' && metadata.deletionTimestamp !== undefined) {
    const content = (served?.resources ?? [])
      .filter(
        ({ namespaced, verbs, resource: name }) =>
          namespaced && verbs.includes('delete') && !name.includes('/'),
      )
      .map(({ group, version, resource: name, kind }) =>
        request('DELETE', [group, name], { version, kind, namespace: ref.name }),
      );
    // What is in the way is written into its status, and its finalizer goes last.
    const itself = ['status', 'finalize'].map((subresource) =>
      request('UPDATE', ['', 'namespaces'], { subresource, kind: 'Namespace', namespace: ref.name }),
    );
    return [...content, ...itself];
  }
  return requestsOfPods(victim, ref.kind === 'Namespace' ? ref.name : (ref.namespace ?? ''));
}

/** Callouts that are no webhooks: what lists a namespace's content, and what reads a resource, meets them. */
const met = ({ ref, metadata }: StuckObject, callout: Callout): boolean =>
  (callout.kind === 'conversion' &&
    ref.kind === 'CustomResourceDefinition' &&
    callout.configuration === ref.name) ||
  (!isAdmission(callout) && ref.kind === 'Namespace' && metadata.deletionTimestamp !== undefined);

/** Events stay for an hour: of what lacks nothing any more they tell the past. */
const counts = ({ missing }: StuckObject, { field }: StatusMessage): boolean =>
  missing !== 0 || field !== 'Event FailedCreate';

const labelsOf = (labels: Labels = {}): string => labelsText(labels) || 'no labels';

/** Why a mutating webhook for Pods is not called for this one, where that is its selectors. */
function leavesOut(callout: Callout, pod: AdmissionRequest, facts: MatchFacts): readonly StatusMessage[] {
  if (!isAdmission(callout) || callout.kind !== 'mutating') return [];
  const match = matchRequest(callout, unforeseenLabels(pod, callout), facts);
  if (match.outcome !== 'skipped') return [];
  const unselected = { ...callout, namespaceSelector: {}, objectSelector: {} };
  if (matchRequest(unselected, pod, facts).outcome === 'skipped') return [];
  const { namespace = '', labels } = pod;
  const [selector, seen] =
    match.by === 'namespace-selector'
      ? (['namespaceSelector', facts.namespaces.getIfKnown(namespace)?.metadata.labels] as const)
      : (['objectSelector', labels] as const);
  const whose = selector === 'objectSelector' ? 'the Pods have' : `namespace ${namespace} has`;
  return [
    {
      object: callout.ref,
      field: `webhooks[${callout.index}].${selector}`,
      value: `${selectorText(callout[selector])}; ${whose} ${labelsOf(seen)}: not called for its Pods`,
    },
  ];
}

/** From an object that does not get on to the callouts that may be why. */
export function trailOf(victim: StuckObject, callouts: readonly Callout[], facts: MatchFacts): Trail {
  const telling = victim.words.filter((words) => counts(victim, words));
  const named = telling.flatMap((words) => {
    const blamed = blame(words.value, callouts);
    return blamed === undefined ? [] : [{ words, callouts: blamed.callouts }];
  });
  if (named.length > 0) {
    const found = new Set(named.flatMap((one) => one.callouts));
    return {
      by: 'words',
      callouts: callouts.filter((callout) => found.has(callout)),
      words: named.map(({ words }) => words),
    };
  }
  const served = facts.served.getIfKnown('served');
  const requests = requestsOf(victim, served);
  const found = callouts.filter((callout) => {
    if (!isAdmission(callout)) return met(victim, callout);
    const about = requests.map((one) => ({ request: unforeseenLabels(one, callout) }));
    const { matched, undecided } = impactOf(callout, about, facts);
    return matched.length + undecided.length > 0;
  });
  const stranger = strangerIn(telling);
  const pod = requests.find(
    ({ operation, resource, subresource }) =>
      operation === 'CREATE' && resource === 'pods' && subresource === undefined,
  );
  const leftOut = pod === undefined ? [] : callouts.flatMap((callout) => leavesOut(callout, pod, facts));
  return { by: 'requests', callouts: found, words: [], leftOut, ...(stranger !== undefined && { stranger }) };
}
