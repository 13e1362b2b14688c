import { ConnectionProblem } from './connection.ts';

/**
 * A map of a kubeconfig that is being parsed. Errors contain `where` (`FILE:`, `FILE: users[0].user`) but
 * never values, which may be credentials.
 */
export interface KubeconfigFields {
  readonly values: Readonly<Record<string, unknown>>;
  readonly where: string;
}

/** Returns `value` as a map; a missing value is an empty map, as in Go. */
export function kubeconfigFields(value: unknown, where: string): KubeconfigFields {
  if (value === undefined || value === null) return { values: {}, where };
  if (typeof value !== 'object' || Array.isArray(value)) throw wrongType(where, value, 'a map');
  return { values: value as Record<string, unknown>, where };
}

/** The map under `key`. */
export function fieldsAt({ values, where }: KubeconfigFields, key: string): KubeconfigFields {
  return kubeconfigFields(values[key], inside(where, key));
}

/** Returns a string; an empty one counts as absent, as in client-go. */
export function textAt({ values, where }: KubeconfigFields, key: string): string | undefined {
  const value = values[key];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw wrongType(inside(where, key), value, 'a text');
  return value;
}

/** Returns a boolean, also from YAML 1.1 words (`yes`, `on`): kubectl parses YAML 1.1. */
export function flagAt({ values, where }: KubeconfigFields, key: string): boolean {
  const value = values[key];
  if (value === undefined || value === null) return false;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string' && /^(y|yes|on|n|no|off)$/i.test(value)) return /^(y|yes|on)$/i.test(value);
  throw wrongType(inside(where, key), value, 'true or false');
}

/** Returns a list of strings; absent counts as empty. */
export function textsAt(fields: KubeconfigFields, key: string): readonly string[] {
  return listAt(fields, key).map((value, index) => {
    if (typeof value === 'string') return value;
    throw wrongType(`${inside(fields.where, key)}[${index}]`, value, 'a text');
  });
}

/** Returns a list of maps; absent counts as empty. */
export function mapsAt(fields: KubeconfigFields, key: string): readonly KubeconfigFields[] {
  return listAt(fields, key).map((value, index) =>
    kubeconfigFields(value, `${inside(fields.where, key)}[${index}]`),
  );
}

function listAt({ values, where }: KubeconfigFields, key: string): readonly unknown[] {
  const value = values[key];
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw wrongType(inside(where, key), value, 'a list');
  return value;
}

function inside(where: string, key: string): string {
  return `${where}${where.endsWith(':') ? ' ' : '.'}${key}`;
}

function wrongType(where: string, value: unknown, wanted: string): ConnectionProblem {
  const kind = typeof value === 'object' ? 'map' : typeof value;
  const type = Array.isArray(value) ? 'list' : kind;
  const quotes = wanted === 'a text' && (type === 'number' || type === 'boolean');
  return new ConnectionProblem(
    `${where} must be ${wanted}, but is a ${type === 'string' ? 'text' : type}`,
    quotes ? 'Put the value into quotes.' : 'Correct the kubeconfig.',
  );
}
