import { leaseNamespaces } from '../facts/leader-flags.ts';
import { heldLeases } from '../facts/leaders.ts';
import type { Lookup } from '../facts/lookup.ts';
import { keyOf } from '../facts/object-ref.ts';
import type { Pod } from '../facts/objects/pod.ts';
import type { Workload } from '../facts/objects/workload.ts';
import type { Right } from '../facts/right.ts';
import { servingSources } from '../facts/serving-source.ts';
import type { Facts } from '../facts/snapshot.ts';
import { waitsForTaints } from '../facts/unnamed-taints.ts';
import { workloadsMaking } from '../facts/workloads.ts';
import type { Attempts } from './attempts.ts';
import type { BaseFacts } from './base.ts';
import { autoscalerRights, collectAutoscalers, isAtZero } from './collectors/autoscalers.ts';
import { certificateRights, collectCertificates } from './collectors/certificates.ts';
import { collectEvents, eventRights } from './collectors/events.ts';
import { namespaceOf } from './collectors/everywhere.ts';
import { collectIssuers, issuerRights } from './collectors/issuers.ts';
import { collectLeases, leaseRights, withHeldAnywhere } from './collectors/leases.ts';
import { type CrashedContainer, collectLogs, logRights } from './collectors/logs.ts';
import { collectNetworkPolicies, networkPolicyRights } from './collectors/network-policies.ts';
import { collectNodes, nodeRights } from './collectors/nodes.ts';
import {
  claimRights,
  claimsOf,
  collectPersistentVolumeClaims,
} from './collectors/persistent-volume-claims.ts';
import { collectPods, collectSinglePods, endpointPodRights, podRights } from './collectors/pods.ts';
import { collectSecrets, secretRights } from './collectors/secrets.ts';
import { collectWorkloads, type WorkloadQuestion, workloadRights } from './collectors/workloads.ts';
import type { Suspect } from './suspects.ts';

/** What {@link examine} needs. */
export const examineRights: readonly Right[] = [
  ...podRights,
  ...endpointPodRights,
  ...workloadRights,
  ...autoscalerRights,
  ...eventRights,
  ...nodeRights,
  ...leaseRights,
  ...networkPolicyRights,
  ...secretRights,
  ...claimRights,
  ...certificateRights,
  ...issuerRights,
  ...logRights,
];

/** What is read of backends beyond the first lists. */
export type Examined = Pick<
  Facts,
  | 'pods'
  | 'endpointPods'
  | 'workloads'
  | 'autoscalers'
  | 'events'
  | 'nodes'
  | 'leases'
  | 'networkPolicies'
  | 'secrets'
  | 'persistentVolumeClaims'
  | 'certificates'
  | 'issuers'
  | 'logs'
>;

/** Reads of one kind in one run: a cluster in flames must not turn the doctor into load. */
const atMost = { pods: 20, nodes: 20, secrets: 20, claims: 10, logs: 10 };

const unique = <T>(items: readonly T[]): readonly T[] => [...new Set(items)];

/** The Pods of a suspect; none where they could not be read. */
const podsOf = (pods: Lookup<readonly Pod[]>, suspect: Suspect): readonly Pod[] =>
  pods.known(suspect.key) ? (pods.get(suspect.key) ?? []) : [];

const isLiving = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp === undefined && status.phase !== 'Succeeded' && status.phase !== 'Failed';

const selects = (
  selector: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, string>> = {},
): boolean => Object.entries(selector).every(([key, value]) => labels[key] === value);

/**
 * A backend without a living Pod is explained by what should make its Pods. Where the Service is gone, all kinds of
 * workloads are looked for: whether anything is left of the installation is the question then.
 */
function workloadQuestions(
  suspects: readonly Suspect[],
  pods: Lookup<readonly Pod[]>,
  everything: boolean,
): readonly WorkloadQuestion[] {
  const unexplained = suspects.filter((suspect) => everything || !podsOf(pods, suspect).some(isLiving));
  return unique(unexplained.map(({ namespace }) => namespace)).map((namespace) => {
    const here = unexplained.filter((suspect) => suspect.namespace === namespace);
    const makes = (deployments: readonly Workload[], { service }: Suspect): boolean =>
      deployments.some(
        ({ spec }) =>
          service !== undefined && selects(service.spec.selector ?? {}, spec.template.metadata?.labels),
      );
    return {
      namespace,
      enough: (deployments) => !everything && here.every((suspect) => makes(deployments, suspect)),
    };
  });
}

