import { calledWith } from '../../../apiserver/connection/called-with.ts';
import { probedCallouts } from '../../../apiserver/connection/probed-callouts.ts';
import {
  namesText,
  probedEndpointEvidence,
  usableEndpoints,
} from '../../../apiserver/connection/probed-endpoints.ts';
import type { ProbedEndpoint } from '../../../apiserver/connection/probed-servers.ts';
import { secondsSince } from '../../../basics/time.ts';
import type { Callout } from '../../../facts/callout.ts';
import type { Pod } from '../../../facts/objects/pod.ts';
import { knownPods } from '../../../facts/workloads/replicas.ts';
import { byWorkload, workloadOfPod } from '../../../facts/workloads/workloads.ts';
import { briefEnd } from '../../../phrases/brief.ts';
import { agreeing, listed } from '../../../phrases/lists.ts';
import { denialSentence, replicaErrorText } from '../../../pods/gate-text.ts';
import { gateOf, type LeaderFacts, leaderFacts } from '../../../pods/leadership.ts';
import { podByName } from '../../../pods/listening.ts';
import { defineCheck } from '../../check.ts';

/** Summarizes an HTTP response, valid or not; undefined if there was none. Equal means equal behavior. */
function behaviour({ callResult }: ProbedEndpoint): string | undefined {
  switch (callResult.outcome) {
    case 'answers':
      return callResult.answer === undefined ? undefined : 'answers';
    case 'denies':
      return 'denies';
    case 'fails':
      return callResult.link === 'response' ? callResult.fault : undefined;
    default:
      return undefined;
  }
}

/** Seconds after which a new Pod should have filled its cache. */
const young = 120;

const images = (pods: readonly Pod[]): ReadonlySet<string> =>
  new Set(pods.flatMap(({ spec }) => spec.containers.map(({ image = '' }) => image)));
const nodes = (pods: readonly Pod[]): ReadonlySet<string> =>
  new Set(pods.map(({ spec }) => spec.nodeName ?? ''));

/** Template hashes: Pods of one workload with different hashes have different templates. */
const revisions = (pods: readonly Pod[]): ReadonlySet<string> =>
  new Set(
    pods.flatMap(({ metadata: { labels = {} } }) => {
      const hash = labels['pod-template-hash'] ?? labels['controller-revision-hash'];
      return hash === undefined ? [] : [hash];
    }),
  );

/** The owner of a Pod, as `kubectl edit` accepts it. */
function ownerArgument(pod: Pod): string {
  const { kind, name } = workloadOfPod(pod);
  return `${kind.toLowerCase()}/${name}`;
}

function difference(others: readonly Pod[], rest: readonly Pod[], takenAt: string) {
  if (others.length === 0 || rest.length === 0) return 'unexplained';
  const restWorkloads = byWorkload(rest);
  if ([...byWorkload(others).keys()].every((name) => !restWorkloads.has(name))) return 'workload';
  const restImages = images(rest);
  if ([...images(others)].some((image) => !restImages.has(image))) return 'images';
  const restRevisions = revisions(rest);
  if ([...revisions(others)].some((revision) => !restRevisions.has(revision))) return 'revision';
  const restNodes = nodes(rest);
  const [node, another] = [...nodes(others)];
  const isYoung = (pod: Pod): boolean =>
    (secondsSince(pod.metadata.creationTimestamp, takenAt) ?? young) < young;
  if (others.every(isYoung) && !rest.some(isYoung)) return 'young';
  if (node !== undefined && node !== '' && another === undefined && !restNodes.has(node)) return 'node';
  return 'unexplained';
}

