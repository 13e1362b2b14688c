import type { CallError } from '../apiserver/sentences/call-error/call-error.ts';
import type { CauseKind } from '../apiserver/sentences/call-error/cause-kind.ts';
import type { KnownText } from '../apiserver/sentences/component-texts/component-texts.ts';
import { type Circumstance, circumstancesIn } from './circumstances.ts';
import {
  type BrokenPod,
  brokenPods,
  type RecognisedCall,
  type RecognisedRecord,
} from './recognised-record.ts';
import { isRemovalOf } from './said-removed.ts';

/** Texts about consequences of another failure. */
const consequences: ReadonlySet<KnownText | undefined> = new Set([
  'lease-sought',
  'lease-not-held',
  'crash-loop',
  'readiness-probe',
  'restart-probe',
  'api-unavailable',
  'apiservice-discovery-failed',
]);
/** True for a text that is a consequence of another failure, and does not show the cause. */
export const isConsequence = (found: RecognisedRecord): boolean =>
  found.of === 'component' && consequences.has(found.component.kind);

/** The backend of a call, as the text names it. */
const backendOf = ({ service, host, port }: CallError): string | undefined =>
  service === undefined ? host && `${host}:${port}` : `${service.namespace}/${service.name}:${port}`;

/** Ends of calls to a Pod that ends, and of calls after its end. */
const cutOff: ReadonlySet<CauseKind | undefined> = new Set(['connection-closed']);
/** Ends of calls to a backend without a Pod that listens. */
export const afterEnd: ReadonlySet<CauseKind | undefined> = new Set(['connection-refused', 'no-endpoints']);

/** Namespaces with the Pods of many programs. */
const manyPrograms: ReadonlySet<string | undefined> = new Set(['default', 'kube-system']);

/** What a record shows about a Pod, if one of its words is like this. */
const brokenPodOf = (others: readonly RecognisedRecord[], isMeant: (word: string) => boolean) =>
  brokenPods.find((kind) =>
    others.some(
      (one) =>
        one.of === 'component' &&
        one.component.kind === kind &&
        one.text.split(/[^\w-]+/).some((word) => isMeant(word)),
    ),
  );

/** What a record shows about a Pod or workload that has the name of the Service. */
function ownBrokenPod({ service }: CallError, others: readonly RecognisedRecord[]): BrokenPod | undefined {
  const name = service?.name.replace(/-(?:service|svc)$/, '');
  if (name === undefined) return undefined;
  return brokenPodOf(others, (word) => word === name || word.startsWith(`${name}-`));
}

/** Whether a record about a Pod with this word may be about one of the Service: `proxy-injector` of `mesh-proxy-injector`. */
const isSimilar = (word: string, { namespace, name }: NonNullable<CallError['service']>): boolean =>
  (word === namespace && !manyPrograms.has(namespace)) || (word.includes('-') && name.endsWith(`-${word}`));

/** What the other records show about this one. */
function contextOf(
  { error }: RecognisedCall,
  others: readonly RecognisedRecord[],
): RecognisedCall['context'] {
  const { kind, webhook, message, cause } = error;
  const same = others.filter((one) => one.of === 'call' && one.error.kind === kind);
  if (kind === 'denial') {
    const alike = same.filter((one) => one.error?.webhook === webhook && one.error?.message === message);
    return webhook !== undefined && alike.length > 2 ? 'denies-several' : undefined;
  }
  const broken = afterEnd.has(cause?.kind) ? ownBrokenPod(error, others) : undefined;
  if (broken !== undefined) return broken;
  const backend = backendOf(error);
  const kindsOf = same.flatMap((one) =>
    one.error && backendOf(one.error) === backend ? one.error.cause?.kind : [],
  );
  const isEither = cutOff.has(cause?.kind) || afterEnd.has(cause?.kind);
  return backend !== undefined &&
    isEither &&
    kindsOf.some((one) => cutOff.has(one)) &&
    kindsOf.some((one) => afterEnd.has(one))
    ? 'backend-replaced'
    : undefined;
}

/** Whether kubectl or Helm printed this about an object of the backend: `policy` or `policy-webhook` of Service `policy-webhook`. */
function isOfBackend({ error }: RecognisedRecord, printed: string): boolean {
  const name = /(?:for|service|deployment|daemonset|pod)(?:\.apps)?[/ ]"?([\w.-]+)/i.exec(printed)?.[1];
  return name !== undefined && `${error?.service?.name}-`.startsWith(`${name}-`);
}

/**
 * Ends of calls for which a printed start or removal of the backend decides. Packets without a response are also
 * lost at the start. A Service for which the API server has no endpoint, or an address, exists.
 */
function isDecidedBy(as: Circumstance['as'], printed: string, end: CauseKind | undefined): boolean {
  if (as === 'shown-rollout') return cutOff.has(end) || afterEnd.has(end);
  const isService = /\bservice "|" Service\b/.test(printed);
  return end === undefined || end === 'service-missing' || (afterEnd.has(end) && !isService);
}

/** Whether a circumstance is about a record. */
function isAbout(
  found: RecognisedRecord,
  { as, sentences }: Circumstance,
  stated: readonly Circumstance[],
): boolean {
  if (as === 'said-removed') return sentences.some((one) => isRemovalOf(found, one));
  if (as !== 'shown-rollout' && as !== 'shown-removal') return true;
  const isBoth = ['shown-rollout', 'shown-removal'].every((one) => stated.some((other) => other.as === one));
  return (
    !(isBoth && as === 'shown-removal') &&
    sentences.some((one) => isOfBackend(found, one) && isDecidedBy(as, one, found.error?.cause?.kind))
  );
}

/** The record with the circumstances that are about it. */
function withCircumstances(found: RecognisedRecord, stated: readonly Circumstance[]): RecognisedRecord {
  const circumstances = stated.filter((one) => isAbout(found, one, stated)).map(({ as }) => as);
  return circumstances.length === 0 ? found : { ...found, circumstances };
}

/**
 * Marks what only several records together show. Calls to different backends that end with the same error: the
 * cause is on the network path. A timeout, and a server whose client ends handshakes, or which waits itself:
 * packets arrive there.
 */
export function withContext(
  records: readonly RecognisedRecord[],
  input: string,
): readonly RecognisedRecord[] {
  const circumstances = circumstancesIn(input);
  const found = records.map((one) => withCircumstances(one, circumstances));
  const backends = new Map<string | undefined, Set<string>>();
  for (const { error } of found) {
    const backend = error && backendOf(error);
    if (backend === undefined) continue;
    backends.set(error?.cause?.symptom, (backends.get(error?.cause?.symptom) ?? new Set()).add(backend));
  }
  const isSlow = found.some(
    (one) =>
      one.of === 'component' &&
      (one.component.kind === 'handshake-ended-by-client' || one.component.kind === 'client-throttled'),
  );
  return found.map((one) => {
    if (one.of !== 'call') return one;
    const { symptom } = one.error.cause ?? {};
    if ((backends.get(symptom)?.size ?? 0) > 1) return { ...one, context: 'several-backends' };
    const context = contextOf(one, found);
    if (context !== undefined) return { ...one, context };
    if (isSlow && symptom === 'deadline') return { ...one, context: 'response-timeout' };
    const { cause, service } = one.error;
    const nearby =
      service !== undefined && afterEnd.has(cause?.kind)
        ? brokenPodOf(found, (word) => isSimilar(word, service))
        : undefined;
    return nearby === undefined ? one : { ...one, nearby };
  });
}
