import { type ClusterWriter, WriteError } from './cluster-writer.ts';

/**
 * Has the API server do everything about the making of an object but store it. Its sentence when it refuses or does not
 * answer; undefined when the object would be made.
 */
export async function wouldRefuse(
  writer: ClusterWriter,
  path: string,
  body: object,
): Promise<string | undefined> {
  try {
    await writer.write({ method: 'POST', path, body }, { dryRun: true });
    return undefined;
  } catch (error) {
    if (error instanceof WriteError) return error.message;
    throw error;
  }
}
