import { groupBy } from '../basics/collections.ts';
import { derive } from '../basics/derive.ts';
import { urlHost } from '../basics/url.ts';
import type { Evidence } from './evidence.ts';
import type { Lookup } from './lookup.ts';
import { keyOf, type ObjectRef } from './object-ref.ts';
import type { LabelSelector } from './objects/label-selector.ts';
import type { Condition, Metadata } from './objects/metadata.ts';
import { type ResourceKind, resources } from './resource.ts';
import type { Facts } from './snapshot.ts';

/** The effect of a failed call on the request: refused, or admitted unchecked (admissionregistration/v1). */
export type FailurePolicy = 'Fail' | 'Ignore';

/** A backend that is a Service. The API server connects to `<name>.<namespace>.svc:<port>`. */
export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  /** A port number of the Service, default 443; never that of the container. */
  readonly port: number;
  /** As written; undefined if the configuration has none. */
  readonly path?: string;
}

/** `clientConfig`: the server to call, and its CA. A valid object has exactly one of `service` and `url`. */
export interface ClientConfig {
  readonly service?: ServiceReference;
  readonly url?: string;
  /** base64 as in the object; empty string and absent both mean "the API server's system roots". */
  readonly caBundle?: string;
}

/** A rule of a webhook configuration; `*` matches everything (admissionregistration/v1 types.go). */
export interface RuleWithOperations {
  readonly operations: readonly string[];
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly resources: readonly string[];
  /** `*` when absent. */
  readonly scope?: 'Cluster' | 'Namespaced' | '*';
}

/** A condition of a webhook, in CEL; all must be true for a call (KEP-3716). */
export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

interface CalloutBase {
  /** The object that contains the client configuration; for admission with the webhook's name. */
  readonly ref: ObjectRef;
  /** metadata.name of the webhook configuration, CRD or APIService. */
  readonly configuration: string;
  /** The webhook's name; for a conversion webhook and an APIService the name of the object. */
  readonly webhook: string;
  /** Index in `webhooks[]`; 0 for the others. */
  readonly index: number;
  readonly metadata: Metadata;
  readonly client: ClientConfig;
  /** Seconds; fixed at 30 for a conversion webhook, 5 for an APIService's discovery check. */
  readonly timeoutSeconds: number;
}

/** One entry of `webhooks[]` of a Validating- or MutatingWebhookConfiguration, with the API's defaults. */
export interface AdmissionCallout extends CalloutBase {
  readonly kind: 'validating' | 'mutating';
  readonly failurePolicy: FailurePolicy;
  readonly rules: readonly RuleWithOperations[];
  readonly namespaceSelector: LabelSelector;
  readonly objectSelector: LabelSelector;
  readonly matchPolicy: 'Exact' | 'Equivalent';
  readonly matchConditions: readonly MatchCondition[];
  readonly sideEffects: string | undefined;
  readonly admissionReviewVersions: readonly string[];
  /** Mutating only. */
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded';
}

/** A version of a CRD; exactly one is the storage version (apiextensions/v1 types.go). */
export interface CustomResourceVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
}

/** A CRD whose `spec.conversion.strategy` is Webhook. Always fails closed; there is no failurePolicy. */
export interface ConversionCallout extends CalloutBase {
  readonly kind: 'conversion';
  readonly resource: {
    readonly group: string;
    readonly plural: string;
    readonly kind: string;
    readonly scope: string;
  };
  readonly versions: readonly CustomResourceVersion[];
  /** `status.storedVersions`. */
  readonly storedVersions: readonly string[];
  readonly conversionReviewVersions: readonly string[];
  readonly conditions: readonly Condition[];
}

/** An APIService that is served by a Service (local ones are not called). */
export interface AggregatedApiCallout extends CalloutBase {
  readonly kind: 'aggregated-api';
  readonly group: string;
  readonly version: string;
  readonly insecureSkipTLSVerify: boolean;
  /** `status.conditions`, as the API server reports them (`Available`). */
  readonly conditions: readonly Condition[];
}

/** A webhook or APIService that kube-apiserver calls over HTTPS. Routing and TLS are the same for all. */
export type Callout = AdmissionCallout | ConversionCallout | AggregatedApiCallout;
/** `validating`, `mutating`: admission. `conversion`: webhook of a CRD. `aggregated-api`: an APIService. */
export type CalloutKind = Callout['kind'];

interface KindTraits {
  /** The first part of its ids. */
  readonly prefix: string;
  /** The kind of the objects that configure it. */
  readonly object: ResourceKind;
  /** The review that the API server sends; undefined if it forwards the requests of its clients. */
  readonly review: 'AdmissionReview' | 'ConversionReview' | undefined;
}

