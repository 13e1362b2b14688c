import { podReferencesOf } from '../../apiserver/held-pods/placeholder-scheduler.ts';
import { newestFirst, secondsSince } from '../../basics/time.ts';
import type { ChainLink } from '../../checks/chain.ts';
import { type Callout, isAdmission } from '../../facts/callout.ts';
import type { Evidence } from '../../facts/evidence.ts';
import { keyOf, type ObjectRef, refOf, refText } from '../../facts/object-ref.ts';
import { keyOfItem, type Metadata, nameless } from '../../facts/objects/metadata.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { refOfWorkload, workloadsMaking } from '../../facts/workloads/workloads.ts';
import { spanText } from '../../phrases/durations.ts';
import type { FindingReport } from '../report.ts';
import type { BrokenCallout } from './broken-callout.ts';
import { outageStart } from './outage-start.ts';

/** Seconds before an outage in which a change may be its cause: on-call engineers look back one day. */
const withinSeconds = 86_400;
/** Seconds after the creation of an object in which its installation still writes it. */
const installationSeconds = 30;
/** Links of causes that no change of the configuration explains. */
const behindConfiguration: ReadonlySet<ChainLink> = new Set(['backend', 'replica', 'network']);
/** Seconds by which the first sign of an outage may precede the write that caused it: times are whole, clocks differ. */
const toleranceSeconds = 60;
/** The number of changes in a report. */
const most = 2;

/** A write that `metadata.managedFields` records. */
interface Write {
  readonly manager: string;
  /** RFC 3339. */
  readonly at: string;
  readonly field?: string;
}

/** An object of the chain, with the writes of its specification or data. */
interface WrittenObject {
  readonly object: ObjectRef;
  readonly metadata: Metadata;
  readonly writes: readonly Write[];
}

/** FieldsV1, or a part of it. */
type Fields = Readonly<Record<string, unknown>>;

/** The children of FieldsV1 by name: those of all items of a list together. */
function childrenOf(fields: unknown, children = new Map<string, unknown[]>()): Map<string, unknown[]> {
  for (const [key, value] of Object.entries((fields ?? {}) as Fields)) {
    const name = key.slice(2);
    if (key.startsWith('k:')) childrenOf(value, children);
    else if (key.startsWith('f:')) {
      const known = children.get(name);
      if (known === undefined) children.set(name, [value]);
      else known.push(value);
    }
  }
  return children;
}

/** The fields of a webhook among those of its configuration, and the conversion of a CRD. */
function ownFields(callout: Callout, fields: Fields | undefined): Fields | undefined {
  const below = (part: Fields | undefined, key: string) => part?.[key] as Fields | undefined;
  if (isAdmission(callout)) {
    const own = below(below(fields, 'f:webhooks'), keyOfItem(callout.webhook));
    return own && { 'f:webhooks': own };
  }
  const conversion = below(below(fields, 'f:spec'), 'f:conversion');
  return callout.kind === 'conversion' ? conversion && { 'f:spec': { 'f:conversion': conversion } } : fields;
}

/** The number of names in a path. */
const deepest = 8;

/**
 * The path that all fields of a manager have in common: `spec.ports.targetPort`, empty if they have none. Undefined for
 * metadata alone: annotations of controllers change all the time.
 */
export function commonField(fields: Fields | undefined): string | undefined {
  const path: string[] = [];
  let children = childrenOf(fields);
  children.delete('metadata');
  if (children.size === 0) return undefined;
  while (children.size === 1 && path.length < deepest) {
    const [[name, values] = ['', []]] = children;
    path.push(name);
    // Keys of annotations and labels contain dots.
    if (name === 'annotations' || name === 'labels') break;
    children = childrenOf(Object.fromEntries(values.map((value, at) => [`k:${at}`, value])));
  }
  return path.join('.');
}

/**
 * Writes through subresources are left out: status, and the scale of autoscalers.
 *
 * @param part the fields that matter.
 */
