import { type ClusterWriter, WriteError, type WriteRequest } from './cluster-writer.ts';
import type { KubeObject } from './kube-object.ts';

/** Why an object would not be made. */
export interface Objection {
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
