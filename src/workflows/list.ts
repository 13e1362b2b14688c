import { type Check, decidingVerdicts } from '../checks/check.ts';
import type { ClusterReader } from '../collect/cluster.ts';
import { firstCollectors } from '../collect/collectors/first.ts';
import { readCluster } from '../collect/planner.ts';
import type { WebhookList } from '../diagnose/report.ts';
import type { FactName } from '../facts/snapshot.ts';
import { type CalloutChoice, selectedCallouts } from './selection/filter-callouts.ts';
import { inItsShare } from './time-slice.ts';

/** Facts from connections and error texts: here they are known to be empty. */
const observations: readonly FactName[] = ['routing', 'probes', 'clock'];

/** Whether the lists that every run reads first are sufficient for this check. */
export const isQuick = ({ meta, requires }: Check): boolean =>
  meta.quick === true || requires.every((fact) => fact in firstCollectors || observations.includes(fact));

/** The code that evaluates facts and builds the list. */
const loadEvaluation = async () => ({
  ...(await import('../checks/catalogue.ts')),
  ...(await import('./check-while-reading.ts')),
  ...(await import('../diagnose/webhook-list.ts')),
  ...(await import('../products/of-metadata.ts')),
});

/**
 * Evaluates webhooks and APIServices by the first ten lists of objects, without connections. Throws ReadError
 * and CalloutNameError.
 */
export async function listWebhooks(
  reader: ClusterReader,
  options: CalloutChoice & { readonly now: Date },
): Promise<WebhookList> {
  const source = readCluster(reader, { readOptions: { topics: [], examineAll: false }, now: options.now });
  const loading = source.attempts.firstResponse.then(loadEvaluation);
  loading.then(({ parseCaBundles }) => parseCaBundles(source.known, reader)).catch(() => undefined);
  const [first, evaluation] = await Promise.all([source.first(), loading]);
  const { catalogue, checkWhileReading, managedBy, webhookList } = evaluation;
  const { chosen, leftOut } = selectedCallouts(first, options, source.attempts.failed);
  const snapshot = await source.snapshot();
  const { facts } = snapshot;
  const recorded = { takenAt: facts.takenAt, known: async () => facts };
  const checkResults = await checkWhileReading(decidingVerdicts(catalogue.filter(isQuick)), recorded, reader);
  const list = await inItsShare(reader, 1 / 3, 'while the list was put together', (isOver) =>
    webhookList(snapshot, chosen, catalogue, {
      checkResults,
      isOver,
      managedBy: ({ metadata }) => managedBy(metadata),
    }),
  );
  return leftOut === undefined ? list : { ...list, leftOut };
}
