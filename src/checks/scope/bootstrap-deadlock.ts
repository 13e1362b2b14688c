import type { MatchStep } from '../../apiserver/admission/match.ts';
import { bootstrapOf } from '../../apiserver/deadlock/bootstrap.ts';
import { type AdmissionCallout, failsOpen, isAdmission } from '../../facts/callout.ts';
import { type Backend, backends, endpointFacts, hasSelector, usableBehind } from '../backends.ts';
import { defineCheck, type Finding } from '../check.ts';
import { askedEvidence, requestsText } from './asked-evidence.ts';
import { atItsUrl } from './at-its-url.ts';
import { blockBy, blockData, blockEvidence, chainOf, type ModelFacts } from './block.ts';
import { type DeadlockFacts, messages, type Told } from './deadlock-messages.ts';
import { type HostedByUrl, hostedByUrl } from './hosted-by-url.ts';
import { namedWebhook } from './named-webhook.ts';
import { progressOf } from './progress.ts';
import { guardsServedBy, type Serving, servingOf } from './serving.ts';
import { laterWithout, starved, withoutSystem } from './without-system.ts';

/** No replica is left, and a webhook that these Pods serve is the reason: for every callout of the backend. */
function now(
  backend: Backend,
  serving: Serving,
  facts: DeadlockFacts,
  find: Told,
  takenAt: string,
): Finding | undefined {
  const guards = guardsServedBy(serving, facts);
  if (guards.length === 0) return undefined;
  const { waitsFor, said, otherwiseBroken } = progressOf(backend, serving, facts, takenAt);
  for (const evidence of said) {
    // Some Pods came to be: more of them would break like these.
    if (otherwiseBroken && evidence.object.kind !== 'Pod') continue;
    const webhook = namedWebhook(evidence.value, guards);
    if (webhook === undefined) continue;
    const found = bootstrapOf(webhook, serving.pod, facts, serving.wanted === 0);
    // It is no longer asked: the word is older than the configuration, and the controller tries again.
    if (found.outcome === 'free') continue;
    const data = { chain: chainOf(serving, webhook), webhook: webhook.webhook };
    const asked = found.outcome === 'blocked' ? found.asked : [];
    return find('refused', data, [evidence, ...askedEvidence(webhook, asked)], 'observed');
  }
  const blocks = guards.flatMap((guard) => blockBy(guard, serving, facts) ?? []);
  const stuck = blocks.find(({ asked }) => asked.some(({ about }) => waitsFor.includes(about.step)));
  return stuck && find('stuck', blockData(serving, stuck), blockEvidence(serving, stuck));
}

/** What a step of matching looks at, as the API names it. */
const fieldOf: Readonly<Record<MatchStep, string>> = {
  'virtual-resource': 'the resource',
  'admission-configuration': 'the resource',
  'namespace-selector': 'its namespaceSelector',
  'object-selector': 'its objectSelector',
  rules: 'its rules',
  'match-conditions': 'its matchConditions',
};

/** What the webhook would do to the Pods that serve it. */
function later(
  webhook: AdmissionCallout,
  serving: Serving,
  facts: ModelFacts,
  find: Told,
  isDown: boolean,
): Finding | undefined {
  const found = bootstrapOf(webhook, serving.pod, facts, serving.wanted === 0);
  if (found.outcome === 'free') return undefined;
  if (found.outcome === 'unknown') {
    const by = [...new Set(found.untold.map((one) => fieldOf[one.by]))].join(', ');
    const requests = requestsText(found.untold.map(({ about }) => about));
    return find('untold', { requests, workload: serving.text, webhook: webhook.webhook, by });
  }
  const block = { webhook, asked: found.asked };
  return find(isDown ? 'beside' : 'would', blockData(serving, block), blockEvidence(serving, block));
}

export const bootstrapDeadlock = defineCheck({
  meta: {
    id: 'bootstrap-deadlock',
    link: 'scope',
    title: 'The webhook must answer before the Pods that serve it can start',
    severity: 'error',
    why: 'The API server exempts no namespace and no Pod: while nobody answers, a webhook that fails closed stops whatever its rules cover, and that includes what brings its own Pods back: their creation, binding, token, status and endpoints, and the Pods that give them a network, volumes or names. Static Pods run all the same, for the kubelet starts them without the API server; only their mirror Pods are refused.',
    advice:
      'To get out now: set its failurePolicy to Ignore (`kubectl edit validatingwebhookconfiguration NAME`, or mutatingwebhookconfiguration; webhooks are never asked about those), make the controller of what is refused try again at once (`kubectl -n NAMESPACE rollout restart deployment/NAME`, or daemonset), and put it back when a Pod is Ready. To stay out: leave its own namespace and those of the network, of storage and of DNS out by namespaceSelector (`kubernetes.io/metadata.name NotIn`), and drop rules for subresources that it does not judge. Exclusions inside the product do not help: the API server must not call it at all.',
    messages,
    references: [
      'https://kubernetes.io/docs/concepts/cluster-administration/admission-webhooks-good-practices/',
    ],
  },
  requires: [
    'version',
    ...endpointFacts,
    'pods',
    'workloads',
    'events',
    'nodes',
    'secrets',
    'logs',
    'claims',
    'refusals',
    'makers',
    'namespaces',
    'served',
  ],
  subjects: (facts): readonly (Backend | HostedByUrl)[] => [
    ...backends(facts).filter(hasSelector),
    ...hostedByUrl(facts),
  ],
  run(backend, facts, find, takenAt) {
    if ('hosts' in backend) return atItsUrl(backend, facts, find);
    const isDown = usableBehind(backend, facts).length === 0;
    const { callout } = backend;
    const asks = isAdmission(callout) && !failsOpen(callout) ? callout : undefined;
    if (!isDown && asks === undefined) return undefined;
    const servings = servingOf(backend.service, facts);
    const each = <T>(look: (serving: Serving) => T | undefined): T | undefined => {
      for (const serving of servings) {
        const found = look(serving);
        if (found !== undefined) return found;
      }
      return undefined;
    };
    const found = isDown
      ? (each((serving) => starved(backend, serving, facts, find, takenAt)) ??
        each((serving) => now(backend, serving, facts, find, takenAt)))
      : undefined;
    if (found !== undefined || asks === undefined) return found;
    return (
      each((serving) => later(asks, serving, facts, find, isDown)) ??
      (isDown
        ? each((serving) => withoutSystem(asks, backend, serving, facts, find, takenAt))
        : each((serving) => laterWithout(asks, serving, facts, find)))
    );
  },
});
