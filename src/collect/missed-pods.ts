import { selects } from '../apiserver/admission/selectors.ts';
import type { AdmissionCallout, Callout } from '../facts/callout.ts';
import type { Lookup } from '../facts/lookup.ts';
import type { Pod } from '../facts/objects/pod.ts';
import type { Right } from '../facts/right.ts';
import type { Facts } from '../facts/snapshot.ts';
import type { Attempts } from './attempts.ts';
import type { BaseFacts } from './base.ts';
import { fromReadings, notRequested } from './collectors/readings.ts';
import { resources } from './resource.ts';
import { toRead } from './rights.ts';

/** What {@link collectMissedPods} needs. */
export const missedPodsRights: readonly Right[] = [
  toRead(resources.pods, ['list'], 'cluster', 'Pods that an injector which has failed open may have missed'),
];

/** Namespaces of which all Pods are read in one run. */
const atMost = 20;

const rest = notRequested('the Pods of a namespace in which no injector has failed open');

/** Says of which callouts it shows on Pods that they were not asked: products/injectors.ts. */
export type Shows = (callout: Callout) => callout is AdmissionCallout;

const hasFailedOpen = ({ webhook }: AdmissionCallout, metrics: Facts['metrics']): boolean =>
  metrics.known('server') &&
  (metrics.get('server')?.servers ?? []).some(({ webhooks }) =>
    webhooks.some((counts) => counts.webhook === webhook && counts.failedOpen > 0),
  );

/** One list of Pods per namespace that such a webhook selects; none on a cluster in which none has failed open. */
export async function collectMissedPods(
  read: Attempts,
  { namespaces }: Pick<BaseFacts, 'namespaces'>,
  asked: readonly Callout[],
  metrics: Facts['metrics'],
  shows: Shows,
): Promise<Lookup<readonly Pod[]>> {
  const callouts = asked.filter(shows).filter((callout) => hasFailedOpen(callout, metrics));
  const names = [...namespaces.all()]
    .filter(({ metadata }) =>
      callouts.some(({ namespaceSelector }) => selects(namespaceSelector, metadata.labels ?? {})),
    )
    .map(({ metadata }) => metadata.name)
    .slice(0, atMost);
  const readings = await Promise.all(
    names.map(async (namespace) => [namespace, await read.list<Pod>(resources.pods, { namespace })] as const),
  );
  return fromReadings(new Map(readings), rest);
}
