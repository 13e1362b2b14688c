import { type Callout, isAdmission } from '../facts/callout.ts';
import type { ConfigurationField } from './product.ts';

const inWebhook: Readonly<Record<ConfigurationField, readonly string[]>> = {
  caBundle: ['f:clientConfig', 'f:caBundle'],
  failurePolicy: ['f:failurePolicy'],
  namespaceSelector: ['f:namespaceSelector'],
  rules: ['f:rules'],
  timeoutSeconds: ['f:timeoutSeconds'],
};

/** Where FieldsV1 keeps a field of a callout: `webhooks` is a list with the key `name`. */
function pathOf(callout: Callout, field: ConfigurationField): readonly string[] | undefined {
  if (isAdmission(callout)) {
    return ['f:webhooks', `k:${JSON.stringify({ name: callout.webhook })}`, ...inWebhook[field]];
  }
  if (field !== 'caBundle') return undefined;
  return callout.kind === 'conversion'
    ? ['f:spec', 'f:conversion', 'f:webhook', ...inWebhook.caBundle]
    : ['f:spec', 'f:caBundle'];
}

const holds = (fields: unknown, path: readonly string[]): boolean => {
  let at = fields;
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return false;
    at = (at as Readonly<Record<string, unknown>>)[step];
  }
  return true;
};

const everyField = Object.keys(inWebhook) as readonly ConfigurationField[];

type Managers = ReadonlyMap<string, readonly ConfigurationField[]>;

function read(callout: Callout): Managers {
  const found = new Map<string, readonly ConfigurationField[]>();
  const paths = everyField.map((field) => [field, pathOf(callout, field)] as const);
  for (const { manager, fieldsV1 } of callout.metadata.managedFields ?? []) {
    if (manager === undefined) continue;
    const written = paths.flatMap(([field, path]) =>
      path !== undefined && holds(fieldsV1, path) ? [field] : [],
    );
    if (written.length > 0) found.set(manager, [...new Set([...(found.get(manager) ?? []), ...written])]);
  }
  return found;
}

/** Several checks ask for the same ones; facts never change. */
const known = new WeakMap<Callout, Managers>();

/** Field managers of a callout, each with those of its fields that it wrote. */
export function fieldManagers(callout: Callout): Managers {
  const managers = known.get(callout) ?? read(callout);
  known.set(callout, managers);
  return managers;
}
