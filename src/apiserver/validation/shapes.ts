import type { GoJson } from '../go/json.ts';
import {
  any,
  bool,
  bytes,
  type Decoded,
  type GoShape,
  int32,
  list,
  map,
  string,
  struct,
} from '../go/shape.ts';
import { objectMeta } from '../response/object-meta.ts';

// The Go types of k8s.io/api admissionregistration/v1, apiextensions/v1 and apiregistration/v1, as far as
// manifests set them. A field of type `any` is not checked: schemas, and status, which clients do not write.

const text = string();
const texts = list(text);
const textMap = map(text);

const root = <Fields extends Readonly<Record<string, GoShape>>>(name: string, fields: Fields) =>
  struct(name, () => ({ apiVersion: text, kind: text, metadata: objectMeta, ...fields }));

const labelSelector = struct('v1.LabelSelector', () => ({
  matchLabels: textMap,
  matchExpressions: list(
    struct('v1.LabelSelectorRequirement', () => ({
      key: text,
      operator: string('v1.LabelSelectorOperator'),
      values: texts,
    })),
  ),
}));

const serviceReference = struct('v1.ServiceReference', () => ({
  namespace: text,
  name: text,
  path: text,
  port: int32,
}));
const clientConfig = struct('v1.WebhookClientConfig', () => ({
  url: text,
  service: serviceReference,
  caBundle: bytes,
}));

const ofRule = <Shape extends GoShape>(shape: Shape) => ({ ...shape, within: 'Rule' }) as const;

const webhook = <More extends Readonly<Record<string, GoShape>>>(name: string, more: More) =>
  struct(name, () => ({
    name: text,
    clientConfig,
    rules: list(
      struct('v1.RuleWithOperations', () => ({
        operations: list(string('v1.OperationType')),
        apiGroups: ofRule(texts),
        apiVersions: ofRule(texts),
        resources: ofRule(texts),
        scope: ofRule(string('v1.ScopeType')),
      })),
    ),
    failurePolicy: string('v1.FailurePolicyType'),
    matchPolicy: string('v1.MatchPolicyType'),
    namespaceSelector: labelSelector,
    objectSelector: labelSelector,
    sideEffects: string('v1.SideEffectClass'),
    timeoutSeconds: int32,
    admissionReviewVersions: texts,
    matchConditions: list(struct('v1.MatchCondition', () => ({ name: text, expression: text }))),
    ...more,
  }));

const validating = root('v1.ValidatingWebhookConfiguration', {
  webhooks: list(webhook('v1.ValidatingWebhook', {})),
});
const mutating = root('v1.MutatingWebhookConfiguration', {
  webhooks: list(webhook('v1.MutatingWebhook', { reinvocationPolicy: string('v1.ReinvocationPolicyType') })),
});

const definition = root('v1.CustomResourceDefinition', {
  status: any,
  spec: struct('v1.CustomResourceDefinitionSpec', () => ({
    group: text,
    names: struct('v1.CustomResourceDefinitionNames', () => ({
      plural: text,
      singular: text,
      shortNames: texts,
      kind: text,
      listKind: text,
      categories: texts,
    })),
    scope: string('v1.ResourceScope'),
    versions: list(
      struct('v1.CustomResourceDefinitionVersion', () => ({
        name: text,
        served: bool,
        storage: bool,
        deprecated: bool,
        deprecationWarning: text,
        schema: struct('v1.CustomResourceValidation', () => ({ openAPIV3Schema: any })),
        subresources: any,
        additionalPrinterColumns: any,
        selectableFields: any,
      })),
    ),
    conversion: struct('v1.CustomResourceConversion', () => ({
      strategy: string('v1.ConversionStrategyType'),
      webhook: struct('v1.WebhookConversion', () => ({ clientConfig, conversionReviewVersions: texts })),
    })),
    preserveUnknownFields: bool,
  })),
});

const apiService = root('v1.APIService', {
  status: any,
  spec: struct('v1.APIServiceSpec', () => ({
    service: struct('v1.ServiceReference', () => ({ namespace: text, name: text, port: int32 })),
    group: text,
    version: text,
    insecureSkipTLSVerify: bool,
    caBundle: bytes,
    groupPriorityMinimum: int32,
    versionPriority: int32,
  })),
});

/** The kinds that configure calls of the API server, by name, with their group. */
export const validatedKinds = {
  ValidatingWebhookConfiguration: { group: 'admissionregistration.k8s.io', shape: validating },
  MutatingWebhookConfiguration: { group: 'admissionregistration.k8s.io', shape: mutating },
  CustomResourceDefinition: { group: 'apiextensions.k8s.io', shape: definition },
  APIService: { group: 'apiregistration.k8s.io', shape: apiService },
} as const;
/** One of the kinds of {@link validatedKinds}. */
export type ValidatedKind = keyof typeof validatedKinds;

// Manifests of these types. A null counts as absent, and is removed before the validation.

/** A webhook configuration: that of mutating webhooks has all fields. */
export type SentConfiguration = Decoded<typeof mutating>;
/** An entry of its `webhooks`. */
export type SentWebhook = NonNullable<SentConfiguration['webhooks']>[number];
/** A CRD. */
export type SentDefinition = Decoded<typeof definition>;
/** An APIService. */
export type SentApiService = Decoded<typeof apiService>;
/** The metadata of these objects. */
export type SentMetadata = Decoded<typeof objectMeta>;
/** A label selector of a webhook. */
export type SentSelector = Decoded<typeof labelSelector>;
/** `clientConfig` of a webhook or CRD. */
export type SentClient = Decoded<typeof clientConfig>;

/** Fields that the type lacks, `webhooks[0].failurPolicy`: an error in strict decoding, else dropped. */
export function unknownFields(json: GoJson, shape: GoShape, at = ''): readonly string[] {
  if (shape.of === 'list' && json.kind === 'array')
    return json.items.flatMap((item, index) => unknownFields(item, shape.element, `${at}[${index}]`));
  if (shape.of !== 'struct' || json.kind !== 'object') return [];
  const fields = shape.fields();
  return json.members.flatMap(([name, value]) => {
    const path = at === '' ? name : `${at}.${name}`;
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    return field === undefined ? [path] : unknownFields(value, field, path);
  });
}
