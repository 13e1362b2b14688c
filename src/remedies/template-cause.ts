import { isDeepStrictEqual } from 'node:util';
import { podReferencesOf } from '../apiserver/held-pods/placeholder-scheduler.ts';
import type { Container, PodTemplate } from '../facts/objects/pod.ts';
import type { PodState, ReplicaState } from '../facts/pod-state.ts';

const containersOf = ({ spec }: PodTemplate): readonly Container[] => [
  ...(spec.initContainers ?? []),
  ...spec.containers,
];

/** Fields of a Pod by which a scheduler chooses its node. */
const placing: readonly string[] = [
  ...['nodeSelector', 'affinity', 'tolerations', 'topologySpreadConstraints', 'schedulerName'],
  ...['schedulingGates', 'priorityClassName', 'runtimeClassName', 'hostNetwork', 'overhead', 'resources'],
];

const volumeClaimsOf = ({ spec }: PodTemplate): readonly string[] =>
  (spec.volumes ?? []).flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []);

const placement = (template: PodTemplate): unknown => [
  Object.fromEntries(Object.entries(template.spec).filter(([field]) => placing.includes(field))),
  volumeClaimsOf(template),
  containersOf(template).map(({ resources, ports = [] }) => [
    resources,
    ports.flatMap(({ hostPort }) => hostPort ?? []),
  ]),
];

function image(template: PodTemplate, name: string | undefined): unknown {
  const { imagePullSecrets, serviceAccountName } = template.spec as {
    readonly imagePullSecrets?: unknown;
  } & PodTemplate['spec'];
  const own = containersOf(template).find((container) => container.name === name);
  return [own?.image, own?.imagePullPolicy, imagePullSecrets, serviceAccountName];
}

function configuration(template: PodTemplate, name: string | undefined): unknown {
  const { securityContext } = template.spec as { readonly securityContext?: unknown };
  return [containersOf(template).find((container) => container.name === name), securityContext];
}

/** The volumes that the sentence names; all of them where it names none. */
function volumes({ spec }: PodTemplate, text: string): unknown {
  const named = [...text.matchAll(/volume "([^"]+)"/g)].map(([, name]) => name);
  const all = spec.volumes ?? [];
  return named.length === 0 ? all : all.filter(({ name }) => named.includes(name));
}

/**
 * The part of a Pod template that can bring a Pod into a state. Whatever happens once a program runs may come from any
 * part of its Pod, but not from an annotation, as a restart or a new ConfigMap leaves one.
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
};

/** What a template cannot do without is missing for another as well, by the kubelet's or the scheduler's sentence. */
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

/** True where a Pod of the new template is in that state for something that the former template has not. */
export function isCausedByTemplate(
  state: PodState,
  { before, after }: { readonly before: PodTemplate; readonly after: PodTemplate },
  namespace: string,
): boolean {
  const part = deciding[state.state];
  if (part === undefined || isDeepStrictEqual(part(before, state), part(after, state))) return false;
  return !missesIt(before, state.text ?? '', namespace);
}
