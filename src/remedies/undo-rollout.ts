import { isDeepStrictEqual } from 'node:util';
import type { MatchFacts } from '../apiserver/admission/match.ts';
import { foreseenByWorkload } from '../apiserver/deadlock/admission-path.ts';
import { bootstrapOf } from '../apiserver/deadlock/bootstrap.ts';
import { podReferencesOf } from '../apiserver/held-pods/placeholder-scheduler.ts';
import { type Callout, isAdmission, isServiceBacked } from '../facts/callout.ts';
import { fieldWriter } from '../facts/field-writer.ts';
import { keyOf, type Pod, type PodTemplate, type Service, type Workload } from '../facts/objects.ts';
import { allContainers, podContext } from '../facts/pod-context.ts';
import { type PodState, podState, type ReplicaState } from '../facts/pod-state.ts';
import { replicaPods } from '../facts/replicas.ts';
import type { Facts, World } from '../facts/snapshot.ts';
import { secondsSince } from '../facts/time.ts';
import { controllerOf, refOfWorkload } from '../facts/workloads.ts';
import { isRestored } from '../products/of-metadata.ts';
import { declarationPlan, serviceBehind, workloadBehind, workloadName } from './backend.ts';
import { defineRemedy } from './remedy.ts';
import { evidenceFor, isRollback, type Rollout, rolloutOf, templateOf, wasComplete } from './rollout.ts';

/** Fields of a Pod that affect scheduling. */
const placing: readonly string[] = [
  ...['nodeSelector', 'affinity', 'tolerations', 'topologySpreadConstraints', 'schedulerName'],
  ...['schedulingGates', 'priorityClassName', 'runtimeClassName', 'hostNetwork', 'overhead', 'resources'],
];

const volumeClaimsOf = ({ spec }: PodTemplate): readonly string[] =>
  (spec.volumes ?? []).flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []);

const placement = (template: PodTemplate): unknown => [
  Object.fromEntries(Object.entries(template.spec).filter(([field]) => placing.includes(field))),
  volumeClaimsOf(template),
  allContainers(template).map(({ resources, ports = [] }) => [
    resources,
    ports.flatMap(({ hostPort }) => hostPort ?? []),
  ]),
];

function image(template: PodTemplate, name: string | undefined): unknown {
  const { imagePullSecrets, serviceAccountName } = template.spec as {
    readonly imagePullSecrets?: unknown;
  } & PodTemplate['spec'];
  const own = allContainers(template).find((container) => container.name === name);
  return [own?.image, own?.imagePullPolicy, imagePullSecrets, serviceAccountName];
}

function configuration(template: PodTemplate, name: string | undefined): unknown {
  const { securityContext } = template.spec as { readonly securityContext?: unknown };
  return [allContainers(template).find((container) => container.name === name), securityContext];
}

/** What decides which servers a program starts, and on which ports. */
const program = (template: PodTemplate): unknown =>
  allContainers(template).map(({ name, image: source, command, args, env, envFrom }) => [
    name,
    source,
    command,
    args,
    env,
    envFrom,
  ]);

/** The volumes in the message; all if it contains no name. */
function volumes({ spec }: PodTemplate, text: string): unknown {
  const named = [...text.matchAll(/volume "([^"]+)"/g)].map(([, name]) => name);
  const all = spec.volumes ?? [];
  return named.length === 0 ? all : all.filter(({ name }) => named.includes(name));
}

/**
 * The part of a Pod template that can cause a state. A running program can be affected by any part of the
 * Pod's spec, but not by an annotation, which a restart or a new ConfigMap changes.
 */
const deciding: Partial<Record<ReplicaState, (template: PodTemplate, state: PodState) => unknown>> = {
  unschedulable: placement,
  'volume-missing': (template, { text = '' }) => volumes(template, text),
  'image-pull-failing': (template, { container }) => image(template, container?.name),
  'config-error': (template, { container }) => container && configuration(template, container.name),
  'init-stuck': ({ spec }) => spec,
  'crash-looping': ({ spec }) => spec,
  'out-of-memory': ({ spec }) => spec,
  'not-ready': ({ spec }) => spec,
  ready: program,
};

