import { exclusionsOfPlatform } from '../../apiserver/admission/exempt.ts';
import type { UndecidedStep } from '../../apiserver/admission/match.ts';
import { matchEvidence, requestsText } from '../../apiserver/admission/match-evidence.ts';
import {
  blockBy,
  blockData,
  blockEvidence,
  dependencies,
  type ModelFacts,
} from '../../apiserver/deadlock/block.ts';
import { bootstrapOf } from '../../apiserver/deadlock/bootstrap.ts';
import { guardsServedBy, type Serving, servingOf } from '../../apiserver/deadlock/serving.ts';
import {
  type Backend,
  backends,
  endpointFacts,
  hasSelector,
  usableBehind,
} from '../../apiserver/routing/backends.ts';
import { namedWebhook } from '../../apiserver/sentences/call-error/named-webhook.ts';
import { firstResult } from '../../basics/collections.ts';
import { type AdmissionCallout, type Callout, failsOpen, isAdmission } from '../../facts/callout.ts';
import { refText } from '../../facts/object-ref.ts';
import type { World } from '../../facts/snapshot.ts';
import { namesNewNode } from '../../facts/workloads/unscheduled.ts';
import { affectedNames } from '../../facts/workloads/workloads.ts';
import { listed } from '../../phrases/lists.ts';
import { type HostedByUrl, hostedByUrl } from '../../pods/hosted-by-url.ts';
import { progressOf } from '../../pods/progress.ts';
import { refusedBy } from '../../pods/refused-pods.ts';
import {
  blockedSupplyDeadlock,
  predictedSupplyDeadlock,
  waitsForBlockedSupply,
} from '../../pods/supply-deadlock.ts';
import { defineCheck, type Find, type Finding, firstReported } from '../check.ts';

const required = [
  'version',
  ...endpointFacts,
  'pods',
  'workloads',
  'events',
  'nodes',
  'secrets',
  'logs',
  'persistentVolumeClaims',
  'failedCreateEvents',
  'podControllers',
  'namespaces',
  'served',
] as const;
type DeadlockFacts = World<(typeof required)[number]>;

const failOpenFirst =
  '[with] First restore service. [end] Set failurePolicy of the webhook to Ignore: `kubectl edit {kind} {configuration}` (no webhook is called for this change). [with] Restore failurePolicy when a Pod is Ready.';
const preventDeadlock =
  '[prevent] To prevent the deadlock, exclude the namespaces of the webhook, of network, storage and DNS by namespaceSelector (`kubernetes.io/metadata.name NotIn`). [prevent] Remove rules for subresources that it does not validate. [with] Exclusions inside the product do not help: the API server must not call the webhook at all.';

const advice =
  `${failOpenFirst} [end] Create the refused Pods again: \`kubectl -n {place} rollout restart {affected}\`. ${preventDeadlock}` as const;

/** What one of several system components must repeat: each does so by itself. */
const retried = {
  explains: false,
  advice: `${failOpenFirst} [with] Controllers retry the refused requests with a growing delay. ${preventDeadlock}`,
} as const;

const beforehand =
  '[end] Exclude these requests by `rules`, `namespaceSelector` or `matchConditions`: `kubectl edit {kind} {configuration}`. [with] Exclusions inside the product do not help: the API server must not call the webhook at all.';

const refusesNetwork = 'Deadlock: webhook refuses the network Pods of its nodes';
const refusesNodes = 'Deadlock: webhook refuses the removal of a Node taint';

