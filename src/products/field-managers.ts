import { type Callout, isAdmission } from '../facts/callout.ts';
import { remembered } from '../facts/derive.ts';
import type { ConfigurationField } from './product.ts';

/** Where FieldsV1 keeps a field of a webhook, below the webhook. */
const inWebhook: Readonly<Record<ConfigurationField, readonly string[]>> = {
  caBundle: ['f:clientConfig', 'f:caBundle'],
  failurePolicy: ['f:failurePolicy'],
  namespaceSelector: ['f:namespaceSelector'],
  rules: ['f:rules'],
  timeoutSeconds: ['f:timeoutSeconds'],
};
const ofWebhook = Object.entries(inWebhook) as readonly [ConfigurationField, readonly string[]][];
const caBundle = ofWebhook.filter(([field]) => field === 'caBundle');

/** Where FieldsV1 keeps a callout: `webhooks` is a list with the key `name`. */
function pathOf({ kind, webhook }: Callout): readonly string[] {
  if (kind === 'conversion') return ['f:spec', 'f:conversion', 'f:webhook'];
  return kind === 'aggregated-api' ? ['f:spec'] : ['f:webhooks', `k:${JSON.stringify({ name: webhook })}`];
}

/** The fields that each callout has, and where they lie below it. */
const fieldsOf = (callout: Callout): readonly (readonly [ConfigurationField, readonly string[]])[] => {
  if (isAdmission(callout)) return ofWebhook;
  return callout.kind === 'conversion' ? caBundle : [['caBundle', ['f:caBundle']]];
};

/** What lies at a path of FieldsV1; undefined for nothing. */
const below = (fields: unknown, path: readonly string[]): unknown => {
  let at = fields;
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[step];
  }
  return at;
};

type Managers = ReadonlyMap<string, readonly ConfigurationField[]>;

function read(callout: Callout): Managers {
  const found = new Map<string, readonly ConfigurationField[]>();
  const path = pathOf(callout);
  for (const { manager, fieldsV1 } of callout.metadata.managedFields ?? []) {
    const owned = manager === undefined ? undefined : below(fieldsV1, path);
    if (manager === undefined || owned === undefined) continue;
    const written = fieldsOf(callout).flatMap(([field, at]) =>
      below(owned, at) === undefined ? [] : [field],
    );
    if (written.length > 0) found.set(manager, [...new Set([...(found.get(manager) ?? []), ...written])]);
  }
  return found;
}

/** Field managers of a callout, each with those of its fields that it wrote. */
export const fieldManagers = remembered(read);