const written = (
  object: ObjectRef,
  metadata: Metadata,
  part = (fields: Fields | undefined): Fields | undefined => fields,
): WrittenObject => ({
  object,
  metadata,
  writes: (metadata.managedFields ?? []).flatMap((entry) => {
    const { manager, time, subresource } = entry;
    const field = commonField(part(entry.fieldsV1));
    if (manager === undefined || time === undefined || subresource !== undefined) return [];
    return field === undefined ? [] : { manager, at: time, ...(field === '' ? {} : { field }) };
  }),
});

/** The configuration, its Service, and the workloads that the Service selects. */
function chainObjects(
  { callout }: BrokenCallout,
  { link }: FindingReport,
  { services, workloads }: Facts,
): readonly WrittenObject[] {
  const { service } = callout.client;
  const found = service && services.getIfKnown(keyOf(service));
  const known = (service && workloads.getIfKnown(service.namespace)) ?? [];
  const selected = found === undefined ? [] : workloadsMaking(found.spec.selector, known);
  return [
    ...(behindConfiguration.has(link)
      ? []
      : [written(callout.ref, callout.metadata, (fields) => ownFields(callout, fields))]),
    ...(found === undefined ? [] : [written(refOf('Service', found.metadata), found.metadata)]),
    ...selected.map((workload) => written(refOfWorkload(workload), workload.metadata)),
  ];
}

/** ConfigMaps that its Pods refer to; read if one of them crashed. */
function configMaps({ callout }: BrokenCallout, { pods, podReferences }: Facts): readonly WrittenObject[] {
  const { service } = callout.client;
  const [pod] = (service && pods.getIfKnown(keyOf(service))) ?? [];
  return (pod === undefined ? [] : podReferencesOf(pod)).flatMap((object) => {
    const metadata = podReferences.getIfKnown(`${object.kind} ${keyOf(object)}`);
    return metadata === undefined ? [] : [written(object, metadata)];
  });
}

/** Secrets and ConfigMaps with certificates that the finding names. */
function certificateObjects({ evidence }: FindingReport, facts: Facts): readonly WrittenObject[] {
  const lookups: Readonly<Record<string, Facts['secrets']>> = {
    Secret: facts.secrets,
    ConfigMap: facts.configMaps,
  };
  const named = new Map(evidence.map(({ object }) => [refText(object), object]));
  return [...named.values()].flatMap((object) => {
    const { metadata, writers = [] } = lookups[object.kind]?.getIfKnown(keyOf(object)) ?? {};
    const writes = writers.flatMap(({ manager, at }) =>
      at === undefined ? [] : { manager, at, field: 'data' },
    );
    return metadata === undefined ? [] : { object, metadata, writes };
  });
}

/**
 * The last changes of the objects of a chain before its webhook began to fail, as evidence. It is no claim that a
 * change is the cause. Managers that the message names already are omitted.
 */
export function lastChanges(broken: BrokenCallout, cause: FindingReport, facts: Facts): readonly Evidence[] {
  const { takenAt } = facts;
  const since = outageStart(broken, facts)?.since ?? takenAt;
  const isRecent = ({ manager, at, field }: Write, { creationTimestamp }: Metadata): boolean => {
    const before = secondsSince(at, since) ?? Number.POSITIVE_INFINITY;
    const age = secondsSince(creationTimestamp, at) ?? Number.POSITIVE_INFINITY;
    return (
      before > -toleranceSeconds &&
      before < withinSeconds &&
      age > installationSeconds &&
      !cause.message.includes(manager) &&
      (cause.link === 'tls' || field?.endsWith('.caBundle') !== true)
    );
  };
  const changes = [
    ...chainObjects(broken, cause, facts),
    ...configMaps(broken, facts),
    ...certificateObjects(cause, facts),
  ].flatMap(({ object, metadata, writes }) =>
    writes.filter((write) => isRecent(write, metadata)).map((write) => ({ object, ...write })),
  );
  return newestFirst(changes, ({ at }) => at)
    .slice(0, most)
    .map(({ manager, at, ...changed }) => ({
      ...changed,
      value: `changed ${spanText(takenAt, at)}${manager === nameless ? '' : ` by ${manager}`}`,
    }));
}