const messages = {
  refused:
    'The API server refuses new Pods of {workload} because {webhook} is down, and only these Pods serve it',
  unbound: 'The scheduler cannot bind Pods of {workload}: {webhook}, which only they serve, is down',
  stuck:
    'New Pods of {workload} cannot start: their webhook {webhook} has no ready Pod and intercepts {requests}',
  starved: {
    title: 'Deadlock: webhook refuses Pods that its own Pods wait for',
    text: 'Pods of {workload} wait for {dependency} ({detail}). The API server refuses the Pods that provide it, because {webhook} is down',
  },
  beside: {
    text: 'New Pods of {workload} cannot start either: their webhook {webhook} has no ready Pod and intercepts {requests}',
    explains: false,
  },
  nodes: {
    title: refusesNetwork,
    text: 'No node is ready for Pods of {workload} ({detail}). While {webhook} is down, the API server refuses new network Pods in {namespaces}',
    ...retried,
  },
  newNodes: {
    title: refusesNodes,
    sharedCause: true,
    text: 'No node accepts Pods of {workload} ({detail}). While {webhook} is down, the API server refuses the updates of Nodes that remove this taint',
    advice: retried.advice,
  },
  taints: {
    title: refusesNodes,
    text: 'No node accepts Pods of {workload} ({detail}). While {webhook} is down, the API server refuses the updates of Nodes that remove this taint',
    ...retried,
  },
  cloud: {
    title: 'Deadlock: webhook refuses cloud controller manager Pods',
    text: 'Pods of {workload} wait for a cloud-initialized node ({detail}). While {webhook} is down, new cloud controller manager Pods in {namespaces} are refused',
    ...retried,
  },
  network: {
    title: refusesNetwork,
    text: 'Pods of {workload} get no network from their node ({detail}). While {webhook} is down, the API server refuses new network Pods in {namespaces}',
    ...retried,
  },
  claims: {
    title: 'Deadlock: webhook refuses Pods that provide its volume',
    text: 'Pods of {workload} wait for a volume ({detail}). While {webhook} is down, new Pods of a provisioner in {namespaces} are refused',
    ...retried,
  },
  volumes: {
    title: 'Deadlock: webhook refuses Pods of the CSI driver it needs',
    text: 'Pods of {workload} wait for a CSI driver ({detail}). While {webhook} is down, new driver Pods in {namespaces} are refused',
    ...retried,
  },
  names: {
    title: 'Deadlock: webhook refuses the DNS Pods that it needs',
    text: 'Pods of {workload} cannot resolve names ({detail}). While {webhook} is down, the API server refuses new DNS Pods in {namespaces}',
    ...retried,
  },
  would: {
    text: 'If all Pods of {workload} are lost, none can be recreated: their webhook {webhook} intercepts {requests}',
    advice: beforehand,
    severity: 'warning',
    explains: false,
  },
  wouldStarve: {
    text: 'If all Pods of {workload} are lost, none can be recreated: their webhook {webhook} intercepts {requests} of {supplier}',
    advice: beforehand,
    severity: 'warning',
    // While the system Pods run, its own Pods can be recreated.
    implies: 'nothing',
    explains: false,
  },
  mightStarve: {
    text: 'If all Pods of {workload} are lost and {only}, none can be recreated: {webhook} intercepts {requests} of {supplier}',
    advice: beforehand,
    severity: 'info',
    implies: 'nothing',
    explains: false,
  },
  untold: {
    text: 'Unknown: whether Pods of {workload} can be recreated while their webhook {webhook} is down; it depends on {by} ({requests})',
    advice: beforehand,
    severity: 'info',
    implies: 'nothing',
    explains: false,
  },
} as const;

type FindDeadlock = Find<typeof messages, typeof advice>;

/** Names for the advice: the webhook to change is the one that refuses the Pods, which may be another one of theirs. */
const namesOfBlock = (callout: Callout, { ref }: Serving, webhook: AdmissionCallout) => ({
  ...affectedNames(ref),
  ...(webhook === callout
    ? {}
    : {
        blocker: webhook.webhook,
        kind: webhook.ref.kind.toLowerCase(),
        configuration: webhook.configuration,
      }),
});

