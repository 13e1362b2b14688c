import { stringify } from 'yaml';
import type { MatchFacts } from '../apiserver/admission/match.ts';
import { foreseenByWorkload } from '../apiserver/deadlock/admission-path.ts';
import { bootstrapOf } from '../apiserver/deadlock/bootstrap.ts';
import { proxiedPortOf } from '../apiserver/routing/route.ts';
import type { Edit } from '../change/plan.ts';
import {
  type AdmissionCallout,
  type Callout,
  calloutId,
  clientConfigPath,
  isAdmission,
  isServiceBacked,
  type ServiceBacked,
} from '../facts/callout.ts';
import { keyOf, type ObjectRef, refOf } from '../facts/object-ref.ts';
import { type Metadata, restoringOwner } from '../facts/objects/metadata.ts';
import type { Service, ServicePort } from '../facts/objects/service.ts';
import type { Workload } from '../facts/objects/workload.ts';
import type { Facts } from '../facts/snapshot.ts';
import { refOfWorkload, wantedPods, workloadsMaking } from '../facts/workloads/workloads.ts';
import { type ServingContainer, servingContainer } from '../pods/backend-practices.ts';
import { declarativeOwnerOf, helmRelease } from '../products/of-metadata.ts';
import type { ConfigurationField } from '../products/product.ts';
import { knownWriters, unknownWriters } from '../products/writers.ts';
import type { PlanDraft } from './remedy.ts';

/** Who created the object and will restore it; undefined if its metadata shows no owner. */
function ownerOf(metadata: Metadata): string | undefined {
  const kept = declarativeOwnerOf(metadata);
  if (kept !== undefined)
    return `${kept.by} ${kept.source} reverts it at its next sync: change it in that source.`;
  const release = helmRelease(metadata);
  if (release !== undefined)
    return `It lasts until the next upgrade of Helm release ${release.namespace}/${release.name}: change its values or templates, too.`;
  const owner = restoringOwner(metadata);
  return owner && `${owner.kind} ${owner.name} owns the object, and its controller may revert the change.`;
}

/** Whether the object is declared elsewhere, where it must be changed. */
export const isDeclaredElsewhere = (metadata: Metadata): boolean => ownerOf(metadata) !== undefined;

/**
 * Sentences about who may revert a change of this object, and where to make it permanent. Empty if its
 * metadata shows no owner.
 */
export const whoReverts = (metadata: Metadata): readonly string[] => {
  const owner = ownerOf(metadata);
  return owner === undefined ? [] : [owner];
};

/** The same for one field of a webhook's object, with the processes that write this field. */
export function whoRevertsField(callout: Callout, field: ConfigurationField): readonly string[] {
  const known = knownWriters(callout).filter(({ fields }) => fields.includes(field));
  const unknown = unknownWriters(callout).filter(([, fields]) => fields.includes(field));
  return [
    ...whoReverts(callout.metadata),
    ...known.map(
      ({ writer }) => `The field ${field} is written by ${writer.name}. Permanent change: ${writer.lasts}.`,
    ),
    ...unknown.map(
      ([manager]) => `The field ${field} is written by ${manager}, which may revert the change.`,
    ),
  ];
}

/** The Service of a webhook. Undefined if it does not exist; throws NotKnown if it could not be read. */
export const serviceBehind = (
  callout: Callout,
  { services }: Pick<Facts, 'services'>,
): Service | undefined =>
  isServiceBacked(callout) ? services.get(keyOf(callout.client.service)) : undefined;

/** The Service port that the webhook's client configuration selects. */
export const portBehind = (callout: Callout, service: Service): ServicePort | undefined =>
  isServiceBacked(callout) ? proxiedPortOf(service, callout.client.service.port) : undefined;

/** The workload that creates the Service's Pods; undefined for none or several. Throws NotKnown. */
export function workloadBehind(
  callout: Callout,
  facts: Pick<Facts, 'services' | 'workloads'>,
): Workload | undefined {
  const service = serviceBehind(callout, facts);
  if (service === undefined) return undefined;
  const made = workloadsMaking(
    service.spec.selector,
    facts.workloads.get(service.metadata.namespace ?? '') ?? [],
  );
  return made.length === 1 ? made[0] : undefined;
}

/** The workload of a webhook, and its container behind the Service port; undefined if either is ambiguous. */
export function servingBehind(
  callout: Callout,
  facts: Pick<Facts, 'services' | 'workloads'>,
): { readonly workload: Workload; readonly serving: ServingContainer } | undefined {
  const service = serviceBehind(callout, facts);
  const workload = workloadBehind(callout, facts);
  const port = service && portBehind(callout, service);
  const serving = workload && port && servingContainer(workload, port);
  return workload && serving && { workload, serving };
}

