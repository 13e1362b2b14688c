import { type Trail, trailOf } from '../apiserver/admission/trail.ts';
import { type Callout, isAdmission } from '../facts/callout.ts';
import { type ObjectRef, refOf } from '../facts/object-ref.ts';
import { type Event, newestEventsFirst } from '../facts/objects/event.ts';
import type { Condition, Metadata } from '../facts/objects/metadata.ts';
import type { Pod, PodTemplate } from '../facts/objects/pod.ts';
import { missingPods, type PodController } from '../facts/objects/pod-controller.ts';
import { type Permission, type Resource, resources, toRead } from '../facts/resource.ts';
import { resourceNamed } from '../facts/served-resources.ts';
import {
  isStuckObjectKind,
  type StatusMessage,
  type StuckObject,
  StuckObjectError,
  type StuckObjectKind,
  type StuckObjectName,
  stuckObjectKinds,
} from '../facts/stuck-object.ts';
import { controllerOf, workloadOfPod } from '../facts/workloads/workloads.ts';
import { listed } from '../phrases/lists.ts';
import { misplacedRequests } from '../products/requested-injection.ts';
import { type Attempts, isRead } from './attempts.ts';
import type { FirstFacts } from './planner.ts';

/** The permissions for reads of the object that `--from` names, and of its Pods, ReplicaSets and Events. */
export const stuckObjectPermissions: readonly Permission[] = [
  ...stuckObjectKinds.map((kind) => toRead(resources[kind], ['get'], 'cluster', 'the object of --from')),
  toRead(resources.ReplicaSet, ['list'], 'cluster', 'the ReplicaSets of the Deployment of --from'),
  toRead(resources.Event, ['list'], 'cluster', 'the Events of the object of --from'),
];

