import type { FailurePolicy, RuleWithOperations } from '../../facts/callout.ts';
import { ofKey } from '../../facts/object-ref.ts';
import type { LabelSelector } from '../../facts/objects/label-selector.ts';
import type { ApiObject } from '../api-server/object-store.ts';
import { caBundle } from '../certificate/demo-certificates.ts';
import { ago } from './ago.ts';
import type { MetadataOver } from './manifests.ts';

/** The fields of a webhook that differ from the defaults of {@link webhook}. */
export interface WebhookOver {
  /** `namespace/name` of the backend's Service. */
  readonly service?: string;
  readonly port?: number;
  readonly path?: string;
  readonly url?: string;
  /** Empty: the configuration has no caBundle. */
  readonly caBundle?: '';
  readonly failurePolicy?: FailurePolicy;
  readonly timeoutSeconds?: number;
  readonly rules?: readonly Partial<RuleWithOperations>[];
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly sideEffects?: string;
}

/** A rule of a webhook: `rule('apps/v1', 'deployments', 'CREATE', 'UPDATE')`. */
export const rule = (groupVersion: string, resources: string, ...operations: readonly string[]) => {
  const [version = '', group = ''] = groupVersion.split('/').reverse();
  return {
    operations: operations.length === 0 ? ['CREATE', 'UPDATE'] : operations,
    apiGroups: [group],
    apiVersions: [version],
    resources: resources.split(','),
  };
};

/** The namespaceSelector that excludes these namespaces. */
export const exceptNamespaces = (...values: readonly string[]): LabelSelector => ({
  matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values }],
});

const clientConfig = (over: WebhookOver, path: string) => ({
  ...(over.caBundle === '' ? {} : { caBundle }),
  ...(over.url === undefined
    ? {
        service: {
          ...ofKey(over.service ?? ''),
          path: over.path ?? path,
          ...(over.port === undefined ? {} : { port: over.port }),
        },
      }
    : { url: over.url }),
});

/** An entry of `webhooks[]`; defaults: Fail, 5 s, CREATE and UPDATE of ConfigMaps. */
export const webhook = (name: string, over: WebhookOver) => {
  const { service: _service, port: _port, path: _path, url: _url, caBundle: _bundle, ...rest } = over;
  return {
    name,
    clientConfig: clientConfig(over, '/validate'),
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    timeoutSeconds: 5,
    failurePolicy: 'Fail',
    rules: [rule('v1', 'configmaps')],
    ...rest,
  };
};

type Webhook = ReturnType<typeof webhook>;

const configuration = (
  kind: string,
  name: string,
  webhooks: readonly Webhook[],
  metadata: MetadataOver,
): ApiObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind,
  metadata: { name, ...metadata },
  webhooks,
});

/** A ValidatingWebhookConfiguration. */
export const validating = (
  name: string,
  webhooks: readonly Webhook[],
  metadata: MetadataOver = {},
): ApiObject => configuration('ValidatingWebhookConfiguration', name, webhooks, metadata);
/** A MutatingWebhookConfiguration. */
export const mutating = (
  name: string,
  webhooks: readonly Webhook[],
  metadata: MetadataOver = {},
): ApiObject => configuration('MutatingWebhookConfiguration', name, webhooks, metadata);

/** A CRD `plural.group` with versions v1 (stored) and v1beta1; with a Service, a conversion webhook. */
export function customResource(
  name: string,
  kind: string,
  over: WebhookOver & { readonly metadata?: MetadataOver } = {},
): ApiObject {
  const [plural = '', ...group] = name.split('.');
  const version = { served: true, schema: { openAPIV3Schema: { type: 'object' } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name, ...over.metadata },
    spec: {
      group: group.join('.'),
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [
        { name: 'v1', storage: true, ...version },
        { name: 'v1beta1', storage: false, ...version },
      ],
      ...(over.service === undefined && over.url === undefined
        ? {}
        : {
            conversion: {
              strategy: 'Webhook',
              webhook: { conversionReviewVersions: ['v1'], clientConfig: clientConfig(over, '/convert') },
            },
          }),
    },
  };
}

/** An APIService `version.group` backed by a Service. `unavailable`: reason and message of its condition. */
export function apiService(
  name: string,
  serviceKey: string,
  unavailable?: { readonly reason: string; readonly message: string },
): ApiObject {
  const [version = '', ...group] = name.split('.');
  const available =
    unavailable === undefined
      ? { status: 'True', reason: 'Passed', message: 'all checks passed' }
      : { status: 'False', ...unavailable };
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name },
    spec: {
      group: group.join('.'),
      version,
      groupPriorityMinimum: 100,
      versionPriority: 100,
      caBundle,
      service: ofKey(serviceKey),
    },
    status: { conditions: [{ type: 'Available', lastTransitionTime: ago('20m'), ...available }] },
  };
}
