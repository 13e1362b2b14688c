import type {
  AdmissionCallout,
  ClientConfig,
  MatchCondition,
  RuleWithOperations,
  ServiceReference,
} from '../../facts/callout.ts';
import { type Lookup, lookup } from '../../facts/lookup.ts';
import type { LabelSelector, Metadata } from '../../facts/objects/metadata.ts';
import type { Right } from '../../facts/right.ts';
import { type Attempts, isRead, type Reading } from '../attempts.ts';
import { type Resource, resources } from '../resource.ts';
import { toRead } from '../rights.ts';

export const admissionRights: readonly Right[] = [
  toRead(resources.validatingWebhookConfigurations, ['list'], 'cluster', 'webhooks'),
  toRead(resources.mutatingWebhookConfigurations, ['list'], 'cluster', 'webhooks'),
];

/** `clientConfig` as webhook configurations and CRDs hold it. */
export interface RawClientConfig {
  readonly url?: string;
  readonly caBundle?: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly port?: number;
    readonly path?: string;
  };
}

interface RawWebhook {
  readonly name: string;
  readonly clientConfig?: RawClientConfig;
  readonly rules?: readonly Partial<RuleWithOperations>[] | null;
  readonly failurePolicy?: 'Fail' | 'Ignore';
  readonly matchPolicy?: 'Exact' | 'Equivalent';
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly matchConditions?: readonly MatchCondition[] | null;
  /** v1 writes null for what an object of long ago does not say. */
  readonly sideEffects?: string | null;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions?: readonly string[] | null;
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded';
}

interface RawConfiguration {
  readonly metadata: Metadata;
  readonly webhooks?: readonly RawWebhook[] | null;
}

/** Fills in the defaults of admissionregistration.k8s.io/v1 (pkg/apis/admissionregistration/v1/defaults.go). */
export function clientConfig(raw: RawClientConfig = {}): ClientConfig {
  const { url, service, caBundle } = raw;
  const reference: ServiceReference | undefined = service && {
    namespace: service.namespace,
    name: service.name,
    port: service.port ?? 443,
    ...(service.path === undefined ? {} : { path: service.path }),
  };
  return {
    ...(reference === undefined ? {} : { service: reference }),
    ...(url === undefined ? {} : { url }),
    ...(caBundle === undefined ? {} : { caBundle }),
  };
}

const rule = (raw: Partial<RuleWithOperations>): RuleWithOperations => ({
  operations: raw.operations ?? [],
  apiGroups: raw.apiGroups ?? [],
  apiVersions: raw.apiVersions ?? [],
  resources: raw.resources ?? [],
  scope: raw.scope ?? '*',
});

/** One callout per entry of `webhooks[]`. */
export function admissionCallouts(
  kind: AdmissionCallout['kind'],
  raw: RawConfiguration,
): readonly AdmissionCallout[] {
  const objectKind =
    kind === 'validating' ? 'ValidatingWebhookConfiguration' : 'MutatingWebhookConfiguration';
  return (raw.webhooks ?? []).map((webhook, index) => ({
    kind,
    ref: { kind: objectKind, name: raw.metadata.name, webhook: webhook.name },
    configuration: raw.metadata.name,
    webhook: webhook.name,
    index,
    metadata: raw.metadata,
    client: clientConfig(webhook.clientConfig),
    timeoutSeconds: webhook.timeoutSeconds ?? 10,
    failurePolicy: webhook.failurePolicy ?? 'Fail',
    rules: (webhook.rules ?? []).map(rule),
    namespaceSelector: webhook.namespaceSelector ?? {},
    objectSelector: webhook.objectSelector ?? {},
    matchPolicy: webhook.matchPolicy ?? 'Equivalent',
    matchConditions: webhook.matchConditions ?? [],
    sideEffects: webhook.sideEffects ?? undefined,
    admissionReviewVersions: webhook.admissionReviewVersions ?? [],
    ...(webhook.reinvocationPolicy === undefined ? {} : { reinvocationPolicy: webhook.reinvocationPolicy }),
  }));
}

/** What webhook configurations hold. */
export interface Admission {
  readonly callouts: readonly AdmissionCallout[];
  /** `validating/NAME`, `mutating/NAME`: configurations that hold no webhook. */
  readonly withoutWebhooks: readonly string[];
  /** Names of all of them, by kind. */
  readonly configurations: Lookup<readonly string[]>;
}

function namesOf(
  lists: Readonly<Record<AdmissionCallout['kind'], Reading<readonly RawConfiguration[]>>>,
): Admission['configurations'] {
  const read = Object.entries(lists).flatMap(([kind, list]) =>
    isRead(list) ? [[kind, list.value.map(({ metadata }) => metadata.name)] as const] : [],
  );
  const [unread] = Object.values(lists).flatMap((list) => (isRead(list) ? [] : [list.unread]));
  return lookup(new Map(read), () => unread, unread);
}

/**
 * Reads both configuration lists; one that cannot be read leaves the other.
 *
 * @param each is given the webhooks of either list when it is there.
 */
export async function collectAdmission(
  read: Attempts,
  each: (callouts: readonly AdmissionCallout[]) => void = () => undefined,
): Promise<Admission> {
  const listOf = async (kind: AdmissionCallout['kind'], resource: Resource) => {
    const list = await read.list<RawConfiguration>(resource);
    const raws = isRead(list) ? list.value : [];
    const callouts = raws.flatMap((raw) => admissionCallouts(kind, raw));
    each(callouts);
    const withoutWebhooks = raws
      .filter(({ webhooks }) => (webhooks ?? []).length === 0)
      .map(({ metadata }) => `${kind}/${metadata.name}`);
    return { list, callouts, withoutWebhooks };
  };
  const lists = await Promise.all([
    listOf('mutating', resources.mutatingWebhookConfigurations),
    listOf('validating', resources.validatingWebhookConfigurations),
  ]);
  const [mutating, validating] = lists;
  return {
    callouts: lists.flatMap(({ callouts }) => callouts),
    withoutWebhooks: lists.flatMap(({ withoutWebhooks }) => withoutWebhooks),
    configurations: namesOf({ mutating: mutating.list, validating: validating.list }),
  };
}