/** Describes the different responses, if Pods do not respond in the same way. */
function disagreement(callout: Callout, facts: LeaderFacts, what: string) {
  const usable = usableEndpoints(callout, facts);
  const answered = usable.filter((endpoint) => behaviour(endpoint) !== undefined);
  const kinds = new Set(answered.map(behaviour));
  if (kinds.size < 2) return undefined;
  if (gateOf(callout, facts, (endpoint) => behaviour(endpoint) !== undefined) !== undefined) return undefined;
  const isRight = (endpoint: ProbedEndpoint): boolean =>
    behaviour(endpoint) === (kinds.has('answers') ? 'answers' : 'denies');
  const others = answered.filter((endpoint) => !isRight(endpoint));
  const [first] = others;
  if (first === undefined) return undefined;
  const pods = knownPods(callout, facts);
  const read = (endpoints: readonly ProbedEndpoint[]): readonly Pod[] =>
    endpoints.flatMap(({ pod }) => podByName(pod, pods) ?? []);
  const [odd, rest] = [read(others), read(answered.filter(isRight))];
  const data = {
    others: namesText(others),
    detail:
      first.callResult.outcome === 'denies'
        ? `${agreeing(others.length, 'denies', 'deny')} ${what} (${briefEnd(replicaErrorText(first))})`
        : `${agreeing(others.length, 'fails', 'fail')} (${briefEnd(replicaErrorText(first))})`,
    bad: others.length,
    total: usable.length,
    images: listed(images(odd)),
    revisions: listed(revisions(odd)),
    node: listed(nodes(odd)),
    owner: listed(byWorkload(odd).keys()),
  };
  const evidence = answered.map((endpoint) =>
    probedEndpointEvidence(callout, endpoint, replicaErrorText(endpoint)),
  );
  return {
    message: difference(odd, rest, facts.takenAt),
    data,
    evidence,
    names: { pod: first.pod, affected: odd[0] && ownerArgument(odd[0]) },
    ...denialSentence(others),
  } as const;
}

const compareLogs =
  '[look] Compare the logs of the Pods (a cache that does not sync, a configuration that was not reloaded): `kubectl -n {namespace} logs {pod}`.';

const compareAndRestart =
  `${compareLogs} [end] Then delete the Pods that differ, so that new ones start: \`kubectl -n {namespace} delete pod {pod}\`.` as const;

export const replicasDisagree = defineCheck({
  meta: {
    id: 'replicas-disagree',
    title: 'Pods respond differently to the same review',
    severity: 'warning',
    consequence: 'degraded',
    confidence: 'observed',
    why: 'The result of a request depends on the replica that receives it. The API server reuses open connections, so users can see one behavior for hours, and then the other.',
    advice:
      '[end] Bring all replicas to one version: `kubectl -n {namespace} rollout status {workload}`. [end] To undo the rollout: `kubectl -n {namespace} rollout undo {revised}`.',
    noRemedy: 'in-the-server',
    messages: {
      workload: {
        text: '{others} {detail}, unlike the other Pods: it belongs to {owner}, which the Service also selects ({bad} of {total} replicas)',
        advice:
          '[end] If that workload is not part of the webhook, add a label to the selector that its Pods do not have: `kubectl -n {namespace} edit service {service}`. [end] Otherwise bring that workload to the version of the others, or scale it to 0: `kubectl -n {namespace} edit {affected}`.',
      },
      images: '{others} {detail}, unlike the other Pods, with image {images} ({bad} of {total} replicas)',
      revision:
        '{others} {detail}, unlike the other Pods, with another Pod template ({revisions}): an unfinished rollout or another workload ({bad} of {total} replicas)',
      young: {
        text: '{others} {detail}, unlike the other Pods, after a recent start: a cache may not be synced yet ({bad} of {total} replicas)',
        advice: `[look] Run the diagnosis again in a minute: \`kubectl webhook doctor {configuration}\`. ${compareLogs}`,
      },
      node: {
        text: '{others} on node {node} {detail}, unlike the other Pods ({bad} of {total} replicas)',
        advice: compareAndRestart,
      },
      unexplained: {
        text: '{others} {detail}, unlike the other Pods of the same image ({bad} of {total} replicas)',
        advice: compareAndRestart,
      },
    },
    preventsReadiness: true,
    follows: ['selector-covers-other-workload', 'leader-gated-answer', 'leader-gated-listener'],
    references: ['/docs/concepts/workloads/controllers/deployment/#rolling-back-a-deployment'],
  },
  requires: [...leaderFacts, 'samples'],
  subjects: probedCallouts,
  run(callout, facts, find) {
    const [found] = calledWith(callout, facts).flatMap(
      (called) => disagreement(callout, called.facts, called.what) ?? [],
    );
    if (found === undefined) return undefined;
    const { message, data, evidence, names, ...sentence } = found;
    return { ...find(message, data, evidence, names), ...sentence };
  },
});
