import type { FailurePolicy } from '../../../facts/callout.ts';
import { selects } from '../../../facts/label-selector.ts';
import type { LabelSelector } from '../../../facts/objects/metadata.ts';
import type { ApiObject } from '../api-object.ts';
import type { ApiResource } from '../built-in-resources.ts';

/** One entry of `webhooks[]` as it is stored, defaults filled in. */
export interface StoredWebhook {
  readonly name: string;
  readonly clientConfig: {
    readonly caBundle?: string;
    readonly url?: string;
    readonly service?: {
      readonly namespace: string;
      readonly name: string;
      readonly port: number;
      readonly path?: string;
    };
  };
  readonly rules: readonly {
    readonly operations: readonly string[];
    readonly apiGroups: readonly string[];
    readonly apiVersions: readonly string[];
    readonly resources: readonly string[];
    readonly scope: string;
  }[];
  readonly namespaceSelector: LabelSelector;
  readonly objectSelector: LabelSelector;
  readonly matchConditions?: readonly unknown[];
  readonly sideEffects?: string;
  readonly admissionReviewVersions: readonly string[];
  readonly timeoutSeconds: number;
  readonly failurePolicy: FailurePolicy;
}

const has = (list: readonly string[], value: string): boolean => list.includes('*') || list.includes(value);

/** pkg/admission/plugin/webhook/predicates/rules, for an object itself: no subresource. */
const isCovered = ({ rules }: StoredWebhook, { group, version, plural, namespaced }: ApiResource): boolean =>
  rules.some(
    ({ operations, apiGroups, apiVersions, resources, scope }) =>
      has(operations, 'CREATE') &&
      has(apiGroups, group) &&
      has(apiVersions, version) &&
      (scope === '*' || scope === (namespaced ? 'Namespaced' : 'Cluster')) &&
      ['*', '*/*', plural, `${plural}/*`].some((wanted) => resources.includes(wanted)),
  );

/** What is to be created, and where. */
export interface Creation {
  readonly resource: ApiResource;
  readonly object: ApiObject;
  readonly namespace: ApiObject;
}

/** Whether the API server would call the webhook, its matchConditions left out. */
export const isMatched = (webhook: StoredWebhook, { resource, object, namespace }: Creation): boolean =>
  selects(webhook.namespaceSelector, namespace.metadata.labels ?? {}) &&
  isCovered(webhook, resource) &&
  selects(webhook.objectSelector, object.metadata.labels ?? {});
