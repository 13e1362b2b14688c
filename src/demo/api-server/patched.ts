import { applyPatch, decodePatch } from '../../apiserver/patch/json-patch.ts';
import { PatchError } from '../../apiserver/patch/patch-error.ts';
import { type GoJson, parseGoJson } from '../../apiserver/response/go-json.ts';
import { fromGoJson } from '../../apiserver/response/go-value.ts';
import { NotSupported } from './status.ts';

const goJson = (text: string): GoJson => parseGoJson(Buffer.from(text).toString('latin1'));

/** The value after a JSON Patch (RFC 6902). Throws PatchError. */
export function jsonPatched<T>(value: T, patch: string): T {
  const operations = decodePatch(goJson(patch));
  if ('fault' in operations) throw new PatchError(operations.fault);
  return fromGoJson(applyPatch(goJson(JSON.stringify(value)), operations)) as T;
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** RFC 7396. */
function merged(value: unknown, patch: unknown): unknown {
  if (!isMap(patch)) return patch;
  const result: Record<string, unknown> = isMap(value) ? { ...value } : {};
  for (const [name, given] of Object.entries(patch)) {
    if (given === null) delete result[name];
    else result[name] = merged(result[name], given);
  }
  return result;
}

const isSimple = (patch: unknown): boolean =>
  !Array.isArray(patch) &&
  (!isMap(patch) || Object.entries(patch).every(([name, value]) => !name.startsWith('$') && isSimple(value)));

/** The value after a patch of this media type. Throws PatchError, or NotSupported. */
export function patched<T>(value: T, contentType: string, patch: string): T {
  const [kind = ''] = contentType.split(';');
  if (kind === 'application/json-patch+json') return jsonPatched(value, patch);
  if (kind !== 'application/merge-patch+json' && kind !== 'application/strategic-merge-patch+json')
    throw new NotSupported(`patches of type ${kind}`);
  const given: unknown = JSON.parse(patch);
  // Without lists and directives both kinds of merge are the same.
  if (kind !== 'application/merge-patch+json' && !isSimple(given))
    throw new NotSupported('a strategic merge of lists: send a JSON Patch or a JSON Merge Patch');
  return merged(value, given) as T;
}
