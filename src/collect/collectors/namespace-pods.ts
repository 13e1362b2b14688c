import type { AdmissionCallout } from '../../facts/callout.ts';
import { selects } from '../../facts/label-selector.ts';
import type { Pod } from '../../facts/objects.ts';
import { resources, toRead } from '../../facts/resource.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { mayHaveMissedPods } from '../../products/injectors.ts';
import { defineCollector } from '../collector.ts';
import { brokenFacts, certificatesInQuestion, injectorsInQuestion } from '../suspicion.ts';

const hasFailedOpen = ({ webhook }: AdmissionCallout, { metrics }: Pick<Facts, 'metrics'>): boolean =>
  (metrics.getIfKnown('server')?.servers ?? []).some(({ webhooks }) =>
    webhooks.some((counts) => counts.webhook === webhook && counts.failedOpen > 0),
  );

/** Collects Pods of namespaces that an injector selects which has failed open; none if no injector has. */
export const namespacePods = defineCollector({
  fact: 'namespacePods',
  needs: [...brokenFacts, 'metrics', 'pods'],
  permissions: [
    toRead(
      resources.Pod,
      ['list'],
      'cluster',
      'Pods that were created without a sidecar while the injector failed open',
    ),
    toRead(resources.Pod, ['list'], 'backends', 'Pods that write a certificate or a caBundle'),
  ],
  atMost: 20,
  otherwise: 'the Pods of a namespace in which no injector has failed open',
  wants(facts, readOptions) {
    const { chosen } = readOptions;
    const callouts = chosen.filter(mayHaveMissedPods).filter((callout) => hasFailedOpen(callout, facts));
    const selected = [...facts.namespaces.all()]
      .filter(({ metadata }) =>
        callouts.some(({ namespaceSelector }) => selects(namespaceSelector, metadata.labels ?? {})),
      )
      .map(({ metadata }) => metadata.name);
    const writing = [
      ...certificatesInQuestion(facts, readOptions),
      ...injectorsInQuestion(facts, readOptions),
    ];
    return [...new Set([...writing, ...selected])];
  },
  readEach: (access, namespace) => access.list<Pod>(resources.Pod, { namespace }),
});
