import { readsVariable } from '../admission/match-conditions.ts';
import { clientErrors, reviewVersions } from './client.ts';
import {
  duplicate,
  errors,
  type FieldError,
  invalid,
  invalidAtLength,
  oneOf,
  requiredError,
  tooMany,
} from './field-error.ts';
import {
  keyErrors,
  labelNameFaults,
  metadataErrors,
  qualifiedNameErrors,
  selectorErrors,
  subdomainNameFaults,
} from './names.ts';
import type { SentConfiguration, SentWebhook } from './shapes.ts';

const beside = (
  field: string,
  values: readonly string[],
  what: string,
  type?: string,
): readonly FieldError[] =>
  errors(
    values.length > 1 &&
      values.includes('*') &&
      invalid(field, values, `if '*' is present, must not specify other ${what}`, type),
  );

/** validateResources: of several entries without a subresource the last one counts. */
function resourcesErrors(field: string, resources: readonly string[]): readonly FieldError[] {
  const anySubresourceOf = new Set<string>();
  const subresourceOfAny = new Set<string>();
  let withoutSubresource = false;
  const ofEntries = resources.flatMap((entry, index): readonly FieldError[] => {
    const at = `${field}[${index}]`;
    if (entry === '') return [requiredError(at)];
    const slash = entry.indexOf('/');
    if (slash < 0) {
      withoutSubresource = entry !== '*';
      return [];
    }
    const [resource, subresource] = [entry.slice(0, slash), entry.slice(slash + 1)];
    const found = errors(
      anySubresourceOf.has(resource) &&
        invalid(at, entry, `if '${resource}/*' is present, must not specify ${entry}`),
      subresourceOfAny.has(subresource) &&
        invalid(at, entry, `if '*/${subresource}' is present, must not specify ${entry}`),
    );
    if (subresource === '*') anySubresourceOf.add(resource);
    if (resource === '*') subresourceOfAny.add(subresource);
    return found;
  });
  const others = "if '*' is present, must not specify other resources without subresources";
  return errors(
    resources.length === 0 && requiredError(field),
    ofEntries,
    resources.length > 1 &&
      resources.includes('*/*') &&
      invalid(field, resources, "if '*/*' is present, must not specify other resources"),
    resources.includes('*') && withoutSubresource && invalid(field, resources, others),
  );
}

const operationNames = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];

function ruleErrors(at: string, rule: NonNullable<SentWebhook['rules']>[number]): readonly FieldError[] {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule;
  return errors(
    operations.length === 0 && requiredError(`${at}.operations`),
    beside(`${at}.operations`, operations, 'operations', 'admissionregistration.OperationType'),
    operations.flatMap((operation, index) => oneOf(`${at}.operations[${index}]`, operation, operationNames)),
    apiGroups.length === 0 && requiredError(`${at}.apiGroups`),
    beside(`${at}.apiGroups`, apiGroups, 'API groups'),
    apiVersions.length === 0 && requiredError(`${at}.apiVersions`),
    beside(`${at}.apiVersions`, apiVersions, 'API versions'),
    apiVersions.flatMap((one, index) => (one === '' ? [requiredError(`${at}.apiVersions[${index}]`)] : [])),
    resourcesErrors(`${at}.resources`, resources),
    oneOf(`${at}.scope`, scope, ['*', 'Cluster', 'Namespaced']),
  );
}

/** Variables of admission policies that expressions of webhooks do not have. */
const ofPolicies = ['params', 'variables'];

/** A variable of these that no macro of the expression declares; undefined if it cannot be parsed. */
const undeclaredIn = (expression: string): string | undefined =>
  ofPolicies.find(
    (name) =>
      readsVariable({ name: '', expression }, name) === true &&
      !new RegExp(`\\(\\s*${name}\\s*,`).test(expression),
  );

function expressionErrors(field: string, expression: string): readonly FieldError[] {
  if (expression.trim() === '') return [requiredError(field)];
  const name = undeclaredIn(expression);
  return errors(
    name !== undefined && invalidAtLength(field, `undeclared reference to '${name}' (in container '')`),
  );
}

const mostConditions = 64;

