import { validationErrorOf } from '../../../src/apiserver/validation/validation-error.ts';
import type { ManifestCase } from '../../e2e/validation-cases.ts';

/**
 * Compares the results of the model and the server; of a shortened message each part must be in the server's
 * message. @param message empty: stored.
 */
export function agreesWith(
  { object }: ManifestCase,
  message: string,
  version: string | undefined,
): { readonly model: string; readonly server: string } {
  const refusal = validationErrorOf(object, { strict: true, version });
  if (refusal?.shortened !== true) return { model: refusal?.text ?? '', server: message };
  const parts = refusal.errors.flatMap(({ field, text }) => [field.split('.').at(-1) ?? '', text]);
  const missing = parts.filter((part) => !message.includes(part));
  return { model: [message, ...missing].join('\n'), server: message };
}