/** Namespaces in which workloads count although no backend there may be in trouble. */
export interface WholeNamespaces {
  /** Their webhooks may be asked about their own Pods. */
  readonly ownPods: readonly string[];
  /** Their Pods give others a network, names or volumes. */
  readonly system: readonly string[];
}

/** One list of Deployments, of the system one of DaemonSets as well, where no question asks for more anyway. */
function withWhole(
  questions: readonly WorkloadQuestion[],
  { ownPods, system }: WholeNamespaces,
): readonly WorkloadQuestion[] {
  const isAsked = (namespace: string) => questions.some((question) => question.namespace === namespace);
  const wanted = (namespace: string) => system.includes(namespace);
  return [
    ...questions.map((question) =>
      wanted(question.namespace) ? { ...question, enough: () => false } : question,
    ),
    ...ownPods
      .filter((namespace) => !isAsked(namespace) && !wanted(namespace))
      .map((namespace) => ({ namespace, enough: () => true })),
    ...system
      .filter((namespace) => !isAsked(namespace))
      .map((namespace) => ({ namespace, enough: () => true, kinds: ['Deployment', 'DaemonSet'] as const })),
  ];
}

/**
 * Nodes that may be the reason: of a Pod that is not ready although its containers are, of which no kubelet has said
 * anything, or that does not go away.
 */
const nodeOf = ({ metadata, spec, status }: Pod): readonly string[] => {
  const ready = status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True');
  const containers = status.containerStatuses ?? [];
  const containersReady = containers.length > 0 && containers.every((container) => container.ready);
  const unspoken = status.phase === 'Pending' && containers.length === 0;
  const asksForNode = metadata.deletionTimestamp !== undefined || (!ready && (containersReady || unspoken));
  return asksForNode && spec.nodeName !== undefined ? [spec.nodeName] : [];
};

/** The first container of a Pod that ended badly and has written a log. */
const crashOf = (pod: Pod): readonly CrashedContainer[] => {
  const statuses = [...(pod.status.initContainerStatuses ?? []), ...(pod.status.containerStatuses ?? [])];
  const crashed = statuses.find(
    ({ ready, restartCount, lastState }) =>
      !ready && restartCount > 0 && (lastState?.terminated?.exitCode ?? 0) !== 0,
  );
  return crashed === undefined ? [] : [{ pod, container: crashed.name }];
};

/**
 * Secrets that a Pod mounts while it waits on its node for something; of a Pod whose process ends again and again, the
 * one with its serving certificate, for want of which processes end.
 */
function secretsOf(pod: Pod): readonly string[] {
  const { metadata, spec, status } = pod;
  const waits = status.phase === 'Pending' && spec.nodeName !== undefined;
  const mounted = waits ? (spec.volumes ?? []) : [];
  const names = mounted.flatMap(({ secret, projected }) => [
    secret?.secretName,
    ...(projected?.sources ?? []).map((source) => source.secret?.name),
  ]);
  const serving = crashOf(pod).length === 0 ? [] : servingSources(pod, undefined);
  return [...names, ...serving.flatMap(({ kind, name }) => (kind === 'Secret' ? [name] : []))].flatMap(
    (name) => (name === undefined ? [] : [keyOf({ namespace: metadata.namespace, name })]),
  );
}

/** Some replicas take calls and others wait, as those do that do not lead. */
function isPartlyReady({ slices }: Suspect): boolean {
  const ready = slices
    .flatMap(({ endpoints }) => endpoints ?? [])
    .map((one) => one.conditions?.ready !== false);
  return ready.includes(true) && ready.includes(false);
}

/** Pods that endpoints name and the selector did not bring. */
const strangers =
  (pods: Lookup<readonly Pod[]>) =>
  (suspect: Suspect): readonly string[] => {
    const known = new Set(podsOf(pods, suspect).map(({ metadata }) => keyOf(metadata)));
    return suspect.slices
      .flatMap(({ endpoints }) => endpoints ?? [])
      .flatMap(({ targetRef }) =>
        targetRef?.kind === 'Pod' && targetRef.name !== undefined
          ? [keyOf({ namespace: targetRef.namespace ?? suspect.namespace, name: targetRef.name })]
          : [],
      )
      .filter((key) => !known.has(key));
  };

