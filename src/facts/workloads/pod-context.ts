import { keyOf } from '../object-ref.ts';
import { type Event, newestEventsFirst } from '../objects/event.ts';
import type { Node } from '../objects/node.ts';
import type { Container, Pod, Volume } from '../objects/pod.ts';
import type { World } from '../snapshot.ts';
import { initStatuses } from './container-crash.ts';
import { settings } from './leaders.ts';
import { type VolumeSource, volumeSources } from './volume-sources.ts';

/** The known objects around one Pod: its node, Events and others. */
export interface PodContext {
  /** Warning events about the Pod, the latest first. */
  readonly events: readonly Event[];
  /** The node it is bound to; undefined if it was not read or does not exist. */
  readonly node?: Node | undefined;
  /** It is bound to a node that does not exist. */
  readonly isNodeDeleted: boolean;
  /** Secrets that it mounts and that do not exist. */
  readonly missingSecrets: readonly string[];
  /** The times at which the data of mounted Secrets was last written, RFC 3339. */
  readonly secretsWrittenAt: readonly string[];
  /** RFC 3339. */
  readonly takenAt: string;
}

/** The facts about the surroundings of Pods. */
export const podContextFacts = ['events', 'nodes', 'secrets'] as const;
type PodContextFacts = World<(typeof podContextFacts)[number]>;

const aboutPod =
  ({ metadata }: Pod) =>
  ({ involvedObject: about }: Event): boolean =>
    (about.kind ?? 'Pod') === 'Pod' &&
    about.name === metadata.name &&
    (about.uid === undefined || metadata.uid === undefined || about.uid === metadata.uid);

/** Init containers and containers, in the order of the spec. */
export const allContainers = ({ spec }: Pick<Pod, 'spec'>): readonly Container[] => [
  ...(spec.initContainers ?? []),
  ...spec.containers,
];

/** A ConfigMap that a container mounts, and the key of one of its files, if it is known. */
export interface ConfigurationFile {
  readonly configMap: string;
  readonly key: string | undefined;
}

const paths = /(?<![\w:/.])\/[\w./-]+/g;
const asDirectory = (path: string): string => `${path.replace(/\/+$/, '')}/`;

/** What provides a path in a container. */
export interface MountedPath {
  readonly mountPath: string;
  readonly subPath?: string;
  readonly volume: Volume | undefined;
}

/** The mount that provides a path in a container: the deepest one. Undefined if no volume does. */
export function mountOf(
  pod: Pick<Pod, 'spec'>,
  container: string | undefined,
  path: string,
): MountedPath | undefined {
  const { volumeMounts = [] } = allContainers(pod).find(({ name }) => name === container) ?? {};
  const [mount] = volumeMounts
    .filter(({ mountPath }) => `${path}/`.startsWith(asDirectory(mountPath)))
    .toSorted((a, b) => b.mountPath.length - a.mountPath.length);
  return mount && { ...mount, volume: pod.spec.volumes?.find(({ name }) => name === mount.name) };
}

/** The ConfigMaps of a volume. That of a ServiceAccount token, which Kubernetes adds, does not count. */
const configMapsOf = (volume: Volume): readonly VolumeSource[] =>
  volume.projected?.sources?.some(({ serviceAccountToken }) => serviceAccountToken !== undefined)
    ? []
    : volumeSources(volume).filter(({ kind, name }) => kind === 'ConfigMap' && name !== undefined);

/** The file of a ConfigMap at one of the paths in a text; undefined if the container mounts none there. */
export function configurationFile(
  pod: Pod,
  container: string | undefined,
  text: string,
): ConfigurationFile | undefined {
  for (const [path] of text.matchAll(paths)) {
    const mount = mountOf(pod, container, path);
    const [source, another] = mount?.volume === undefined ? [] : configMapsOf(mount.volume);
    if (mount === undefined || source?.name === undefined || another !== undefined) continue;
    const file = mount.subPath ?? path.slice(asDirectory(mount.mountPath).length);
    const key = source.items === undefined ? file : source.items.find((item) => item.path === file)?.key;
    return { configMap: source.name, key: key === '' || key?.includes('/') ? undefined : key };
  }
  return undefined;
}

const ofCertificate = /\.(?:crt|pem|key)$/;

/** The values of the settings for the configuration of a container: `--config=FILE`, `CONFIG_FILE`. */
export const configurationSettings = (container: Container): readonly string[] =>
  settings(container).flatMap(([name, value = '']) =>
    /(?<!kube)config/i.test(name) && !ofCertificate.test(value) ? [value] : [],
  );