/** The refusal of a change that replaces Pods of the backend: the webhook itself refuses the new ones. */
export function refusedByItself(
  callout: Callout,
  workload: Workload,
  facts: MatchFacts & Pick<Facts, 'services'>,
): string | undefined {
  const service = serviceBehind(callout, facts);
  if (service === undefined || !isAdmission(callout)) return undefined;
  const fromZero = wantedPods(workload) === 0;
  const { outcome } = bootstrapOf(callout, foreseenByWorkload(workload, service), facts, fromZero);
  if (outcome !== 'blocked') return undefined;
  return `${callout.webhook} intercepts new Pods of ${workloadName(workload)}, and does not respond: exclude their namespace first (exclude-backend-namespace), or let it fail open.`;
}

/** `Deployment shop/policy`. */
export const workloadName = ({ kind, metadata }: Workload): string =>
  `${kind} ${keyOf({ namespace: metadata.namespace, name: metadata.name })}`;

/** A change of the declaration of a workload. */
export interface DeclarationChange {
  readonly edits: readonly Edit[];
  /** The object or part of it to be declared by the owner. */
  readonly declared: unknown;
}

/** A change of a workload's declaration: applied, or printed if the workload is declared elsewhere (GitOps, an operator). */
export function declarationPlan(
  plan: Omit<PlanDraft, 'edits' | 'print'>,
  workload: Workload,
  { edits, declared }: DeclarationChange,
  elsewhere = isDeclaredElsewhere(workload.metadata),
): PlanDraft {
  return {
    ...plan,
    edits: elsewhere ? [] : edits,
    warnings: [...(plan.warnings ?? []), ...whoReverts(workload.metadata)],
    ...(elsewhere ? { print: stringify(declared) } : {}),
  };
}

/** An edit of one field, based on its present value; `undefined`: the field is absent. */
export const fieldEdit = (object: ObjectRef, path: string, expected: unknown, after: unknown): Edit => ({
  object,
  operation: 'patch',
  path,
  expected,
  after,
});

/** The same for a field of the `spec` of a Service. */
export const serviceEdit = (service: Service, field: string, expected: unknown, after: unknown): Edit =>
  fieldEdit(refOf('Service', service.metadata), `/spec/${field}`, expected, after);

/**
 * The plan, followed by a restart of the workload, so that its controller creates Pods at once: after several refusals it
 * waits up to a quarter of an hour. The webhook refuses the restart until the plan is applied.
 */
export const andTryAgain = (plan: PlanDraft, callout: Callout, workload: Workload): PlanDraft => ({
  ...plan,
  summary: `${plan.summary}; ${workloadName(workload)} is restarted to retry at once`,
  edits: [...plan.edits, { object: refOfWorkload(workload), operation: 'restart', afterPrevious: true }],
  fixes: [calloutId(callout)],
  warnings: [
    ...(plan.warnings ?? []),
    `The restart of ${workloadName(workload)} is not part of the dry run, because the webhook still blocks it.`,
  ],
});

/** An edit of one field of the client configuration. */
export const clientConfigEdit = (
  callout: Callout,
  field: 'caBundle' | 'service' | 'service/name' | 'service/namespace' | 'service/port' | 'url',
  expected: unknown,
  after: unknown,
): Edit => fieldEdit(callout.ref, `/${clientConfigPath(callout).join('/')}/${field}`, expected, after);

/** The plan that sets one field of the Service that the client configuration names. */
export const serviceFieldPlan = (
  callout: ServiceBacked,
  field: 'name' | 'namespace' | 'port',
  after: string | number,
) => {
  const before = callout.client.service[field];
  const path = `${clientConfigPath(callout).at(-1)}.service.${field}`;
  return {
    summary: `${path} of ${callout.webhook} is ${after} instead of ${before}`,
    edits: [clientConfigEdit(callout, `service/${field}`, before, after)],
  };
};

/** An edit of one field of an admission webhook, based on its present value. */
export const webhookEdit = <
  Field extends 'failurePolicy' | 'matchConditions' | 'namespaceSelector' | 'timeoutSeconds',
>(
  callout: AdmissionCallout,
  field: Field,
  after: AdmissionCallout[Field],
): Edit => {
  // The API server omits an empty list.
  const isAbsent = field === 'matchConditions' && callout.matchConditions.length === 0;
  const before = isAbsent ? undefined : callout[field];
  return fieldEdit(callout.ref, `/webhooks/${callout.index}/${field}`, before, after);
};
