import type { KubeObject } from './kube-object.ts';

/** `metadata.managedFields[].manager` of everything that we write. */
export const fieldManager = 'kubectl-webhook';

/** One request that changes an object. Paths are the API's own, already escaped. */
export interface WriteRequest {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** `application/json-patch+json` for a JSON Patch; `application/json` unless told. */
  readonly contentType?: string;
  readonly body?: object;
}

/** How one write is sent. */
export interface WriteOptions {
  /** Everything but the storing: admission and validation run, webhooks are called. */
  readonly dryRun?: boolean;
  /** Milliseconds until the answer; a minute unless told. */
  readonly timeout?: number;
}

/** A write to a cluster. Each is sent once, never again by itself. May throw {@link WriteError}. */
export interface ClusterWriter {
  /** The answer: the object as it is now, or a Status after a deletion. */
  write<T = KubeObject>(request: WriteRequest, options?: WriteOptions): Promise<T>;
}

/**
 * `refused`: the API server said no, nothing was changed. `unknown`: an answer of 5xx or none at all; whether the
 * change happened can only be told by reading the object again.
 */
export type WriteFailure = 'refused' | 'unknown';

/** A write that did not succeed, as far as anyone can tell. Its message is one sentence and holds no credential. */
export class WriteError extends Error {
  readonly failure: WriteFailure;
  /** HTTP status, when there was an answer. */
  readonly status: number | undefined;
  /** The API server's sentence, as sent: cluster text. */
  readonly serverMessage: string | undefined;
  constructor(message: string, failure: WriteFailure, status?: number, serverMessage?: string) {
    super(message);
    this.name = 'WriteError';
    this.failure = failure;
    this.status = status;
    this.serverMessage = serverMessage;
  }
}

/** Why an object would not be made. */
interface Objection {
  /** The API server's sentence. */
  readonly says: string;
  /** Of whoever asks: it was not admission that refused, which comes later. */
  readonly rightMissing: boolean;
}

/** What the API server says to those without the right (responsewriters/errors.go forbiddenMessage). */
const rightMissing = / is forbidden: User "/;

/**
 * Has the API server do everything about the making of an object but store it. What it objects or that it does not
 * answer; undefined when the object would be made.
 */
export async function wouldRefuse(
  writer: ClusterWriter,
  path: string,
  body: object,
): Promise<Objection | undefined> {
  try {
    await writer.write({ method: 'POST', path, body }, { dryRun: true });
    return undefined;
  } catch (error) {
    if (!(error instanceof WriteError)) throw error;
    const { message, status } = error;
    return { says: message, rightMissing: status === 403 && rightMissing.test(message) };
  }
}

/** The object as it would be, or why it would not. `timeout` in milliseconds. */
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