/** True if the file, or each file of a volume, is that of a certificate. */
const areOfCertificates = (keys: readonly (string | undefined)[]): boolean =>
  keys.length > 0 && keys.every((key) => key !== undefined && ofCertificate.test(key));

/**
 * The ConfigMap with the configuration of a program that reports an error in it: at the first path of a volume in the
 * text or in its settings, else the only one that it mounts. Undefined if there is none, or several.
 */
export function configurationOf(
  pod: Pod,
  container: string | undefined,
  text: string,
): ConfigurationFile | undefined {
  const own = allContainers(pod).find(({ name }) => name === container);
  if (own === undefined) return undefined;
  const { volumeMounts = [] } = own;
  const [path] = [text, ...configurationSettings(own)]
    .flatMap((one) => one.match(paths) ?? [])
    .filter((one) => volumeMounts.some(({ mountPath }) => `${one}/`.startsWith(asDirectory(mountPath))));
  if (path !== undefined)
    return ofCertificate.test(path) ? undefined : configurationFile(pod, container, path);
  const mounted = (pod.spec.volumes ?? []).filter(({ name }) =>
    volumeMounts.some((one) => one.name === name),
  );
  const [only, ...others] = new Map(mounted.flatMap(configMapsOf).map((one) => [one.name, one])).values();
  if (only?.name === undefined || others.length > 0) return undefined;
  const values = settings(own).flatMap(([, value]) => value ?? []);
  const used = configurationFile(pod, container, values.join(' '))?.key;
  if (areOfCertificates(only.items?.map(({ key }) => key) ?? [used])) return undefined;
  return { configMap: only.name, key: only.items?.length === 1 ? only.items[0]?.key : undefined };
}

/** The name of the only ConfigMap from which the container has variables; undefined if there is none, or several. */
export function configMapOfVariables(pod: Pod, container: string | undefined): string | undefined {
  const { env = [], envFrom = [] } = allContainers(pod).find(({ name }) => name === container) ?? {};
  type Source = { readonly [K in 'configMapRef' | 'configMapKeyRef']?: { readonly name?: string } };
  const sources = [...envFrom, ...env.map(({ valueFrom }) => valueFrom)] as readonly (Source | undefined)[];
  const [name, ...others] = new Set(
    sources.flatMap((one) => one?.configMapRef?.name ?? one?.configMapKeyRef?.name ?? []),
  );
  return others.length === 0 ? name : undefined;
}

const mountedIn = (containers: readonly Container[]): ReadonlySet<string> =>
  new Set(containers.flatMap(({ volumeMounts }) => (volumeMounts ?? []).map(({ name }) => name)));

/**
 * Secrets that the Pod needs to start. The kubelet waits for a volume only if a container mounts it
 * (confirmed on a 1.35.4 kubelet), and for an optional Secret never: an init container that mounts it may.
 */
function mountedSecrets(pod: Pod): readonly string[] {
  const mounted = mountedIn(allContainers(pod));
  const running = initStatuses(pod).filter(({ state }) => state?.running !== undefined);
  const waiting = mountedIn(
    (pod.spec.initContainers ?? []).filter(({ name }) => running.some((one) => one.name === name)),
  );
  return (pod.spec.volumes ?? []).flatMap((volume) =>
    volumeSources(volume).flatMap(({ kind, name, optional = false }) =>
      kind === 'Secret' && name !== undefined && (optional ? waiting : mounted).has(volume.name)
        ? [name]
        : [],
    ),
  );
}

/** Collects the known objects around a Pod; objects that were not read are absent. */
export function podContext(pod: Pod, { takenAt, events, nodes, secrets }: PodContextFacts): PodContext {
  const { namespace = '' } = pod.metadata;
  const { nodeName } = pod.spec;
  const mounted = mountedSecrets(pod).map((name) => ({ name, key: keyOf({ namespace, name }) }));
  const node = nodeName === undefined ? undefined : nodes.getIfKnown(nodeName);
  return {
    events: newestEventsFirst((events.getIfKnown(namespace) ?? []).filter(aboutPod(pod))),
    node,
    isNodeDeleted: nodeName !== undefined && nodes.isAbsent(nodeName),
    missingSecrets: mounted.filter(({ key }) => secrets.isAbsent(key)).map(({ name }) => name),
    secretsWrittenAt: mounted.flatMap(({ key }) => secrets.getIfKnown(key)?.writers?.[0]?.at ?? []),
    takenAt,
  };
}
