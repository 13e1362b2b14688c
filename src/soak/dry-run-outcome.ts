import { parseCallError } from '../apiserver/sentences/call-error/parse-call-error.ts';
import { isJsonObject } from '../basics/collections.ts';

/** The sign in a response that the webhook was called. */
export type Proof =
  | { readonly by: 'denial'; readonly webhook: string }
  /** Paths of fields that only the webhook sets. */
  | { readonly by: 'fields'; readonly webhook: string; readonly fields: readonly string[] };

/** The response to a dry run: its HTTP status, and its body as JSON. */
export interface DryRunResponse {
  readonly status: number;
  readonly body: unknown;
}

/** `checked`: the webhook was called. `failed`: its call failed. `other`: another error refused it. */
export type SoakOutcome =
  | { readonly outcome: 'checked' | 'unchecked' }
  | { readonly outcome: 'failed' | 'other'; readonly message: string };

const separator = '\u0000';

/** Fields that the API server sets in every object. */
const itsOwn: ReadonlySet<string> = new Set(
  ['uid', 'creationTimestamp', 'managedFields', 'resourceVersion', 'generation', 'selfLink'].map(
    (name) => `metadata${separator}${name}`,
  ),
);

function leaves(value: unknown, path = ''): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const members = Array.isArray(value) || isJsonObject(value) ? Object.entries(value) : [];
  if (members.length === 0) found.set(path, JSON.stringify(value));
  for (const [name, member] of members) {
    const below = path === '' ? name : `${path}${separator}${name}`;
    if (itsOwn.has(below)) continue;
    for (const [leaf, text] of leaves(member, below)) found.set(leaf, text);
  }
  return found;
}

/** Fields of a response that differ from the sent object. The webhook did not necessarily set all of them. */
export function addedFields(sent: unknown, answered: unknown): readonly string[] {
  const before = leaves(sent);
  return [...leaves(answered)].flatMap(([path, text]) => (before.get(path) === text ? [] : [path]));
}

/** Formats a path: `metadata.labels.team`. */
export const fieldText = (path: string): string => path.split(separator).join('.');

const messageOf = ({ status, body }: DryRunResponse): string =>
  isJsonObject(body) && typeof body.message === 'string' ? body.message : `HTTP ${status}`;

/** The outcome of one webhook in a response. */
export function dryRunOutcome(answer: DryRunResponse, proof: Proof): SoakOutcome {
  if (answer.status >= 200 && answer.status < 300) {
    if (proof.by === 'denial') return { outcome: 'unchecked' };
    const has = leaves(answer.body);
    return { outcome: proof.fields.every((path) => has.has(path)) ? 'checked' : 'unchecked' };
  }
  const message = messageOf(answer);
  const error = parseCallError(message);
  const itself = error?.webhook === proof.webhook;
  if (error?.kind === 'denial' && itself && proof.by === 'denial') return { outcome: 'checked' };
  if (error !== undefined && error.kind !== 'denial' && (itself || error.webhook === undefined))
    return { outcome: 'failed', message };
  return { outcome: 'other', message };
}