function conditionErrors(
  field: string,
  conditions: NonNullable<SentWebhook['matchConditions']>,
  version: string | undefined,
): readonly FieldError[] {
  const names = new Set<string>();
  const each = conditions.flatMap(({ name = '', expression = '' }, index) => {
    const at = `${field}[${index}]`;
    const again = name !== '' && names.has(name) && duplicate(`${at}.name`, name);
    names.add(name);
    return errors(
      expressionErrors(`${at}.expression`, expression),
      name === '' ? requiredError(`${at}.name`) : keyErrors(`${at}.name`, name, version),
      again,
    );
  });
  return errors(
    conditions.length > mostConditions && tooMany(field, conditions.length, mostConditions),
    each,
  );
}

/** validateAdmissionReviewVersions and, with an empty `none`, validateConversionReviewVersions. */
export function reviewVersionErrors(
  field: string,
  versions: readonly string[],
  none: string,
): readonly FieldError[] {
  if (versions.length === 0) return [requiredError(field, none)];
  const each = versions.flatMap((one, index) =>
    versions.indexOf(one) < index
      ? [invalid(`${field}[${index}]`, one, 'duplicate version')]
      : labelNameFaults(one).map((fault) => invalid(`${field}[${index}]`, one, fault)),
  );
  return versions.some((one) => reviewVersions.some((known) => known === one))
    ? each
    : [...each, invalid(field, versions, `must include at least one of ${reviewVersions.join(', ')}`)];
}

const sideEffectClasses = ['None', 'NoneOnDryRun'];

function webhookErrors(
  at: string,
  webhook: SentWebhook,
  mutating: boolean,
  version: string | undefined,
): readonly FieldError[] {
  const { name = '', rules = [], clientConfig = {}, matchConditions = [], timeoutSeconds } = webhook;
  const { sideEffects, namespaceSelector = {}, objectSelector = {}, admissionReviewVersions = [] } = webhook;
  return errors(
    qualifiedNameErrors(`${at}.name`, name),
    rules.flatMap((rule, index) => ruleErrors(`${at}.rules[${index}]`, rule)),
    oneOf(`${at}.failurePolicy`, webhook.failurePolicy, ['Fail', 'Ignore']),
    oneOf(`${at}.matchPolicy`, webhook.matchPolicy, ['Equivalent', 'Exact']),
    sideEffects === undefined
      ? requiredError(`${at}.sideEffects`, `must specify one of ${sideEffectClasses.join(', ')}`)
      : oneOf(`${at}.sideEffects`, sideEffects, sideEffectClasses),
    timeoutSeconds !== undefined &&
      (timeoutSeconds < 1 || timeoutSeconds > 30) &&
      invalid(`${at}.timeoutSeconds`, timeoutSeconds, 'the timeout value must be between 1 and 30 seconds'),
    selectorErrors(`${at}.namespaceSelector`, namespaceSelector, version),
    selectorErrors(`${at}.objectSelector`, objectSelector, version),
    mutating && oneOf(`${at}.reinvocationPolicy`, webhook.reinvocationPolicy, ['IfNeeded', 'Never']),
    clientErrors(`${at}.clientConfig`, clientConfig),
    conditionErrors(`${at}.matchConditions`, matchConditions, version),
    reviewVersionErrors(
      `${at}.admissionReviewVersions`,
      admissionReviewVersions,
      `must specify one of ${reviewVersions.join(', ')}`,
    ),
  );
}

/**
 * pkg/apis/admissionregistration/validation ValidateValidatingWebhookConfiguration,
 * ValidateMutatingWebhookConfiguration.
 */
export function configurationErrors(
  { metadata = {}, webhooks = [] }: SentConfiguration,
  mutating: boolean,
  version: string | undefined,
): readonly FieldError[] {
  const names = new Set<string>();
  return errors(
    metadataErrors(metadata, subdomainNameFaults, version),
    webhooks.flatMap((webhook, index) => {
      const { name = '' } = webhook;
      const again = name !== '' && names.has(name) && duplicate(`webhooks[${index}].name`, name);
      names.add(name);
      return errors(webhookErrors(`webhooks[${index}]`, webhook, mutating, version), again);
    }),
  );
}