/** Properties of a kind of callouts. */
export const calloutKinds: Readonly<Record<CalloutKind, KindTraits>> = {
  validating: { prefix: 'validating', object: 'ValidatingWebhookConfiguration', review: 'AdmissionReview' },
  mutating: { prefix: 'mutating', object: 'MutatingWebhookConfiguration', review: 'AdmissionReview' },
  conversion: { prefix: 'crd', object: 'CustomResourceDefinition', review: 'ConversionReview' },
  'aggregated-api': { prefix: 'apiservice', object: 'APIService', review: undefined },
};

/** The resource of the objects that configure callouts of a kind. */
export const configuringResource = (kind: CalloutKind): string => resources[calloutKinds[kind].object].plural;

/** True for admission webhooks: they have rules, selectors and a failurePolicy. Others always fail closed. */
export const isAdmission = (callout: Callout): callout is AdmissionCallout =>
  calloutKinds[callout.kind].review === 'AdmissionReview';

/** Webhooks and APIServices by the Service that they call. */
const byService = derive(['callouts'], ({ callouts }: Pick<Facts, 'callouts'>) =>
  groupBy(callouts.filter(isServiceBacked), ({ client: { service } }) => keyOf(service)),
);

/** The webhooks and APIServices that call the Service of this one, with itself; none if it calls a URL. */
export const ofSameService = (
  { client: { service } }: Callout,
  facts: Pick<Facts, 'callouts'>,
): readonly Callout[] => (service === undefined ? [] : (byService(facts).get(keyOf(service)) ?? []));

/** The resources in the rules of a webhook, as they are written: `pods`, `*`. */
export const resourcesOf = ({ rules }: AdmissionCallout): readonly string[] =>
  rules.flatMap(({ resources }) => resources);

/**
 * True for the name of a webhook in a static manifest on the API server's disk (from 1.36; WebhookAdmissionConfiguration
 * `staticManifestsDir`). No API returns it, and no other webhook has such a name.
 */
export const isStaticWebhook = (name: string): boolean => name.endsWith('.static.k8s.io');

/** True if its rules match evictions of Pods, which a drain needs: it may deny them by design. */
export const guardsEvictions = (callout: Callout): callout is AdmissionCallout =>
  isAdmission(callout) &&
  callout.rules.some(({ resources }) => resources.includes('pods/eviction') || resources.includes('pods/*'));

/** True for webhooks that get reviews, by POST. */
export const isReviewed = (callout: Callout): callout is AdmissionCallout | ConversionCallout =>
  calloutKinds[callout.kind].review !== undefined;

/** A callout with a Service. */
export type ServiceBacked<C extends Callout = Callout> = C & {
  readonly client: { readonly service: ServiceReference };
};
/** True if the API server calls it through a Service. */
export const isServiceBacked = <C extends Callout>(callout: C): callout is ServiceBacked<C> =>
  callout.client.service !== undefined;

/** A callout with a URL. */
export type UrlBacked<C extends Callout = Callout> = C & { readonly client: { readonly url: string } };
/** True if the API server calls it by its URL. */
export const isUrlBacked = <C extends Callout>(callout: C): callout is UrlBacked<C> =>
  callout.client.service === undefined && callout.client.url !== undefined;

/** The Service of `NAME.NAMESPACE.svc`, with or without the domain of the cluster; undefined for other hosts. */
export function serviceOfUrl(url: string): ObjectRef | undefined {
  const [, name, namespace] = /^([^.]+)\.([^.]+)\.svc(\.|$)/.exec(urlHost(url) ?? '') ?? [];
  if (name === undefined || namespace === undefined) return undefined;
  // The API server does not use DNS for its own name.
  if (namespace === 'default' && name === 'kubernetes') return undefined;
  return { kind: 'Service', namespace, name };
}

/**
 * The id of a callout on the command line and in reports: `validating/CONFIGURATION/WEBHOOK`, `mutating/…`,
 * `crd/NAME`, `apiservice/NAME`.
 */
export function calloutId(callout: Pick<Callout, 'kind' | 'configuration' | 'webhook'>): string {
  const { prefix, review } = calloutKinds[callout.kind];
  const id = `${prefix}/${callout.configuration}`;
  return review === 'AdmissionReview' ? `${id}/${callout.webhook}` : id;
}

/** The object that a callout is in: a configuration can have several webhooks. */
export const configurationKey = ({ kind, configuration }: Callout): string => `${kind} ${configuration}`;

