import type { ChangeTools } from '../../change/apply.ts';
import { objectPath } from '../../change/kinds.ts';
import type { KubeObject } from '../../change/kube-object.ts';
import { ReadError } from '../../collect/cluster-reader.ts';
import type { Judgement } from './carry-out.ts';
import { restoredAt, restorerName } from './restorer.ts';

/** Whether the CronJob is there, and came before its minute: one that is made later waits for a year. */
export async function restorerInTime(
  { reader }: Pick<ChangeTools, 'reader'>,
  id: string,
  namespace: string,
  until: Date,
): Promise<Judgement> {
  const object = { kind: 'CronJob', namespace, name: restorerName(id) };
  const named = `CronJob ${namespace}/${object.name}`;
  try {
    const made = (await reader.get<KubeObject>(objectPath(object)))?.metadata.creationTimestamp;
    if (made === undefined) return { good: false, says: `${named} is gone: it restores nothing` };
    const at = restoredAt(until);
    return Date.parse(made) < at.getTime()
      ? { good: true, says: `${named} restores it at ${at.toISOString()}` }
      : { good: false, says: `${named} came too late for ${at.toISOString()}: it restores nothing` };
  } catch (error) {
    if (!(error instanceof ReadError)) throw error;
    return { good: false, says: `${named} could not be looked at: ${error.message}` };
  }
}