interface AnyStuckObject {
  readonly metadata: Metadata;
  readonly spec?: {
    readonly template?: PodTemplate;
    readonly group?: string;
    readonly names?: { readonly plural: string };
    readonly versions?: readonly { readonly name: string; readonly served: boolean }[];
  };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

const messagesOfConditions = (object: ObjectRef, { status }: AnyStuckObject): readonly StatusMessage[] =>
  (status?.conditions ?? [])
    .filter(({ message }) => (message ?? '') !== '')
    .map(({ type, message = '' }) => ({
      object,
      field: `status.conditions[type=${type}].message`,
      value: message,
    }));

const messagesOfEvents = (events: readonly Event[]): readonly StatusMessage[] =>
  newestEventsFirst(events).map(
    ({ involvedObject: { kind = '', name = '' }, metadata, reason = '', message = '' }) => ({
      object: refOf(kind, {
        name,
        ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      }),
      field: `Event ${reason}`,
      value: message,
    }),
  );

/** Warning Events about one of the objects; for a Namespace, all Events in it. */
async function eventsAbout(
  read: Attempts,
  namespace: string,
  objects: readonly ObjectRef[] | 'all',
): Promise<readonly Event[]> {
  const query = { fieldSelector: 'type=Warning' };
  const listed = await read.list<Event>(resources.Event, { namespace, query });
  if (!isRead(listed)) return [];
  return listed.value.filter(
    ({ involvedObject: { kind, name } }) =>
      objects === 'all' || objects.some((object) => object.kind === kind && object.name === name),
  );
}

/** The ReplicaSets of a Deployment that should have Pods; empty for other kinds. */
async function childrenOf(
  read: Attempts,
  ref: StuckObjectName,
  uid: string | undefined,
): Promise<readonly PodController[]> {
  if (ref.kind !== 'Deployment' || ref.namespace === undefined) return [];
  const listed = await read.list<PodController>(resources.ReplicaSet, { namespace: ref.namespace });
  if (!isRead(listed)) return [];
  return listed.value
    .filter(({ metadata, spec }) => controllerOf(metadata)?.uid === uid && (spec.replicas ?? 1) > 0)
    .map((item) => ({ ...item, kind: 'ReplicaSet' as const }));
}

/**
 * The name with its resource: discovery resolves kinds without known Pods or content. Throws {@link StuckObjectError} if
 * the API server does not serve it, or if it is a Secret, whose data are not read.
 */
function resolvedName(ref: StuckObjectName, { served }: Pick<FirstFacts, 'served'>): StuckObjectName {
  const { kind: typed, namespace, name } = ref;
  if (isStuckObjectKind(typed)) return ref;
  const known = served.getIfKnown('served');
  const found = known && resourceNamed(typed, known);
  if (found === undefined) {
    const unknown = known === undefined ? 'discovery' : listed(known.stale);
    throw new StuckObjectError(
      `this cluster serves no resource "${typed}"`,
      unknown === ''
        ? '`kubectl api-resources` lists all.'
        : `Its API may not be available: ${unknown} could not be read. Run kubectl webhook doctor.`,
    );
  }
  const { group, version, resource: plural, kind, namespaced } = found;
  if (group === '' && plural === 'secrets')
    throw new StuckObjectError('the data of Secrets are not read', 'Use `kubectl webhook trace -f FILE`.');
  return { kind, resource: { group, version, plural }, ...(namespaced ? { namespace } : {}), name };
}

const templateOf = (kind: string, object: AnyStuckObject): PodTemplate | undefined => {
  if (kind !== 'Pod') return object.spec?.template;
  const { metadata, spec } = object as unknown as Pod;
  return { metadata: { labels: metadata.labels ?? {}, annotations: metadata.annotations ?? {} }, spec };
};

const ownersOf = (kind: string, object: AnyStuckObject): readonly string[] => {
  if (kind !== 'Pod') return [];
  const owner = controllerOf(object.metadata);
  return [
    ...new Set([workloadOfPod(object as unknown as Pod).kind, ...(owner === undefined ? [] : [owner.kind])]),
  ];
};

/** The resource of a resolved name. */
const resourceOf = ({ kind, resource }: StuckObjectName): Resource =>
  resource ?? resources[kind as StuckObjectKind];

/** Reads an object and those that it has created, with their messages. Throws {@link StuckObjectError}. */
async function collectStuckObject(read: Attempts, ref: StuckObjectName): Promise<StuckObject> {
  const { kind, namespace, name } = ref;
  const where = namespace === undefined ? {} : { namespace };
  const reading = await read.get<AnyStuckObject>(resourceOf(ref), name, where);
  if (!isRead(reading)) {
    const { detail: value = '' } = reading.unread;
    const words = [{ object: { kind, ...where, name }, field: 'response of the API server', value }];
    return { ref, metadata: { name }, owners: [], words, unread: reading.unread };
  }
  const object = reading.value;
  if (object === undefined)
    throw new StuckObjectError(
      `there is no ${kind} "${name}"${namespace === undefined ? '' : ` in namespace ${namespace}`}`,
      `Choose ${namespace === undefined ? '' : 'another namespace with -n, or '}another cluster with --context.`,
    );
  const children = await childrenOf(read, ref, object.metadata.uid);
  const place = kind === 'Namespace' ? name : namespace;
  const about = [
    refOf(kind, object.metadata),
    ...children.map((child) => refOf('ReplicaSet', child.metadata)),
  ];
  const events =
    place === undefined ? [] : await eventsAbout(read, place, kind === 'Namespace' ? 'all' : about);
  const makesPods = kind !== 'Pod' && ref.resource === undefined && object.spec?.template !== undefined;
  const missing = makesPods
    ? missingPods({ ...(object as unknown as PodController), kind: kind as PodController['kind'] })
    : undefined;
  const template = ref.resource === undefined ? templateOf(kind, object) : undefined;
  const { group, names, versions } = object.spec ?? {};
  return {
    ref,
    metadata: object.metadata,
    ...(template === undefined ? {} : { template }),
    ...(kind !== 'CustomResourceDefinition' || group === undefined || names === undefined
      ? {}
      : {
          resource: {
            group,
            plural: names.plural,
            versions: (versions ?? []).filter(({ served }) => served).map((version) => version.name),
          },
        }),
    owners: ownersOf(kind, object),
    ...(missing === undefined ? {} : { missing }),
    words: [
      ...messagesOfConditions(refOf(kind, object.metadata), object),
      ...children.flatMap((child) => messagesOfConditions(refOf('ReplicaSet', child.metadata), child)),
      ...messagesOfEvents(events),
    ],
  };
}

/** True if a mutating webhook is called for the workload itself: it may inject there. */
const isChangedItself = (ref: StuckObjectName, callouts: readonly Callout[]): boolean =>
  callouts
    .filter(isAdmission)
    .some(
      (callout) =>
        callout.kind === 'mutating' &&
        callout.rules.some(({ resources: names }) =>
          names.some((name) => ['*', '*/*', resourceOf(ref).plural].includes(name)),
        ),
    );

/** Requests of injection that the workload has, and its Pod template lacks. Empty for Pods. */
export const misplacedIn = (
  { ref, metadata, template }: StuckObject,
  trail: Trail,
  facts: Pick<FirstFacts, 'callouts' | 'namespaces'>,
): readonly StatusMessage[] =>
  ref.kind === 'Pod' || template === undefined || isChangedItself(ref, trail.callouts)
    ? []
    : misplacedRequests(metadata, template, facts).map(({ field, value }) => ({
        object: ref,
        field,
        value: `${value}; its Pod template does not have it: webhooks for Pods do not see it`,
      }));

/** A stuck object, and the webhooks and APIServices that may block it. */
export interface StuckObjectCallouts {
  readonly stuckObject: StuckObject;
  readonly trail: Trail;
}

/** Finds the webhooks and APIServices that may block the named object. Throws {@link StuckObjectError}. */
export async function findStuckObject(
  read: Attempts,
  facts: FirstFacts,
  name: StuckObjectName,
): Promise<StuckObjectCallouts> {
  const stuck = await collectStuckObject(read, resolvedName(name, facts));
  const found = trailOf(stuck, facts.callouts, facts);
  // The requests of an object that was not read are not known; its error may name a webhook.
  const trail: Trail =
    stuck.unread === undefined || found.by === 'words' ? found : { by: 'requests', callouts: [], words: [] };
  return { stuckObject: stuck, trail: { ...trail, misplaced: misplacedIn(stuck, trail, facts) } };
}
