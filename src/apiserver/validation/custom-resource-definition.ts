import { goQuote } from '../go/quote.ts';
import { parseUri } from '../go/url.ts';
import { clientErrors } from './client.ts';
import {
  errors,
  type FieldError,
  forbiddenError,
  invalid,
  invalidAtLength,
  oneOf,
  requiredError,
} from './field-error.ts';
import { labelNameFaults, metadataErrors, subdomainNameFaults } from './names.ts';
import type { SentDefinition } from './shapes.ts';
import { reviewVersionErrors } from './webhook-configuration.ts';

type Spec = NonNullable<SentDefinition['spec']>;

function groupErrors(group: string): readonly FieldError[] {
  if (group === '') return [requiredError('spec.group')];
  const faults = subdomainNameFaults(group);
  if (faults.length > 0) return [invalid('spec.group', group, faults.join(','))];
  return errors(
    !group.includes('.') && invalid('spec.group', group, 'should be a domain with at least one dot'),
  );
}

/** ValidateCustomResourceDefinitionNames, after the required fields. */
function namesErrors(names: NonNullable<Spec['names']>): readonly FieldError[] {
  const { plural = '', kind = '', shortNames = [], categories = [] } = names;
  const { singular = kind.toLowerCase(), listKind = kind === '' ? '' : `${kind}List` } = names;
  const all = { plural, singular, kind, listKind };
  const labelErrors = (field: string, text: string, before = '', as = text) => {
    const faults = text === '' ? [] : labelNameFaults(as);
    return faults.length === 0 ? [] : [invalid(`spec.names.${field}`, text, `${before}${faults.join(',')}`)];
  };
  const mixed = 'may have mixed case, but should otherwise match: ';
  return errors(
    Object.entries(all).flatMap(([field, text]) =>
      text === '' ? [requiredError(`spec.names.${field}`)] : [],
    ),
    labelErrors('plural', plural),
    labelErrors('singular', singular),
    labelErrors('kind', kind, mixed, kind.toLowerCase()),
    labelErrors('listKind', listKind, mixed, listKind.toLowerCase()),
    shortNames.flatMap((name, index) => labelErrors(`shortNames[${index}]`, name)),
    kind !== '' &&
      kind === listKind &&
      invalid('spec.names.listKind', listKind, 'kind and listKind may not be the same'),
    categories.flatMap((name, index) => labelErrors(`categories[${index}]`, name)),
  );
}

/** validateCustomResourceConversion, with the field names of the internal version. */
function conversionErrors(conversion: NonNullable<Spec['conversion']>): readonly FieldError[] {
  const { strategy = '', webhook } = conversion;
  const at = 'spec.conversion';
  const { clientConfig, conversionReviewVersions = [] } = webhook ?? {};
  const ofStrategy =
    strategy === ''
      ? [requiredError(`${at}.strategy`)]
      : oneOf(`${at}.strategy`, strategy, ['None', 'Webhook'], goQuote);
  const unused = 'should not be set when strategy is not set to Webhook';
  if (strategy !== 'Webhook')
    return errors(
      ofStrategy,
      clientConfig !== undefined && forbiddenError(`${at}.webhookClientConfig`, unused),
      conversionReviewVersions.length > 0 && forbiddenError(`${at}.conversionReviewVersions`, unused),
    );
  return [
    ...ofStrategy,
    ...(clientConfig === undefined
      ? [requiredError(`${at}.webhookClientConfig`, 'required when strategy is set to Webhook')]
      : clientErrors(`${at}.webhookClientConfig`, clientConfig)),
    ...reviewVersionErrors(`${at}.conversionReviewVersions`, conversionReviewVersions, ''),
  ];
}

/** status.storedVersions is set to the first storage version before validation. */
function storageErrors(versions: NonNullable<NonNullable<SentDefinition['spec']>['versions']>) {
  const [first, ...others] = versions.filter(({ storage }) => storage).map(({ name = '' }) => name);
  const stored = 'status.storedVersions';
  if (first === undefined) return [invalid(stored, null, 'must have at least one stored version')];
  return others.flatMap((name) =>
    name === first ? [] : [invalid(stored, [first], `must have the storage version ${name}`)],
  );
}

const approvalKey = 'api-approved.kubernetes.io';

/** validateAPIApproval: for API groups of the Kubernetes community. */
function approvalErrors(group: string, annotations: Readonly<Record<string, string>>): readonly FieldError[] {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group)) return [];
  const approval = annotations[approvalKey] ?? '';
  const field = `metadata.annotations[${approvalKey}]`;
  const more = 'see https://github.com/kubernetes/enhancements/pull/1111';
  const must = `protected groups must have approval annotation ${goQuote(approvalKey)}`;
  if (approval === '') return [requiredError(field, `${must}, ${more}`)];
  const url = parseUri(approval);
  const isUrl = 'host' in url && url.host !== '' && /^[A-Za-z][A-Za-z0-9+.-]*:/.test(approval);
  return approval.startsWith('unapproved') || isUrl
    ? []
    : [invalid(field, approval, `${must} with either a URL or a reason starting with "unapproved", ${more}`)];
}

/** apiextensions-apiserver validation.go ValidateCustomResourceDefinition, without schemas. */
export function definitionErrors(
  { metadata = {}, spec = {} }: SentDefinition,
  version: string | undefined,
): readonly FieldError[] {
  const { group = '', scope = '', names = {}, versions = [], conversion, preserveUnknownFields } = spec;
  const wantedName = `${names.plural ?? ''}.${group}`;
  const nameFaults = (name: string) => [
    ...subdomainNameFaults(name),
    ...(name === wantedName ? [] : ['must be spec.names.plural+"."+spec.group']),
  ];
  const versionNames = versions.map(({ name = '' }) => name);
  const ofVersions = versionNames.flatMap((name, index) => {
    const faults = labelNameFaults(name);
    return faults.length === 0 ? [] : [invalid(`spec.versions[${index}].name`, name, faults.join(','))];
  });
  const [first] = versionNames;
  const firstFaults = first === undefined || first === '' ? [] : labelNameFaults(first);
  const strategy = conversion?.strategy ?? 'None';
  return errors(
    metadataErrors(metadata, nameFaults, version),
    groupErrors(group),
    scope === ''
      ? requiredError('spec.scope')
      : oneOf('spec.scope', scope, ['Cluster', 'Namespaced'], goQuote),
    versions.flatMap(({ schema }, index) =>
      schema?.openAPIV3Schema === undefined
        ? [requiredError(`spec.versions[${index}].schema.openAPIV3Schema`, '', 'schemas are required')]
        : [],
    ),
    ofVersions,
    new Set(versionNames).size < versionNames.length &&
      invalidAtLength('spec.versions', 'must contain unique version names'),
    versions.filter(({ storage }) => storage).length !== 1 &&
      invalidAtLength('spec.versions', 'must have exactly one version marked as storage version'),
    firstFaults.length > 0 && invalid('spec.version', first, firstFaults.join(',')),
    namesErrors(names),
    preserveUnknownFields === true &&
      strategy !== 'None' &&
      invalid('spec.conversion.strategy', strategy, 'must be None if spec.preserveUnknownFields is true'),
    conversion !== undefined && conversionErrors(conversion),
    storageErrors(versions),
    approvalErrors(group, metadata.annotations ?? {}),
    preserveUnknownFields === true &&
      invalid(
        'spec.preserveUnknownFields',
        true,
        'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
      ),
  );
}
