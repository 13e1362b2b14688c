import { type AdmissionCallout, type Callout, failsOpen } from '../../../facts/callout.ts';
import { keyOf } from '../../../facts/object-ref.ts';
import { selects } from '../../../facts/objects/label-selector.ts';
import type { Pod } from '../../../facts/objects/pod.ts';
import { resources, toRead } from '../../../facts/resource.ts';
import type { Facts } from '../../../facts/snapshot.ts';
import { injectorOf, mayHaveMissedPods } from '../../../products/injectors.ts';
import { injectsByShape } from '../../../products/requested-injection.ts';
import { systemNamespaces } from '../../../products/system-namespaces.ts';
import { defineCollector, type ReadOptions } from '../../collector.ts';
import {
  type BackendFacts,
  backendsInQuestion,
  brokenFacts,
  certificatesInQuestion,
  injectorsInQuestion,
} from '../../suspicion.ts';

/** True for webhooks that fail open, and are known to change Pods, or are called for Pods alone. */
const mayMissPods = (callout: Callout): callout is AdmissionCallout =>
  mayHaveMissedPods(callout) || (injectsByShape(callout) && failsOpen(callout));

const hasFailedOpen = ({ webhook }: AdmissionCallout, { metrics }: Pick<Facts, 'metrics'>): boolean =>
  (metrics.getIfKnown('server')?.servers ?? []).some(({ webhooks }) =>
    webhooks.some((counts) => counts.webhook === webhook && counts.failedOpen > 0),
  );

/** Maximum number of namespaces whose Pods are read. */
const atMost = 20;

/** Namespaces in which Pods may request injection in vain, of injectors that are examined by name or `--deep`. */
function mayRequest(
  facts: Pick<Facts, 'namespaces'>,
  { chosen, examineAll }: Pick<ReadOptions, 'chosen' | 'examineAll'>,
): readonly string[] {
  if (!examineAll || !chosen.some((one) => injectorOf(one) !== undefined || injectsByShape(one))) return [];
  const spared = systemNamespaces(facts);
  return [...facts.namespaces.all()]
    .map(({ metadata }) => metadata.name)
    .filter((name) => !spared.includes(name))
    .slice(0, atMost);
}

/** Maximum number of namespaces whose Pods are read for injectors that are down, or were recently. */
const ofInjectors = 3;

/** Namespaces that an injector selects which fails open, and is broken or has new Pods since the last hour. */
function mayLackInjection(
  facts: BackendFacts & Pick<Facts, 'namespaces'>,
  readOptions: ReadOptions,
): readonly string[] {
  const injectors = readOptions.topics.includes('failures') ? readOptions.chosen.filter(mayMissPods) : [];
  if (injectors.length === 0) return [];
  const inQuestion = new Set(backendsInQuestion(facts, readOptions).map(({ key }) => key));
  const spared = systemNamespaces(facts);
  return [
    ...new Set(
      injectors.flatMap(({ client: { service }, namespaceSelector }) => {
        if (service === undefined || !inQuestion.has(keyOf(service))) return [];
        return [...facts.namespaces.all()]
          .filter(({ metadata }) => selects(namespaceSelector, metadata.labels ?? {}))
          .map(({ metadata }) => metadata.name)
          .filter((name) => !spared.includes(name) && name !== service.namespace);
      }),
    ),
  ].slice(0, ofInjectors);
}

/**
 * Collects Pods of namespaces that are selected by an injector which has failed open, is down or was recently, or in
 * which Pods may request injection; none without injectors.
 */
export const namespacePods = defineCollector({
  fact: 'namespacePods',
  needs: [...brokenFacts, 'metrics', 'pods'],
  permissions: [
    toRead(resources.Pod, ['list'], 'cluster', 'Pods that were created without a sidecar'),
    toRead(resources.Pod, ['list'], 'backends', 'Pods that write a certificate or a caBundle'),
  ],
  atMost,
  otherwise: 'the Pods of a namespace in which no injector has failed open',
  wants(facts, readOptions) {
    const { chosen } = readOptions;
    const callouts = chosen.filter(mayMissPods).filter((callout) => hasFailedOpen(callout, facts));
    const selected = [...facts.namespaces.all()]
      .filter(({ metadata }) =>
        callouts.some(({ namespaceSelector }) => selects(namespaceSelector, metadata.labels ?? {})),
      )
      .map(({ metadata }) => metadata.name);
    const writing = [
      ...certificatesInQuestion(facts, readOptions),
      ...injectorsInQuestion(facts, readOptions),
    ];
    const lacking = mayLackInjection(facts, readOptions);
    return [...new Set([...writing, ...selected, ...lacking, ...mayRequest(facts, readOptions)])];
  },
  readEach: (access, namespace) => access.list<Pod>(resources.Pod, { namespace }),
});