/** Webhooks and APIServices, or reports about them, by {@link calloutId}. */
export const byId = <C extends Parameters<typeof calloutId>[0]>(
  callouts: readonly C[],
): ReadonlyMap<string, C> => new Map(callouts.map((callout) => [calloutId(callout), callout]));

/** True if requests are admitted unchecked while the backend is down: failurePolicy Ignore. */
export const failsOpen = (callout: Callout): boolean =>
  isAdmission(callout) && callout.failurePolicy === 'Ignore';

/** True for admission webhooks that block matching requests while they are down. Other callouts have no policy. */
export const failsClosed = (callout: Callout): callout is AdmissionCallout =>
  isAdmission(callout) && callout.failurePolicy !== 'Ignore';

/** Webhooks that block matching requests while they are down. */
export const closedWebhooks = ({
  callouts,
}: {
  readonly callouts: readonly Callout[];
}): readonly AdmissionCallout[] => callouts.filter(failsClosed).filter(({ rules }) => rules.length > 0);

/** `validating/NAME`, `mutating/NAME`: configurations without webhooks. */
export function configurationsWithoutWebhooks({
  callouts,
  configurations,
}: {
  readonly callouts: readonly Callout[];
  readonly configurations: Lookup<readonly string[]>;
}): readonly string[] {
  const nonEmpty = new Set(callouts.map(({ kind, configuration }) => `${kind}/${configuration}`));
  return [...configurations.entries()]
    .flatMap(([kind, names]) => names.map((name) => `${kind}/${name}`))
    .filter((id) => !nonEmpty.has(id));
}

/**
 * The shortest name of a callout that commands accept: that of the webhook, as in the API server's errors, if
 * it is unique; else its id.
 */
export function shortNames(
  callouts: readonly Pick<Callout, 'kind' | 'configuration' | 'webhook'>[],
): (id: string) => string {
  const names = groupBy(callouts, ({ webhook }) => webhook);
  const configurations = new Set(callouts.map(({ configuration }) => configuration));
  const short = new Map(
    callouts
      .filter(
        ({ kind, webhook }) =>
          calloutKinds[kind].review === 'AdmissionReview' && names.get(webhook)?.length === 1,
      )
      .filter(({ webhook, configuration }) => webhook === configuration || !configurations.has(webhook))
      .map((callout) => [calloutId(callout), callout.webhook]),
  );
  return (id) => short.get(id) ?? id;
}

/**
 * True for the Service of the API server itself: it connects to it over loopback, whatever the endpoints are
 * (kube-aggregator/pkg/apiserver/resolvers.go NewLoopbackServiceResolver).
 */
export const isLoopback = ({ namespace, name, port }: ServiceReference): boolean =>
  namespace === 'default' && name === 'kubernetes' && port === 443;

/** Callouts whose Service the API server resolves. */
export const servedByService = ({ callouts }: Pick<Facts, 'callouts'>): readonly ServiceBacked[] =>
  callouts.filter((callout) => isServiceBacked(callout)).filter(({ client }) => !isLoopback(client.service));

/** The Service of a callout, whether or not it exists. */
export const namedService = ({ client: { service } }: ServiceBacked): ObjectRef => ({
  kind: 'Service',
  namespace: service.namespace,
  name: service.name,
});

/** The key of the Service of a callout; undefined if it is called by its URL. */
export const serviceKeyOf = ({ client: { service } }: Pick<Callout, 'client'>): string | undefined =>
  service && keyOf(service);

/** The keys of the Services of callouts. */
export const serviceKeys = (callouts: readonly Callout[]): ReadonlySet<string> =>
  new Set(callouts.flatMap((callout) => serviceKeyOf(callout) ?? []));

/** The path of the client configuration in its object, with the index of the webhook, if it has one. */
export function clientConfigPath({ kind, index }: Callout): readonly (string | number)[] {
  switch (kind) {
    case 'validating':
    case 'mutating':
      return ['webhooks', index, 'clientConfig'];
    case 'conversion':
      return ['spec', 'conversion', 'webhook', 'clientConfig'];
    case 'aggregated-api':
      return ['spec'];
  }
}

/** The value of one field of an admission webhook; `field` is its path in the webhook. */
export const webhookEvidence = (
  { ref, index }: AdmissionCallout,
  field: string,
  value: string | number,
): Evidence => ({ object: ref, field: `webhooks[${index}].${field}`, value: String(value) });

/** The value of one field of the client configuration. */
export const clientConfigEvidence = (callout: Callout, field: string, value: string | number): Evidence => ({
  object: callout.ref,
  field: `${clientConfigPath(callout).join('.')}.${field}`.replace(/\.(\d+)\./, '[$1].'),
  value: String(value),
});
