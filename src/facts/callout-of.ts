import { defined } from '../basics/collections.ts';
import {
  type AdmissionCallout,
  type AggregatedApiCallout,
  type ClientConfig,
  type ConversionCallout,
  type CustomResourceVersion,
  calloutKinds,
  type MatchCondition,
  type RuleWithOperations,
  type ServiceReference,
} from './callout.ts';
import type { LabelSelector } from './objects/label-selector.ts';
import type { Condition, Metadata } from './objects/metadata.ts';

/** `clientConfig` as in webhook configurations and CRDs. */
interface RawClientConfig {
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
  /** v1 returns null for fields that an old object does not have. */
  readonly sideEffects?: string | null;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions?: readonly string[] | null;
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded';
}

/** A Validating- or MutatingWebhookConfiguration as in the API. */
export interface ConfigurationObject {
  readonly metadata: Metadata;
  readonly webhooks?: readonly RawWebhook[] | null;
}

/** The defaults of admissionregistration.k8s.io/v1 (pkg/apis/admissionregistration/v1/defaults.go). */
function clientConfig(raw: RawClientConfig = {}): ClientConfig {
  const { url, service, caBundle } = raw;
  const reference: ServiceReference | undefined = service && {
    namespace: service.namespace,
    name: service.name,
    port: service.port ?? 443,
    ...(service.path === undefined ? {} : { path: service.path }),
  };
  return {
    ...defined({ service: reference, url, caBundle }),
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
  raw: ConfigurationObject,
): readonly AdmissionCallout[] {
  return (raw.webhooks ?? []).map((webhook, index) => ({
    kind,
    ref: { kind: calloutKinds[kind].object, name: raw.metadata.name, webhook: webhook.name },
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

/** The fields of a CustomResourceDefinition that conversion needs. */
export interface DefinitionObject {
  readonly metadata: Metadata;
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly plural: string; readonly kind: string };
    readonly versions?: readonly CustomResourceVersion[];
    readonly conversion?: {
      readonly strategy?: string;
      readonly webhook?: {
        readonly clientConfig?: RawClientConfig;
        readonly conversionReviewVersions?: readonly string[];
      };
    };
  };
  readonly status?: {
    readonly storedVersions?: readonly string[];
    readonly conditions?: readonly Condition[];
  };
}

/** The callout of a CRD that converts by webhook; undefined for strategy None. The timeout is always 30 s. */
export function conversionCallout({
  metadata,
  spec,
  status,
}: DefinitionObject): ConversionCallout | undefined {
  const { webhook, strategy } = spec.conversion ?? {};
  if (strategy !== 'Webhook') return undefined;
  return {
    kind: 'conversion',
    ref: { kind: 'CustomResourceDefinition', name: metadata.name },
    configuration: metadata.name,
    webhook: metadata.name,
    index: 0,
    metadata,
    client: clientConfig(webhook?.clientConfig),
    timeoutSeconds: 30,
    resource: { group: spec.group, plural: spec.names.plural, kind: spec.names.kind, scope: spec.scope },
    versions: (spec.versions ?? []).map(({ name, served, storage }) => ({ name, served, storage })),
    storedVersions: status?.storedVersions ?? [],
    conversionReviewVersions: webhook?.conversionReviewVersions ?? [],
    conditions: status?.conditions ?? [],
  };
}

/** An APIService as in the API. */
export interface ApiServiceObject {
  readonly metadata: Metadata;
  readonly spec: {
    readonly group?: string;
    readonly version?: string;
    readonly caBundle?: string;
    readonly insecureSkipTLSVerify?: boolean;
    readonly service?: { readonly namespace?: string; readonly name?: string; readonly port?: number } | null;
  };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** The callout of an APIService with a Service; undefined for local ones, which are not called. */
export function aggregatedApiCallout({
  metadata,
  spec,
  status,
}: ApiServiceObject): AggregatedApiCallout | undefined {
  const { service } = spec;
  if (service?.name === undefined || service.namespace === undefined) return undefined;
  return {
    kind: 'aggregated-api',
    ref: { kind: 'APIService', name: metadata.name },
    configuration: metadata.name,
    webhook: metadata.name,
    index: 0,
    metadata,
    client: {
      service: { namespace: service.namespace, name: service.name, port: service.port ?? 443 },
      ...(spec.caBundle === undefined ? {} : { caBundle: spec.caBundle }),
    },
    timeoutSeconds: 5,
    group: spec.group ?? '',
    version: spec.version ?? '',
    insecureSkipTLSVerify: spec.insecureSkipTLSVerify ?? false,
    conditions: status?.conditions ?? [],
  };
}