/** Reports an error about the Pods that names a webhook of theirs: it blocks new ones. */
function refusedNow(
  backend: Backend,
  serving: Serving,
  facts: DeadlockFacts,
  find: FindDeadlock,
): Finding | undefined {
  const guards = guardsServedBy(serving, facts);
  if (guards.length === 0) return undefined;
  const { reported, otherwiseBroken } = progressOf(backend, serving, facts);
  return firstResult(reported, (evidence) => {
    const isOfPod = evidence.object.kind === 'Pod';
    // Some Pods were created: more of them would fail in the same way.
    if (otherwiseBroken && !isOfPod) return undefined;
    const webhook = namedWebhook(evidence.value, guards);
    if (webhook === undefined) return undefined;
    const found = bootstrapOf(webhook, serving.pod, facts, serving.wanted === 0);
    // The request no longer matches: the error is older than the configuration, and the controller retries.
    if (found.outcome === 'free') return undefined;
    const matched = found.outcome === 'blocked' ? found.matched : [];
    const isBinding = isOfPod && /\bBind plugin\b|\bpods\/binding\b/.test(evidence.value);
    return find(
      isBinding ? 'unbound' : 'refused',
      { workload: serving.text, webhook: webhook.webhook },
      [evidence, ...matchEvidence(webhook, matched), dependencies(serving, webhook)],
      namesOfBlock(backend.callout, serving, webhook),
      'observed',
    );
  });
}

/** Reports that a webhook of these Pods blocks the request that they wait for. */
function stuckNow(
  backend: Backend,
  serving: Serving,
  facts: DeadlockFacts,
  find: FindDeadlock,
): Finding | undefined {
  const blocks = guardsServedBy(serving, facts).flatMap((guard) => blockBy(guard, serving, facts) ?? []);
  if (blocks.length === 0) return undefined;
  const { waitsFor } = progressOf(backend, serving, facts);
  const stuck = blocks.find(({ matched }) => matched.some(({ about }) => waitsFor.includes(about.step)));
  return (
    stuck &&
    find(
      'stuck',
      blockData(serving, stuck),
      blockEvidence(serving, stuck),
      namesOfBlock(backend.callout, serving, stuck.webhook),
    )
  );
}

/** Reports a present deadlock: no Pod is left, and a webhook that these Pods serve blocks new ones. */
const now = firstReported(refusedNow, stuckNow);

/** The field of the API that a step of matching uses. */
const fieldOf: Readonly<Record<UndecidedStep, string>> = {
  'virtual-resource': 'the resource',
  'admission-configuration': 'the resource',
  'namespace-selector': 'its namespaceSelector',
  'object-selector': 'its objectSelector',
  rules: 'its rules',
  'match-conditions': 'its matchConditions',
  platform: exclusionsOfPlatform.file,
};

/** Predicts whether the webhook blocks the Pods that serve it. */
function later(
  webhook: AdmissionCallout,
  { serving, isDown }: { readonly serving: Serving; readonly isDown: boolean },
  facts: ModelFacts,
  find: FindDeadlock,
): Finding | undefined {
  const found = bootstrapOf(webhook, serving.pod, facts, serving.wanted === 0);
  if (found.outcome === 'free') return undefined;
  if (found.outcome === 'unknown') {
    const by = listed(new Set(found.undecided.map((one) => fieldOf[one.by])));
    const requests = requestsText(found.undecided.map(({ about }) => about));
    return find(
      'untold',
      { requests, workload: serving.text, webhook: webhook.webhook, by },
      [],
      affectedNames(serving.ref),
    );
  }
  const block = { webhook, matched: found.matched };
  return find(
    isDown ? 'beside' : 'would',
    blockData(serving, block),
    blockEvidence(serving, block),
    affectedNames(serving.ref),
  );
}

/**
 * Reports a deadlock of a webhook by URL. Whether it blocks its own Pods is derived from the template of the
 * workload that listens there.
 */
function atItsUrl(
  { callout, hosts }: HostedByUrl,
  facts: DeadlockFacts,
  find: FindDeadlock,
): Finding | undefined {
  const refusals = facts.failedCreateEvents.known('FailedCreate') ? refusedBy(callout, facts) : [];
  for (const serving of hosts) {
    const refusal = refusals.find(
      ({ workload, blame: { error } }) =>
        error.kind !== 'denial' && refText(workload) === refText(serving.ref),
    );
    const block = blockBy(callout, serving, facts);
    if (block === undefined) continue;
    if (refusal === undefined)
      return find(
        'would',
        blockData(serving, block),
        blockEvidence(serving, block),
        affectedNames(serving.ref),
      );
    const data = { workload: serving.text, webhook: callout.webhook };
    const detail = { object: serving.ref, field: 'Event FailedCreate', value: refusal.event.message ?? '' };
    const found = find(
      'refused',
      data,
      [detail, ...matchEvidence(callout, block.matched), dependencies(serving, callout)],
      affectedNames(serving.ref),
      'observed',
    );
    // Each API server connects to its own host: those that still have such a Pod get a response.
    const none = serving.wanted === undefined || refusal.missing >= serving.wanted;
    return { ...found, consequence: none ? 'failing' : 'degraded' };
  }
  return undefined;
}

