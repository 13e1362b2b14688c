import { type Callout, isAdmission, isStaticWebhook } from '../../facts/callout.ts';
import type { Labels } from '../../facts/objects/label-selector.ts';
import { type Resource, resources } from '../../facts/resource.ts';
import type { ServedResources } from '../../facts/served-resources.ts';
import type { StatusMessage, StuckObject } from '../../facts/stuck-object.ts';
import { labelsText } from '../../facts/workloads/workloads.ts';
import { podCreation } from '../deadlock/admission-path.ts';
import { blame } from '../sentences/call-error/blamed.ts';
import { parseCallError } from '../sentences/call-error/parse-call-error.ts';
import type { AdmissionRequest, Operation } from './admission-request.ts';
import { impactOf } from './impact.ts';
import { type MatchFacts, matchRequest } from './match.ts';
import { selectorText } from './selector-text.ts';
import { withUnknownLabels } from './unknown-labels.ts';

/** The callouts that may block an object, and the evidence for them. */
export interface Trail {
  /** `words`: the object's status or Events name them. `requests`: they match requests that it needs. */
  readonly by: 'words' | 'requests';
  readonly callouts: readonly Callout[];
  /** The messages that name one of them; empty if none does. */
  readonly words: readonly StatusMessage[];
  /** Selectors of mutating webhooks that do not match its Pods. Absent if a message names a webhook. */
  readonly leftOut?: readonly StatusMessage[];
  /** Labels and annotations that request injection, and that the object has but its Pod template lacks. */
  readonly misplaced?: readonly StatusMessage[];
  /** A webhook in an error that is no callout; absent if the messages name a callout, or no webhook. */
  readonly unknownWebhook?: UnknownWebhook;
}

/** A webhook that an error names and that no configuration in the API contains. */
export interface UnknownWebhook {
  readonly webhook: string;
  /** It is in a static manifest on the API server's disk (from 1.36); else its configuration is deleted. */
  readonly isStatic: boolean;
  /** The messages that name it. */
  readonly words: readonly StatusMessage[];
}

