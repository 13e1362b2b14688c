import { bootstrapOf } from '../../apiserver/bootstrap.ts';
import { impactOf } from '../../apiserver/impact.ts';
import type { MatchStep } from '../../apiserver/match.ts';
import { type AdmissionCallout, failsOpen, isAdmission } from '../../facts/callout.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { systemNamespaces } from '../../products/system-namespaces.ts';
import { type Backend, backends, endpointFacts, hasSelector, usableBehind } from '../backends.ts';
import { brief } from '../brief.ts';
import { defineCheck, type Find, type Finding } from '../check.ts';
import { askedEvidence, requestsText } from './asked-evidence.ts';
import { blockBy, blockData, blockEvidence, chainOf, type ModelFacts } from './block.ts';
import { namedWebhook } from './named-webhook.ts';
import { progressOf } from './progress.ts';
import { namespacesText } from './selected-namespaces.ts';
import { askingText, guardsServedBy, type Serving, servingOf } from './serving.ts';
import { refusedSupplier } from './supplier.ts';
import { type SystemWait, systemWaitOf } from './system-wait.ts';
import { vital } from './vital-request.ts';

const messages = {
  refused:
    '{chain}: the API server refuses these Pods because {webhook} does not answer, and only these Pods can answer for it',
  stuck:
    '{chain}: {requests} must pass {webhook}, which has no replica to answer, and nobody but {workload} can bring one',
  starved:
    '{chain}: {workload} waits for {supply} ({said}), and the API server refuses the Pods that give it because {webhook} does not answer',
  beside: {
    text: '{chain}: whatever else keeps {workload} from serving, new Pods of it cannot start either: {requests} must pass {webhook}, which has no replica to answer',
    explains: false,
  },
  nodes: {
    text: '{workload} has no ready node ({said}), and the Pods that make nodes ready, those of the network in {namespaces}, must pass {webhook}, which has no replica to answer',
    explains: false,
  },
  cloud: {
    text: '{workload} waits for a node that the cloud has set up ({said}), and new Pods of the cloud controller manager must pass {webhook}, which has no replica to answer, if they belong to {namespaces}',
    explains: false,
  },
  network: {
    text: '{workload} gets no network from its node ({said}), and new Pods of the network in {namespaces} must pass {webhook}, which has no replica to answer',
    explains: false,
  },
  claims: {
    text: '{workload} waits for a volume that nobody has made ({said}), and new Pods of its provisioner must pass {webhook}, which has no replica to answer, if they belong to {namespaces}',
    explains: false,
  },
  volumes: {
    text: '{workload} waits for a volume whose driver does not run on its node ({said}), and new Pods of the driver must pass {webhook}, which has no replica to answer, if they belong to {namespaces}',
    explains: false,
  },
  names: {
    text: '{workload} cannot look up names ({said}), and new Pods of DNS in {namespaces} must pass {webhook}, which has no replica to answer',
    explains: false,
  },
  would: {
    text: '{chain}: should all Pods of {workload} go away together, none can come back: {requests} must pass {webhook}, which only they answer',
    severity: 'warning',
    explains: false,
  },
  untold: {
    text: 'Whether {requests} of {workload} must pass {webhook}, which only they answer, is decided by {by}: nobody can tell from here',
    severity: 'info',
    explains: false,
  },
} as const;

type Told = Find<typeof messages>;

type Read = Pick<
  Facts,
  | 'version'
  | 'callouts'
  | 'services'
  | 'namespaces'
  | 'served'
  | 'workloads'
  | 'pods'
  | 'events'
  | 'nodes'
  | 'secrets'
  | 'logs'
  | 'claims'
  | 'refusals'
  | 'makers'
>;

/** What the Pods wait for, as a reader calls it; a driver or a provisioner by its name. */
const supplyText = ({ for: service, of = '' }: SystemWait): string =>
  ({
    nodes: 'a ready node',
    cloud: 'a node that the cloud has set up',
    network: 'the network of its node',
    volumes: `the volume driver ${of}`,
    claims: `a volume of ${of}`,
    names: 'DNS',
  })[service];

/** The Pods are there and wait for others, which one of their own webhooks keeps from coming: for every callout. */
function starved(
  backend: Backend,
  serving: Serving,
  facts: Read,
  find: Told,
  takenAt: string,
): Finding | undefined {
  const guards = guardsServedBy(serving, facts);
  const wait = guards.length === 0 ? undefined : systemWaitOf(backend, facts, takenAt);
  const supplier = wait && refusedSupplier(wait, guards, facts);
  if (wait === undefined || supplier === undefined) return undefined;
  const { chain, webhook, ref, refused } = supplier;
  const supply = supplyText(wait);
  const data = {
    chain: [serving.chain, supply, chain, askingText(webhook), serving.text].join(' → '),
    workload: serving.text,
    supply,
    said: brief(wait.evidence.value),
    webhook: webhook.webhook,
  };
  const refusal = { object: ref, field: 'Event FailedCreate', value: refused.event.message ?? '' };
  return find('starved', data, [wait.evidence, refusal], 'observed');
}

/** No replica is left, and a webhook that these Pods serve is the reason: for every callout of the backend. */
function now(
  backend: Backend,
  serving: Serving,
  facts: Read,
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

/** The Pods are free to come, but not the Pods of the system without which they do not serve: network, storage, DNS. */
function withoutSystem(
  webhook: AdmissionCallout,
  backend: Backend,
  serving: Serving,
  facts: Read,
  find: Told,
  takenAt: string,
): Finding | undefined {
  const wait = systemWaitOf(backend, facts, takenAt);
  if (wait === undefined) return undefined;
  const requests = systemNamespaces(facts).map((name) => vital('CREATE', 'v1', 'pods', name, ''));
  const { asked } = impactOf(webhook, requests, facts);
  if (asked.length === 0) return undefined;
  const data = {
    workload: serving.text,
    webhook: webhook.webhook,
    namespaces: namespacesText(asked.map(({ about }) => about.request.namespace ?? '')),
    said: brief(wait.evidence.value),
  };
  return find(wait.for, data, [wait.evidence, ...askedEvidence(webhook, asked)]);
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
  subjects: (facts) => backends(facts).filter(hasSelector),
  run(backend, facts, find, takenAt) {
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
      (isDown ? each((serving) => withoutSystem(asks, backend, serving, facts, find, takenAt)) : undefined)
    );
  },
});
