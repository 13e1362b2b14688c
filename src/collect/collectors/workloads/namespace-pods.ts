import { secondsSince } from '../../../basics/time.ts';
import type { AdmissionCallout } from '../../../facts/callout.ts';
import { selects } from '../../../facts/objects/label-selector.ts';
import type { Pod } from '../../../facts/objects/pod.ts';
import { resources, toRead } from '../../../facts/resource.ts';
import type { Facts, World } from '../../../facts/snapshot.ts';
import { unavailableUntil } from '../../../facts/workloads/unavailable-until.ts';
import { mayMissPods } from '../../../products/requested-injection.ts';
import { systemNamespaces } from '../../../products/system-namespaces.ts';
import { defineCollector, type ReadOptions } from '../../collector.ts';
import { brokenFacts } from '../../suspect-backends.ts';
import { certificatesInQuestion, injectorsInQuestion } from '../../suspect-certificates.ts';

const hasFailedOpen = ({ webhook }: AdmissionCallout, { metrics }: Pick<Facts, 'metrics'>): boolean =>
  (metrics.getIfKnown('server')?.servers ?? []).some(({ webhooks }) =>
    webhooks.some((counts) => counts.webhook === webhook && counts.failedOpen > 0),
  );

/** Maximum number of namespaces whose Pods are read for injectors that are down, or were recently. */
const ofInjectors = 3;

/** Seconds after which Pods that were not injected are no news. */
const recent = 3600;

/** Namespaces that an injector selects which fails open, and has or had no ready Pod in the last hour. */
function namespacesOfAbsentInjectors(
  facts: World<'namespaces' | 'services' | 'pods' | 'workloads'>,
  { topics, chosen }: ReadOptions,
): readonly string[] {
  const injectors = topics.includes('failures') ? chosen.filter(mayMissPods) : [];
  const down = injectors.filter((one) => {
    const until = unavailableUntil(one, facts);
    return until !== undefined && (secondsSince(until, facts.takenAt) ?? recent) < recent;
  });
  const spared = down.length === 0 ? [] : systemNamespaces(facts);
  return [
    ...new Set(
      down.flatMap(({ client: { service }, namespaceSelector }) =>
        facts.namespaces
          .all()
          .filter(({ metadata }) => selects(namespaceSelector, metadata.labels ?? {}))
          .map(({ metadata }) => metadata.name)
          .filter((name) => !spared.includes(name) && name !== service?.namespace),
      ),
    ),
  ].slice(0, ofInjectors);
}

/**
 * Collects Pods of namespaces that are selected by an injector which has failed open, is down or was recently; none without
 * injectors.
 */
export const namespacePods = defineCollector({
  fact: 'namespacePods',
  needs: [...brokenFacts, 'metrics', 'pods'],
  grows: ['workloads'],
  permissions: [
    toRead(resources.Pod, ['list'], 'cluster', 'Pods that were created without a sidecar'),
    toRead(resources.Pod, ['list'], 'backends', 'Pods that write a certificate or a caBundle'),
  ],
  atMost: 20,
  otherwise: 'the Pods of a namespace in which no injector has failed open',
  wants(facts, readOptions) {
    const { chosen } = readOptions;
    const callouts = chosen.filter(mayMissPods).filter((callout) => hasFailedOpen(callout, facts));
    const selected = facts.namespaces
      .all()
      .filter(({ metadata }) =>
        callouts.some(({ namespaceSelector }) => selects(namespaceSelector, metadata.labels ?? {})),
      )
      .map(({ metadata }) => metadata.name);
    const writing = [
      ...certificatesInQuestion(facts, readOptions),
      ...injectorsInQuestion(facts, readOptions),
    ];
    const lacking = namespacesOfAbsentInjectors(facts, readOptions);
    return [...new Set([...writing, ...selected, ...lacking])];
  },
  readEach: (access, namespace) => access.list<Pod>(resources.Pod, { namespace }),
});
