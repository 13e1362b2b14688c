import { setTimeout as sleep } from 'node:timers/promises';
import { type ClusterReader, ReadError } from '../collect/cluster.ts';
import { refText } from '../facts/object-ref.ts';
import { objectPath } from './kinds.ts';
import { type KubeObject, objectKey, type Step } from './plan.ts';
import { stepStateOf, valueNow } from './step-state.ts';
import { fieldWriterAt, latestWriter } from './writer-of.ts';

/** Milliseconds between two reads. */
const every = 500;

function sentence(step: Step, live: KubeObject | undefined): string {
  const { object, path } = step;
  if (live === undefined) return `${refText(object)} was deleted after the change`;
  if (path === undefined) return `${refText(object)} exists again`;
  const who = fieldWriterAt(live.metadata, object, path) ?? latestWriter(live.metadata) ?? 'somebody';
  let now: unknown;
  try {
    now = valueNow(step, live);
  } catch {
    return `${refText(object)} no longer has that webhook: ${who} replaced the list`;
  }
  return `${refText(object)}: ${path} is ${now === undefined ? 'absent' : JSON.stringify(now)} again: ${who} wrote it`;
}

/**
 * Reads the changed objects repeatedly for `milliseconds`. Returns a sentence that names who reverted the
 * change, or undefined if it was not reverted. A failed read is repeated; if the last one fails, the sentence
 * says that the change could not be verified.
 */
export async function revertedWrite(
  reader: ClusterReader,
  steps: readonly Step[],
  id: string,
  milliseconds: number,
): Promise<string | undefined> {
  const until = Date.now() + milliseconds;
  for (;;) {
    const look = await verifyOnce(reader, steps, id);
    if (look.reverted !== undefined) return look.reverted;
    if (Date.now() >= until) return look.unread;
    await sleep(every);
  }
}

async function verifyOnce(
  reader: ClusterReader,
  steps: readonly Step[],
  id: string,
): Promise<{ readonly reverted?: string; readonly unread?: string }> {
  const objects = new Map<string, KubeObject | undefined>();
  try {
    for (const { object } of steps) {
      const key = objectKey(object);
      if (!objects.has(key)) objects.set(key, await reader.get<KubeObject>(objectPath(object)));
    }
  } catch (error) {
    if (!(error instanceof ReadError)) throw error;
    return { unread: `the change could not be verified: ${error.message}` };
  }
  for (const step of steps) {
    const live = objects.get(objectKey(step.object));
    const standing = stepStateOf(step, live, id);
    // An autoscaler may scale further, and a replica acquires a Lease: only the previous value counts as reverted.
    const isTakenUp = step.operation === 'scale' || step.object.kind === 'Lease';
    if (isTakenUp && standing === 'changed-since') continue;
    if (standing !== 'made') return { reverted: sentence(step, live) };
  }
  return {};
}
