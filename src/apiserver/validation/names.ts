import {
  faultTextsOf,
  keyFaults,
  longestLabel,
  subdomain,
  subdomainMessage,
  valueFaults,
} from '../conversion/label-faults.ts';
import { type FieldError, forbiddenError, invalid, requiredError } from './field-error.ts';
import type { SentMetadata, SentSelector } from './shapes.ts';

type Texts = Readonly<Record<string, string>>;

const labelFormat = '[a-z]([-a-z0-9]*[a-z0-9])?';
const label = new RegExp(`^${labelFormat}$`);
const labelMessage = `a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '${labelFormat}')`;

const tooLong = (text: string, most: number): readonly string[] =>
  Buffer.byteLength(text) > most ? [`must be no more than ${most} characters`] : [];

/** apimachinery/pkg/util/validation IsDNS1035Label. */
export const labelNameFaults = (text: string): readonly string[] => [
  ...tooLong(text, longestLabel.name),
  ...(label.test(text) ? [] : [labelMessage]),
];

/** IsDNS1123Subdomain. */
export const subdomainNameFaults = (text: string): readonly string[] => [
  ...tooLong(text, longestLabel.prefix),
  ...(subdomain.test(text) ? [] : [subdomainMessage]),
];

/** IsFullyQualifiedName, for webhooks. */
export function qualifiedNameErrors(field: string, name: string): readonly FieldError[] {
  if (name === '') return [requiredError(field)];
  const faults = subdomainNameFaults(name);
  if (faults.length > 0) return [invalid(field, name, faults.join(','))];
  return name.split('.').length < 3
    ? [invalid(field, name, 'should be a domain with at least three segments separated by dots')]
    : [];
}

/** IsQualifiedName, for matchConditions and label keys. */
export const keyErrors = (field: string, key: string, version: string | undefined): readonly FieldError[] =>
  keyFaults(key, faultTextsOf(version)).map((fault) => invalid(field, key, fault));

/** IsValidLabelValue. */
const labelValueErrors = (field: string, value: string, version: string | undefined): readonly FieldError[] =>
  valueFaults(value, faultTextsOf(version)).map((fault) => invalid(field, value, fault));

/** apimachinery/pkg/apis/meta/v1/validation ValidateLabels. */
const labelsErrors = (field: string, labels: Texts, version: string | undefined): readonly FieldError[] =>
  Object.entries(labels).flatMap(([key, value]) => [
    ...keyErrors(field, key, version),
    ...labelValueErrors(field, value, version),
  ]);

/** ValidateLabelSelector. */
export const selectorErrors = (
  field: string,
  { matchLabels = {}, matchExpressions = [] }: SentSelector,
  version: string | undefined,
): readonly FieldError[] => [
  ...labelsErrors(`${field}.matchLabels`, matchLabels, version),
  ...matchExpressions.flatMap(({ key = '', operator = '', values = [] }, index) => {
    const at = `${field}.matchExpressions[${index}]`;
    return [
      ...operatorErrors(at, operator, values),
      ...keyErrors(`${at}.key`, key, version),
      ...values.flatMap((value, of) => labelValueErrors(`${at}.values[${of}]`, value, version)),
    ];
  }),
];

function operatorErrors(at: string, operator: string, values: readonly string[]): readonly FieldError[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length === 0
        ? [requiredError(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'")]
        : [];
    case 'Exists':
    case 'DoesNotExist':
      return values.length > 0
        ? [
            forbiddenError(
              `${at}.values`,
              "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
            ),
          ]
        : [];
    default:
      return [invalid(`${at}.operator`, operator, 'not a valid selector operator')];
  }
}

/** ValidateObjectMeta of a new object without a namespace, for the fields that manifests have. */
export const metadataErrors = (
  { name = '', labels = {}, annotations = {} }: SentMetadata,
  nameFaults: (name: string) => readonly string[],
  version: string | undefined,
): readonly FieldError[] => [
  ...(name === ''
    ? [requiredError('metadata.name', 'name or generateName is required')]
    : nameFaults(name).map((fault) => invalid('metadata.name', name, fault))),
  ...labelsErrors('metadata.labels', labels, version),
  ...Object.keys(annotations).flatMap((key) =>
    keyFaults(key.toLowerCase(), faultTextsOf(version)).map((fault) =>
      invalid('metadata.annotations', key, fault),
    ),
  ),
];
