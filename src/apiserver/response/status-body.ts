import { interpret } from './decode-review.ts';
import { firstMisfit } from './go-shape.ts';
import { fromGoJson } from './go-value.ts';
import { readBody } from './read-body.ts';
import { statusShape } from './review-shapes.ts';

/**
 * A `Status` with status Failure in the body of an error: its message takes the place of the words for the HTTP status
 * (client-go/rest/request.go Result.Error). An apiVersion is not asked for, the kind is.
 */
export function statusError(body: Uint8Array): { message: string; code: number } | undefined {
  if (body.length === 0) return undefined;
  const read = readBody(body);
  if (read.kind !== 'value') return undefined;
  const meta = interpret(read.value);
  if ('fault' in meta || meta.kind !== 'Status') return undefined;
  if (firstMisfit(read.value, statusShape) !== undefined) return undefined;
  const { status, message, code } = fromGoJson(read.value) as Readonly<Record<string, unknown>>;
  if (status !== 'Failure') return undefined;
  return { message: typeof message === 'string' ? message : '', code: typeof code === 'number' ? code : 0 };
}
