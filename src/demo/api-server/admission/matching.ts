import type { FailurePolicy } from '../../../facts/callout.ts';
import { selects } from '../../../facts/label-selector.ts';
import type { LabelSelector } from '../../../facts/objects/metadata.ts';
import type { ApiObject } from '../api-object.ts';
import type { ApiResource } from '../built-in-resources.ts';

/** An entry of `webhooks[]` as stored, with defaults. */
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

/** pkg/admission/plugin/webhook/predicates/rules */
const isCovered = (
  { rules }: StoredWebhook,
  { operation, resource, subresource = '' }: AdmissionAttributes,
) => {
  const { group, version, plural, namespaced } = resource;
  return rules.some(
    ({ operations, apiGroups, apiVersions, resources, scope }) =>
      has(operations, operation) &&
      has(apiGroups, group) &&
      has(apiVersions, version) &&
      (scope === '*' || scope === (namespaced ? 'Namespaced' : 'Cluster')) &&
      resources.some((wanted) => {
        const [name = '', sub = ''] = wanted.split('/');
        return (name === '*' || name === plural) && (sub === '*' || sub === subresource);
      }),
  );
};

/** The operations of an AdmissionReview that the demo implements: all but CONNECT. */
export type WriteOperation = 'CREATE' | 'UPDATE' | 'DELETE';

/** A write request, as webhooks receive it. */
export interface AdmissionAttributes {
  readonly operation: WriteOperation;
  readonly resource: ApiResource;
  readonly subresource?: string | undefined;
  readonly namespace: string | undefined;
  /** The Namespace of the object, if it exists; for a Namespace the object itself. */
  readonly namespaceObject?: ApiObject;
  /** Undefined for a deletion. */
  readonly object: ApiObject | undefined;
  readonly oldObject?: ApiObject | undefined;
  readonly dryRun: boolean;
}

/** Whether the API server would call the webhook, without its matchConditions. */
export const isMatched = (webhook: StoredWebhook, request: AdmissionAttributes): boolean =>
  (request.namespaceObject === undefined ||
    selects(webhook.namespaceSelector, request.namespaceObject.metadata.labels ?? {})) &&
  isCovered(webhook, request) &&
  [request.object, request.oldObject].some(
    (one) => one !== undefined && selects(webhook.objectSelector, one.metadata.labels ?? {}),
  );