/**
 * Looks closely at suspect backends: one list of Pods each, then only what those Pods call for. `everything`: all that
 * could be said about them, for callouts that a user named and for `--deep`.
 */
export async function examine(
  read: Attempts,
  base: BaseFacts,
  suspects: readonly Suspect[],
  everything: boolean,
  whole: WholeNamespaces,
  unsound: ReadonlySet<string> = new Set(),
): Promise<Examined> {
  const services = suspects.flatMap(({ service }) => service ?? []);
  const present = ({ namespace }: Suspect): boolean =>
    !base.namespaces.known(namespace) || base.namespaces.get(namespace) !== undefined;
  const troubled = suspects.filter(present);
  const namespaces = unique(troubled.map(({ namespace }) => namespace));
  const withService = unique(
    troubled.filter(({ service }) => service !== undefined).map(({ namespace }) => namespace),
  );
  const inQuestion = everything
    ? namespaces
    : unique([...unsound].map(namespaceOf).filter((name) => namespaces.includes(name)));
  // What does not depend on the Pods need not wait for them.
  const [pods, events, networkPolicies] = await Promise.all([
    collectPods(read, services),
    collectEvents(read, withService),
    collectNetworkPolicies(read, inQuestion),
  ]);
  const all = suspects.flatMap((suspect) => podsOf(pods, suspect));
  const secretKeys = unique(all.flatMap(secretsOf)).slice(0, atMost.secrets);
  const mayLead = troubled.filter((one) => inQuestion.includes(one.namespace) || isPartlyReady(one));
  const leading = mayLead.flatMap((one) => [one.namespace, ...podsOf(pods, one).flatMap(leaseNamespaces)]);
  const [endpointPods, workloads, nodes, secrets, persistentVolumeClaims, certificates, logs, nearLeases] =
    await Promise.all([
      collectSinglePods(read, unique(suspects.flatMap(strangers(pods))).slice(0, atMost.pods)),
      collectWorkloads(read, withWhole(workloadQuestions(troubled, pods, everything), whole)),
      collectNodes(read, unique(all.flatMap(nodeOf)).slice(0, atMost.nodes), all.some(waitsForTaints)),
      collectSecrets(read, secretKeys),
      collectPersistentVolumeClaims(read, unique(all.flatMap(claimsOf)).slice(0, atMost.claims)),
      collectCertificates(read, base.served, unique(secretKeys.map(namespaceOf))),
      collectLogs(
        read,
        suspects
          .flatMap((suspect) => podsOf(pods, suspect).flatMap(crashOf).slice(0, 1))
          .slice(0, atMost.logs),
      ),
      collectLeases(read, unique(leading)),
    ]);
  const leaderless = troubled
    .filter((one) => unsound.has(one.key) || isPartlyReady(one))
    .map((one) => podsOf(pods, one))
    .filter((some) => some.length > 1 && heldLeases([...nearLeases.all()].flat(), some).length === 0);
  const leases =
    leaderless.length === 0 ? nearLeases : await withHeldAnywhere(read, nearLeases, leaderless.flat());
  const ordered = [...certificates.all()].flat().filter(({ metadata, spec }) => {
    return spec.secretName !== undefined && secretKeys.includes(`${metadata.namespace}/${spec.secretName}`);
  });
  const atZero = services.filter(({ metadata: { namespace = '' }, spec: { selector } }) =>
    workloadsMaking(selector, workloads.known(namespace) ? (workloads.get(namespace) ?? []) : []).some(
      isAtZero,
    ),
  );
  const [issuers, autoscalers] = await Promise.all([
    collectIssuers(read, base.served, ordered),
    collectAutoscalers(read, unique(atZero.map(({ metadata }) => metadata.namespace ?? ''))),
  ]);
  return {
    pods,
    endpointPods,
    workloads,
    autoscalers,
    events,
    nodes,
    leases,
    networkPolicies,
    secrets,
    persistentVolumeClaims,
    certificates,
    issuers,
    logs,
  };
}
