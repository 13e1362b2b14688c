import { isDeepStrictEqual } from 'node:util';
import { podReferencesOf } from '../../apiserver/held-pods/placeholder-scheduler.ts';
import type { PodTemplate } from '../../facts/objects/pod.ts';
import { allContainers } from '../../facts/workloads/pod-context.ts';
import type { PodState, ReplicaState } from '../../facts/workloads/pod-state.ts';

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
  return [
    allContainers(template).find((container) => container.name === name),
    template.spec.securityContext,
  ];
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
export function isCausedByTemplate(
  state: PodState,
  { before, after }: { readonly before: PodTemplate; readonly after: PodTemplate },
  namespace: string,
): boolean {
  const part = deciding[state.state];
  if (part === undefined || isDeepStrictEqual(part(before, state), part(after, state))) return false;
  return !missesIt(before, state.text ?? '', namespace);
}
