import { goQuote } from '../go/quote.ts';
import { firstMisfit } from '../go/shape.ts';
import { toGoJson } from '../go/value.ts';
import { aggregate } from '../sentences/aggregate.ts';
import { behaves } from '../server-version.ts';
import { apiServiceErrors } from './api-service.ts';
import { definitionErrors } from './custom-resource-definition.ts';
import type { FieldError } from './field-error.ts';
import { unknownFields, type ValidatedKind, validatedKinds } from './shapes.ts';
import { configurationErrors } from './webhook-configuration.ts';

/** Why the API server rejects an object. */
export interface ValidationError {
  /** The API server's error, complete unless `shortened`. */
  readonly text: string;
  /** The error contains more: values and compiler errors that are not predicted, or a varying order. */
  readonly shortened?: true;
  /** The fields in the error, with the names of the manifest. */
  readonly errors: readonly FieldError[];
}

/** An object of one of these kinds, as it is sent; only its kind is certain. */
export interface ValidatedObject {
  readonly apiVersion: string;
  readonly kind: string;
}

/** True if an object is of a kind that is validated here, in the served version. */
export const isValidated = ({ apiVersion, kind }: ValidatedObject): boolean =>
  Object.hasOwn(validatedKinds, kind) && apiVersion === `${validatedKinds[kind as ValidatedKind].group}/v1`;

/**
 * True if an object has such a kind in the version before v1, which Kubernetes 1.22 removed
 * (APILifecycleRemoved of the four).
 */
export const isRemoved = ({ apiVersion, kind }: ValidatedObject): boolean =>
  Object.hasOwn(validatedKinds, kind) &&
  apiVersion === `${validatedKinds[kind as ValidatedKind].group}/v1beta1`;

/** Go decodes null as the zero value, the same as an absent field. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => (one === null ? [] : [[key, withoutNulls(one)]])),
  );
}

function errorsOf(kind: ValidatedKind, object: unknown, version: string | undefined): readonly FieldError[] {
  switch (kind) {
    case 'ValidatingWebhookConfiguration':
    case 'MutatingWebhookConfiguration':
      return configurationErrors(object as object, kind === 'MutatingWebhookConfiguration', version);
    case 'CustomResourceDefinition':
      return definitionErrors(object as object, version);
    case 'APIService':
      return apiServiceErrors(object as object, version);
  }
}

/** Converts field names of the internal version of CRDs to those of the manifest. */
const inManifest = (error: FieldError): FieldError => ({
  ...error,
  field: error.field
    .replace('spec.conversion.webhookClientConfig', 'spec.conversion.webhook.clientConfig')
    .replace('spec.conversion.conversionReviewVersions', 'spec.conversion.webhook.conversionReviewVersions')
    .replace(/^spec\.version$/, 'spec.versions[0].name'),
});

const sentenceOf = ({ field, text }: FieldError): string => `${field}: ${text}`;

/** Errors of labels and annotations are in an order that differs between calls. */
const isInAnyOrder = (errors: readonly FieldError[]): boolean =>
  errors.some(
    ({ field, text }, at) =>
      /(Labels|metadata\.labels|metadata\.annotations)$/.test(field) &&
      errors.some((other, index) => index !== at && other.field === field && other.text !== text),
  );

/**
 * Predicts why the API server rejects a new object of these kinds: decoding errors, else all validation
 * errors. Undefined if it is accepted, except for schemas of CRDs and types in CEL expressions, which are not
 * checked.
 *
 * @param object decoded JSON.
 * @param strict the client requests strict decoding, as kubectl does.
 * @param version of the API server; a current one when not known.
 */
export function validationErrorOf(
  object: ValidatedObject & object,
  { strict, version }: { readonly strict: boolean; readonly version?: string | undefined },
): ValidationError | undefined {
  const kind = object.kind as ValidatedKind;
  const { group, shape } = validatedKinds[kind];
  const json = toGoJson(object);
  const misfit = firstMisfit(json, shape);
  const strange = strict && misfit === undefined ? unknownFields(json, shape) : [];
  const undecoded = strange.map((field) => `unknown field ${goQuote(field)}`);
  const words =
    (behaves(version, 'embedded-paths') ? misfit : misfit?.replace('.rules.Rule.', '.rules.')) ??
    (undecoded.length === 0 ? undefined : `strict decoding error: ${undecoded.join(', ')}`);
  if (words !== undefined) {
    const [, path = ''] = /Go struct field \w+\.([\w.]+) of/.exec(words) ?? [];
    const at = strange.length === 0 ? [path.replace('Rule.', '')] : strange;
    return {
      text: `${kind} in version "v1" cannot be handled as a ${kind}: ${words}`,
      errors: at.map((field) => ({ field, text: words })),
    };
  }
  const plain = withoutNulls(object) as { readonly metadata?: { readonly name?: string } };
  const errors = errorsOf(kind, plain, version).map(({ before, ...error }) =>
    before === undefined || behaves(version, 'validation-words') ? error : { ...error, text: before },
  );
  if (errors.length === 0) return undefined;
  const { name = '' } = plain.metadata ?? {};
  const shortened = errors.some((error) => error.shortened) || isInAnyOrder(errors);
  return {
    text: `${kind}.${group} ${goQuote(name)} is invalid: ${aggregate(errors.map(sentenceOf))}`,
    ...(shortened ? { shortened } : {}),
    errors: errors.map(inManifest),
  };
}
