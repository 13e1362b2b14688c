/** The API server's own error object, as far as it is used. Source: apimachinery/pkg/apis/meta/v1/types.go, Status. */
export interface Status {
  readonly message?: string;
  readonly reason?: string;
  /** `name` is there when one object was asked for. */
  readonly details?: { readonly kind?: string; readonly name?: string };
}

/** An answer's body as a Status; undefined where it is something else. */
export function statusOf({ body }: { readonly body: Uint8Array }): Status | undefined {
  if (body[0] !== 0x7b) return undefined;
  try {
    const value = JSON.parse(Buffer.from(body).toString('utf8')) as Status & { readonly kind?: unknown };
    return value.kind === 'Status' ? value : undefined;
  } catch {
    return undefined;
  }
}