/**
 * Reports a deadlock: no node is set up, because a webhook of these Pods refuses the updates that end the set-up. What
 * else keeps a controller from such an update comes first on a node that was Ready before.
 */
function newNodeDeadlock(
  backend: Backend,
  serving: Serving,
  facts: DeadlockFacts,
  find: FindDeadlock,
): Finding | undefined {
  return firstResult(guardsServedBy(serving, facts), (webhook) => {
    const wait = blockedSupplyDeadlock(webhook, backend, serving, facts);
    if (wait?.supply !== 'taints' || !namesNewNode(wait.evidence[0]?.value ?? '')) return undefined;
    return find('newNodes', wait.data, wait.evidence, namesOfBlock(backend.callout, serving, webhook));
  });
}

export const bootstrapDeadlock = defineCheck({
  meta: {
    id: 'bootstrap-deadlock',
    title: 'Deadlock: webhook is required to start its own Pods',
    severity: 'error',
    implies: 'no-way-back',
    why: 'The API server exempts no namespace: while no Pod of the webhook responds, failurePolicy Fail refuses everything that its rules match. That includes the creation, binding and status of its own Pods, and the Pods of network, storage and DNS that they need. Only static Pods still start.',
    advice,
    messages,
    preventsReadiness: true,
    references: [
      '/docs/concepts/cluster-administration/admission-webhooks-good-practices/#avoid-self-mutation',
      '/docs/concepts/cluster-administration/admission-webhooks-good-practices/#avoid-dependency-loops',
    ],
  },
  requires: required,
  subjects: (facts): readonly (Backend | HostedByUrl)[] => [
    ...backends(facts).filter(hasSelector),
    ...hostedByUrl(facts),
  ],
  run(backend, facts, find) {
    if ('hosts' in backend) return atItsUrl(backend, facts, find);
    const isDown = usableBehind(backend, facts).length === 0;
    const { callout } = backend;
    const rejectingWebhook = isAdmission(callout) && !failsOpen(callout) ? callout : undefined;
    if (!isDown && rejectingWebhook === undefined) return undefined;
    const servings = servingOf(backend.service, facts);
    const first = <T>(look: (serving: Serving) => T | undefined) => firstResult(servings, look);
    if (isDown) {
      const starving = first((serving) => waitsForBlockedSupply(backend, serving, facts));
      if (starving !== undefined)
        return find('starved', starving.data, starving.evidence, affectedNames(starving.ref), 'observed');
      const found = first((serving) => now(backend, serving, facts, find));
      if (found !== undefined) return found;
      const setUp = first((serving) => newNodeDeadlock(backend, serving, facts, find));
      if (setUp !== undefined) return setUp;
    }
    if (rejectingWebhook === undefined) return undefined;
    const own = first((serving) => later(rejectingWebhook, { serving, isDown }, facts, find));
    if (own !== undefined) return own;
    if (isDown) {
      const wait = first((serving) => blockedSupplyDeadlock(rejectingWebhook, backend, serving, facts));
      if (wait?.supply === 'taints') return find('taints', wait.data, wait.evidence);
      return wait && find(wait.supply, wait.data, wait.evidence);
    }
    const supplies = first((serving) => {
      const found = predictedSupplyDeadlock(rejectingWebhook, serving, facts);
      return found.length === 0 ? undefined : found;
    });
    return supplies?.map(({ needed, data, evidence, ref }) =>
      needed === 'surely'
        ? find('wouldStarve', data, evidence, affectedNames(ref))
        : find('mightStarve', { ...data, only: needed.only }, evidence, affectedNames(ref)),
    );
  },
});
