import type { HttpAnswer } from '../facts/probes.ts';

/** The API server's own error object, as far as it is used here. */
export interface Status {
  readonly message: string;
  readonly reason: string;
  readonly details: { readonly kind?: string; readonly name?: string };
}

/** An answer's body as a Status; undefined where it is something else. */
export function statusOf({ body }: HttpAnswer): Status | undefined {
  try {
    const value = JSON.parse(Buffer.from(body).toString('utf8')) as Partial<Status> & { kind?: unknown };
    if (value.kind !== 'Status') return undefined;
    return { message: value.message ?? '', reason: value.reason ?? '', details: value.details ?? {} };
  } catch {
    return undefined;
  }
}
