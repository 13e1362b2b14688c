import type {
  AdmissionCallout,
  ClientConfig,
  MatchCondition,
  RuleWithOperations,
  ServiceReference,
} from '../../facts/callout.ts';
import { limits } from '../../facts/limits.ts';
import { lookup } from '../../facts/lookup.ts';
import type { LabelSelector, Metadata } from '../../facts/objects/metadata.ts';
import { resources, toRead } from '../../facts/resource.ts';
import type { Right } from '../../facts/right.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { type Attempts, isRead, type Reading } from '../attempts.ts';
import { defineCollector } from '../collector.ts';

export const admissionRights: readonly Right[] = [
  toRead(resources.ValidatingWebhookConfiguration, ['list'], 'cluster', 'webhooks'),
  toRead(resources.MutatingWebhookConfiguration, ['list'], 'cluster', 'webhooks'),
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

type ConfigurationList = Reading<readonly RawConfiguration[]>;

interface Admission {
  readonly callouts: readonly AdmissionCallout[];
  /** Names of all configurations, those that hold no webhook among them, by kind. */
  readonly configurations: Facts['configurations'];
}

function namesOf(
  lists: Readonly<Record<AdmissionCallout['kind'], ConfigurationList>>,
): Admission['configurations'] {
  const read = Object.entries(lists).flatMap(([kind, list]) =>
    isRead(list) ? [[kind, list.value.map(({ metadata }) => metadata.name)] as const] : [],
  );
  const [unread] = Object.values(lists).flatMap((list) => (isRead(list) ? [] : [list.unread]));
  return lookup(new Map(read), { others: unread });
}

async function readAdmission(read: Attempts): Promise<Admission> {
  const [mutating, validating] = (await Promise.all(
    [resources.MutatingWebhookConfiguration, resources.ValidatingWebhookConfiguration].map(async (kind) => {
      const list = await read.list<RawConfiguration>(kind);
      const held = isRead(list)
        ? list.value.reduce((sum, { webhooks }) => sum + (webhooks?.length ?? 0), 0)
        : 0;
      if (held <= limits.webhooks) return list;
      return read.refuse(
        { resource: kind.plural, verb: 'list' },
        `they hold more than ${limits.webhooks} webhooks`,
      );
    }),
  )) as [ConfigurationList, ConfigurationList];
  const calloutsOf = (kind: AdmissionCallout['kind'], list: ConfigurationList) =>
    isRead(list) ? list.value.flatMap((raw) => admissionCallouts(kind, raw)) : [];
  return {
    callouts: [...calloutsOf('mutating', mutating), ...calloutsOf('validating', validating)],
    configurations: namesOf({ mutating, validating }),
  };
}

/** Two facts come of the same two lists. */
const made = new WeakMap<Attempts, Promise<Admission>>();

/** Reads both configuration lists; one that cannot be read leaves the other. */
export function admissionOf(read: Attempts): Promise<Admission> {
  const known = made.get(read) ?? readAdmission(read);
  made.set(read, known);
  return known;
}

export const configurations = defineCollector({
  fact: 'configurations',
  needs: [],
  rights: admissionRights,
  otherwise: 'names of webhook configurations',
  readAll: async (access) => (await admissionOf(access)).configurations,
});
