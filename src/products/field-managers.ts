import { remembered } from '../basics/derive.ts';
import { type Callout, clientConfigPath, isAdmission } from '../facts/callout.ts';
import { restoresDeclaredState } from './declaring-tools.ts';
import type { ConfigurationField } from './product.ts';

/** Fields of an admission webhook besides its client configuration. */
const ofWebhook = ['failurePolicy', 'namespaceSelector', 'rules', 'timeoutSeconds'] as const;

/** The value at a path of FieldsV1; undefined if absent. */
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
  // In FieldsV1, `webhooks` is a list with the key `name`.
  const path = clientConfigPath(callout).map((part) =>
    typeof part === 'number' ? `k:${JSON.stringify({ name: callout.webhook })}` : `f:${part}`,
  );
  const others = isAdmission(callout) ? ofWebhook : [];
  for (const { manager, fieldsV1 } of callout.metadata.managedFields ?? []) {
    if (manager === undefined) continue;
    const around = below(fieldsV1, path.slice(0, -1));
    const written = [
      ...(below(around, [...path.slice(-1), 'f:caBundle']) === undefined ? [] : (['caBundle'] as const)),
      ...others.filter((field) => below(around, [`f:${field}`]) !== undefined),
    ];
    if (written.length > 0) found.set(manager, [...new Set([...(found.get(manager) ?? []), ...written])]);
  }
  return found;
}

/** Field managers of a callout, each with the fields that it wrote. */
export const fieldManagers = remembered(read);

/** The field manager that owns the caBundle and restores the declared one continuously: a GitOps controller. */
export const bundleRestorer = (callout: Callout): string | undefined =>
  [...fieldManagers(callout)].find(
    ([manager, fields]) => restoresDeclaredState(manager) && fields.includes('caBundle'),
  )?.[0];