/** Whether the other template also needs the missing object in the message of the kubelet or scheduler. */
function missesIt(template: PodTemplate, text: string, namespace: string): boolean {
  const [, kind = '', name] =
    /\b(secret|configmap|persistentvolumeclaim) "([^"]+)" not found/i.exec(text) ?? [];
  const wanted = podReferencesOf({ metadata: { name: '', namespace }, spec: template.spec, status: {} });
  if (name !== undefined) {
    return kind.toLowerCase() === 'persistentvolumeclaim'
      ? volumeClaimsOf(template).includes(name)
      : wanted.some((one) => one.name === name && one.kind.toLowerCase() === kind.toLowerCase());
  }
  const key = /couldn't find key (\S+) in|references non-existent (?:secret|config) key: (\S+)/.exec(text);
  const missing = key?.[1] ?? key?.[2];
  return missing !== undefined && JSON.stringify(template.spec).includes(`"key":${JSON.stringify(missing)}`);
}

/** Whether a difference between the two templates can be the cause of the state. */
function isCausedByTemplate(
  state: PodState,
  { before, after }: { readonly before: PodTemplate; readonly after: PodTemplate },
  namespace: string,
): boolean {
  const part = deciding[state.state];
  if (part === undefined || isDeepStrictEqual(part(before, state), part(after, state))) return false;
  return !missesIt(before, state.text ?? '', namespace);
}

type PodFacts = World<'pods' | 'events' | 'nodes' | 'secrets'>;

interface EvaluatedPod {
  readonly pod: Pod;
  readonly state: PodState;
}

const isOf =
  ({ metadata }: Workload) =>
  ({ pod }: EvaluatedPod): boolean => {
    const owner = controllerOf(pod.metadata);
    return owner?.kind === 'ReplicaSet' && owner.name === metadata.name;
  };

/**
 * The state of the failing Pods if the new template is the cause: all of its Pods fail, and no others. Ready
 * Pods fail if they do not serve the webhook.
 */
function failingBy(
  rollout: Rollout,
  wanted: ReplicaState,
  pods: readonly EvaluatedPod[],
): PodState | undefined {
  const bad = pods.filter(({ state }) => state.state === wanted);
  const fresh = pods.filter(isOf(rollout.newest));
  const works = wanted !== 'ready' && fresh.some(({ state }) => state.state === 'ready');
  if (works || !bad.every(isOf(rollout.newest))) return undefined;
  return bad[0]?.state;
}

/**
 * Whether the Pods have started successfully once. Without a readiness probe, a program that crashes soon
 * after its start counts as available for a moment.
 */
function hadStarted(rollout: Rollout, deployment: Workload, { state, container }: PodState): boolean {
  if (!wasComplete(rollout, deployment)) return false;
  const own = deployment.spec.template.spec.containers.find(({ name }) => name === container?.name);
  const crashes = state === 'crash-looping' || state === 'out-of-memory';
  return !crashes || own?.readinessProbe !== undefined;
}

function isSecretMissing(template: PodTemplate, namespace: string, { secrets }: PodFacts): boolean {
  return podReferencesOf({ metadata: { name: '', namespace }, spec: template.spec, status: {} }).some(
    (one) => {
      const key = keyOf({ namespace, name: one.name });
      return one.kind === 'Secret' && secrets.isAbsent(key);
    },
  );
}

/**
 * The rollout that caused the state of a Service's Pods; undefined if there may be another cause. Throws
 * NotKnown.
 *
 * @param service `namespace/name`.
 */
function breakingRollout(
  deployment: Workload,
  service: string,
  wanted: ReplicaState,
  facts: PodFacts & Pick<Facts, 'workloads'>,
): Rollout | undefined {
  const { namespace = '' } = deployment.metadata;
  const after = deployment.spec.template;
  const rollout = rolloutOf(deployment, facts.workloads.get(namespace) ?? []);
  // The controller has not processed this template yet.
  if (rollout === undefined || !isDeepStrictEqual(templateOf(rollout.newest), after)) return undefined;
  const pods = replicaPods(facts.pods.get(service) ?? []).map((pod) => ({
    pod,
    state: podState(pod, podContext(pod, facts)),
  }));
  const state = failingBy(rollout, wanted, pods);
  const before = rollout.template;
  if (state === undefined || (wanted !== 'ready' && hadStarted(rollout, deployment, state))) return undefined;
  const helps =
    isCausedByTemplate(state, { before, after }, namespace) && !isSecretMissing(before, namespace, facts);
  return helps ? rollout : undefined;
}

