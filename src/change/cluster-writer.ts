import type { KubeObject } from './plan.ts';

/** `metadata.managedFields[].manager` of all writes of this program. */
export const fieldManager = 'kubectl-webhook';

/** One request that changes an object. Paths are escaped API paths. */
export interface WriteRequest {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** `application/json-patch+json` for a JSON Patch; default: `application/json`. */
  readonly contentType?: string;
  readonly body?: object;
}

/** How one write is sent. */
export interface WriteOptions {
  /** Send a server-side dry run: admission and validation run, webhooks are called, nothing is stored. */
  readonly dryRun?: boolean;
  /** The timeout in milliseconds; default: one minute. */
  readonly timeout?: number;
}

/** Writes to a cluster. Each request is sent once, without retry. May throw {@link WriteError}. */
export interface ClusterWriter {
  /** Returns the object after the write, or a Status after a deletion. */
  write<T = KubeObject>(request: WriteRequest, options?: WriteOptions): Promise<T>;
}

/**
 * The outcome of a failed write. `refused`: by the API server, nothing was changed. `unknown`: a 5xx response
 * or none; only a read of the object shows if it changed.
 */
export type WriteFailure = 'refused' | 'unknown';

/** A write that failed, or whose outcome is unknown. Its message is one sentence, without credentials. */
export class WriteError extends Error {
  readonly failure: WriteFailure;
  /** HTTP status, if there was a response. */
  readonly status: number | undefined;
  /** The API server's message, as sent: text from the cluster. */
  readonly serverMessage: string | undefined;
  constructor(message: string, failure: WriteFailure, status?: number, serverMessage?: string) {
    super(message);
    this.name = 'WriteError';
    this.failure = failure;
    this.status = status;
    this.serverMessage = serverMessage;
  }
}

/** The reason why an object cannot be created. */
interface CreateError {
  /** The API server's message. */
  readonly says: string;
  /** The user has no permission: rejected by the authorizer, not by admission. */
  readonly permissionMissing: boolean;
}

/** Matches the API server's error for a missing permission (responsewriters forbiddenMessage). */
const permissionMissing = / is forbidden: User "/;

/** Sends a dry run of the creation of an object. The reason why it fails; undefined if it succeeds. */
export async function createError(
  writer: ClusterWriter,
  path: string,
  body: object,
): Promise<CreateError | undefined> {
  try {
    await writer.write({ method: 'POST', path, body }, { dryRun: true });
    return undefined;
  } catch (error) {
    if (!(error instanceof WriteError)) throw error;
    const { message, status } = error;
    return { says: message, permissionMissing: status === 403 && permissionMissing.test(message) };
  }
}

/** Sends a dry run: the resulting object, or the reason why it fails. `timeout` in milliseconds. */
export async function dryRun(
  writer: ClusterWriter,
  request: WriteRequest,
  timeout?: number,
): Promise<WriteError | KubeObject> {
  try {
    return await writer.write(request, { dryRun: true, ...(timeout === undefined ? {} : { timeout }) });
  } catch (error) {
    if (error instanceof WriteError) return error;
    throw error;
  }
}
