import { isJsonObject, parsedJson } from '../basics/collections.ts';

/** The used fields of the API server's error object (apimachinery/pkg/apis/meta/v1/types.go Status). */
export interface Status {
  readonly message?: string;
  readonly reason?: string;
  /** `name` is present if the request was for one object. */
  readonly details?: { readonly kind?: string; readonly name?: string };
}

/** Parses a body as a Status; undefined if it is not one. */
export function statusOf({ body }: { readonly body: Uint8Array }): Status | undefined {
  if (body[0] !== 0x7b) return undefined;
  const value = parsedJson(Buffer.from(body).toString('utf8'));
  return isJsonObject(value) && value.kind === 'Status' ? value : undefined;
}