/** The state of Pods that a check is about. */
const stateOf = {
  'replica-unschedulable': 'unschedulable',
  'replica-volume-missing': 'volume-missing',
  'replica-image-pull-failing': 'image-pull-failing',
  'replica-config-error': 'config-error',
  'replica-init-stuck': 'init-stuck',
  'replica-out-of-memory': 'out-of-memory',
  'replica-crash-looping': 'crash-looping',
  'process-cannot-start': 'crash-looping',
  'replica-readiness-failing': 'not-ready',
  // Its Pods are Ready: no state shows that they do not serve the webhook.
  'replica-not-listening': 'ready',
} satisfies Readonly<Record<string, ReplicaState>>;
const answers = Object.keys(stateOf) as readonly (keyof typeof stateOf)[];

/** True if the ports of the Service were changed more than a minute after the rollout began: that may be the cause. */
const isPortNewer = ({ metadata }: Service, { newest }: Rollout): boolean => {
  const changed = fieldWriter(metadata, ['spec', 'ports'])?.time ?? '';
  return (secondsSince(newest.metadata.creationTimestamp, changed) ?? 0) > 60;
};

/** True if the webhook itself refuses the Pods of its backend, as the former Deployment would create them. */
const isBlocked = (callout: Callout, service: Service, former: Workload, facts: MatchFacts): boolean => {
  if (!isAdmission(callout)) return false;
  return bootstrapOf(callout, foreseenByWorkload(former, service), facts).outcome === 'blocked';
};

export const undoRollout = defineRemedy({
  meta: {
    id: 'undo-rollout',
    title: 'Roll back to the Pod template of a previous revision',
    risk: 'careful',
    does: 'Does what `kubectl rollout undo` does: it restores the Pod template of the newest revision that still has ready Pods, else of the previous revision. It is offered if only Pods of the new template fail, and the change of the template explains it. The Deployment replaces its Pods. If GitOps or an operator would revert the change, the template is printed instead.',
    leaves:
      'Other changes of the new version: ConfigMaps, Secrets, CRDs, webhook configurations, migrated data. The fault itself returns with the next rollout.',
    answers,
    touches: [{ operation: 'patch', kinds: ['Deployment'] }],
  },
  requires: [
    ...['services', 'workloads', 'pods', 'events', 'nodes', 'secrets'],
    ...['namespaces', 'served', 'version'],
  ] as const,
  plan({ check, callout, breaks }, facts) {
    if (callout === undefined || !isServiceBacked(callout)) return undefined;
    const service = serviceBehind(callout, facts);
    const deployment = workloadBehind(callout, facts);
    const wanted = (stateOf as Readonly<Record<string, ReplicaState>>)[check];
    if (service === undefined || deployment?.kind !== 'Deployment' || wanted === undefined) return undefined;
    const key = keyOf(callout.client.service);
    const rollout = breakingRollout(deployment, key, wanted, facts);
    if (rollout === undefined) return undefined;
    if (wanted === 'ready' && (breaks !== true || isPortNewer(service, rollout))) return undefined;
    const { revision, template } = rollout;
    const evidence = evidenceFor(rollout, deployment);
    if (evidence === 'no' || (evidence === undefined && isRollback(rollout))) return undefined;
    const name = workloadName(deployment);
    if (deployment.spec.paused === true) {
      return {
        refused: `${name} is paused, and replaces no Pods until it is resumed: kubectl -n ${service.metadata.namespace} rollout resume deployment/${deployment.metadata.name}`,
      };
    }
    const former = { ...deployment, spec: { ...deployment.spec, template } };
    if (breaks === true && isBlocked(callout, service, former, facts)) {
      return {
        refused: `New Pods of ${name} must pass ${callout.webhook}, and it does not respond: exclude their namespace first (exclude-backend-namespace), or let it fail open.`,
      };
    }
    const plan = {
      summary: `${name} is rolled back to the Pod template of revision ${revision}`,
      warnings: [
        evidence ?? `It is unknown whether Pods of revision ${revision} worked: they no longer exist.`,
      ],
      ...(evidence === undefined ? { unsure: true as const } : {}),
    };
    const { namespace, name: own } = deployment.metadata;
    return declarationPlan(
      plan,
      deployment,
      {
        edit: {
          object: refOfWorkload(deployment),
          operation: 'patch',
          path: '/spec/template',
          expected: deployment.spec.template,
          after: template,
        },
        declared: {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: own, namespace },
          spec: { template },
        },
      },
      isRestored(deployment.metadata),
    );
  },
});