/** The first webhook that the messages name. Only for messages that name no callout. */
function unknownWebhookIn(messages: readonly StatusMessage[]): UnknownWebhook | undefined {
  const named = messages.map((one) => ({ one, webhook: parseCallError(one.value)?.webhook }));
  const webhook = named.find((found) => found.webhook !== undefined)?.webhook;
  if (webhook === undefined) return undefined;
  return {
    webhook,
    isStatic: isStaticWebhook(webhook),
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

/** The writes that a terminating Pod needs: the kubelet's last status, removal of finalizers, deletion. */
const requestsOfTerminatingPod = (
  { template }: StuckObject,
  namespace: string,
): readonly AdmissionRequest[] => {
  const pod = { kind: 'Pod', namespace, labels: template?.metadata?.labels ?? {} };
  return [
    request('DELETE', ['', 'pods'], pod),
    request('UPDATE', ['', 'pods'], pod),
    request('UPDATE', ['', 'pods'], { subresource: 'status', ...pod }),
  ];
};

/** The creation of the Pods of an object, and the writes that its controllers and its Pods need. */
function requestsOfPods(stuck: StuckObject, namespace: string): readonly AdmissionRequest[] {
  const { ref, template, owners, metadata } = stuck;
  if (ref.kind === 'Pod' && metadata.deletionTimestamp !== undefined)
    return requestsOfTerminatingPod(stuck, namespace);
  const labels = template?.metadata?.labels ?? {};
  const pod = podCreation({
    namespace,
    labels,
    from: 'template',
    ...(template === undefined ? {} : { template }),
    service: { name: '' },
  }).request;
  const controllers = [ref.kind, ...owners, ...(ref.kind === 'Deployment' ? ['ReplicaSet'] : [])];
  return [
    pod,
    ...controllers.flatMap((kind) => {
      if (!isPodController(kind)) return [];
      const { group, plural } = resources[kind];
      const resource = [group, plural] as const;
      return [
        request('CREATE', resource, { kind, namespace }),
        request('UPDATE', resource, { kind, namespace }),
        request('UPDATE', resource, { subresource: 'status', kind, namespace }),
      ];
    }),
    // Each Pod of a Job has a finalizer until the Job controller has counted it.
    ...(controllers.includes('Job')
      ? [request('UPDATE', ['', 'pods'], { kind: 'Pod', namespace, labels })]
      : []),
    request('CREATE', ['', 'pods'], { subresource: 'binding', kind: 'Binding', namespace }),
    request('UPDATE', ['', 'pods'], { subresource: 'status', kind: 'Pod', namespace, labels }),
  ];
}

/** The writes that an object of another kind needs: its own changes, its status, and its deletion. */
function requestsOfItself({ ref, metadata }: StuckObject, { group, version, plural }: Resource) {
  const { kind, namespace, name } = ref;
  const labels = metadata.labels ?? {};
  const about = {
    version,
    kind,
    name,
    labels,
    moreLabels: false,
    ...(namespace === undefined ? {} : { namespace }),
  };
  const itself = [group, plural] as const;
  return [
    request('UPDATE', itself, about),
    request('UPDATE', itself, { ...about, subresource: 'status' }),
    // After it was requested, removing the last finalizer completes it.
    ...(metadata.deletionTimestamp === undefined ? [request('DELETE', itself, about)] : []),
  ];
}

/** The writes that a stuck object needs to make progress, as far as is known. */
function requestsOf(stuck: StuckObject, served: ServedResources | undefined): readonly AdmissionRequest[] {
  const { ref, metadata, resource } = stuck;
  if (ref.resource !== undefined) return requestsOfItself(stuck, ref.resource);
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
    // The namespace controller writes remaining content into the status, and removes the finalizer last.
    const itself = ['status', 'finalize'].map((subresource) =>
      request('UPDATE', ['', 'namespaces'], { subresource, kind: 'Namespace', namespace: ref.name }),
    );
    return [...content, ...itself];
  }
  return requestsOfPods(stuck, ref.kind === 'Namespace' ? ref.name : (ref.namespace ?? ''));
}

/** True for a conversion webhook or an APIService that is called when the object, or its content, is read. */
const isCalledForContent = ({ ref, metadata }: StuckObject, callout: Callout): boolean =>
  (callout.kind === 'conversion' &&
    callout.resource.group === ref.resource?.group &&
    callout.resource.plural === ref.resource.plural) ||
  (callout.kind === 'aggregated-api' &&
    callout.group === ref.resource?.group &&
    callout.version === ref.resource.version) ||
  (callout.kind === 'conversion' &&
    ref.kind === 'CustomResourceDefinition' &&
    callout.configuration === ref.name) ||
  (!isAdmission(callout) &&
    ref.resource === undefined &&
    ref.kind === 'Namespace' &&
    metadata.deletionTimestamp !== undefined);

/** False for an Event about failed creation if no Pod is missing now: Events are kept for an hour. */
const isCurrent = ({ missing }: StuckObject, { field }: StatusMessage): boolean =>
  missing !== 0 || field !== 'Event FailedCreate';

const labelsOf = (labels: Labels = {}): string => labelsText(labels) || 'no labels';

/** The selector that excludes this Pod from a mutating webhook for Pods; empty if there is none. */
function excludingSelector(
  callout: Callout,
  pod: AdmissionRequest,
  facts: MatchFacts,
): readonly StatusMessage[] {
  if (!isAdmission(callout) || callout.kind !== 'mutating') return [];
  const match = matchRequest(callout, withUnknownLabels(pod, callout), facts);
  if (match.outcome !== 'skipped') return [];
  const unselected = { ...callout, namespaceSelector: {}, objectSelector: {} };
  if (matchRequest(unselected, pod, facts).outcome === 'skipped') return [];
  const { namespace = '', labels } = pod;
  const [selector, labelsFound] =
    match.by === 'namespace-selector'
      ? (['namespaceSelector', facts.namespaces.getIfKnown(namespace)?.metadata.labels] as const)
      : (['objectSelector', labels] as const);
  const whose = selector === 'objectSelector' ? 'the Pods have' : `namespace ${namespace} has`;
  return [
    {
      object: callout.ref,
      field: `webhooks[${callout.index}].${selector}`,
      value: `${selectorText(callout[selector])}; ${whose} ${labelsOf(labelsFound)}: not called for its Pods`,
    },
  ];
}

/** Finds the callouts that may block a stuck object: by its messages, else by the requests that it needs. */
export function trailOf(stuck: StuckObject, callouts: readonly Callout[], facts: MatchFacts): Trail {
  const current = stuck.words.filter((words) => isCurrent(stuck, words));
  const named = current.flatMap((words) => {
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
  const requests = requestsOf(stuck, served);
  const found = callouts.filter((callout) => {
    if (!isAdmission(callout)) return isCalledForContent(stuck, callout);
    const about = requests.map((one) => ({ request: withUnknownLabels(one, callout) }));
    const { matched, undecided } = impactOf(callout, about, facts);
    return matched.length + undecided.length > 0;
  });
  const unknownWebhook = unknownWebhookIn(current);
  const pod = requests.find(
    ({ operation, resource, subresource }) =>
      operation === 'CREATE' && resource === 'pods' && subresource === undefined,
  );
  const leftOut =
    pod === undefined ? [] : callouts.flatMap((callout) => excludingSelector(callout, pod, facts));
  return {
    by: 'requests',
    callouts: found,
    words: [],
    leftOut,
    ...(unknownWebhook !== undefined && { unknownWebhook }),
  };
}
