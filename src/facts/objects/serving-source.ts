import { defined } from '../../basics/collections.ts';
import { type VolumeSource, volumeSources } from '../workloads/volume-sources.ts';
import type { Container, KeyToPath, Pod, Volume } from './pod.ts';

/** The source of the serving certificate of a Pod, as far as its spec shows. */
export interface ServingSource {
  readonly kind: VolumeSource['kind'];
  /** Name of the Secret or ConfigMap in the Pod's namespace, or of the CSI driver. */
  readonly name: string;
  readonly volume: string;
  readonly container: string;
  readonly mountPath: string;
  /** The key of the certificate, and the key of its private key, if an argument has the file names. */
  readonly certificateKey?: string;
  readonly privateKeyKey?: string;
  /** The Pod starts without it. */
  readonly optional: boolean;
  /** The reason for this source: a path in arguments or environment, a default path, or its name. */
  readonly because: 'argument' | 'well-known-path' | 'name';
}

interface Mounted extends Omit<ServingSource, 'certificateKey' | 'privateKeyKey' | 'because'> {
  readonly subPath?: string;
  readonly items?: readonly KeyToPath[];
}

function mountsOf(container: Container, volumes: readonly Volume[]): readonly Mounted[] {
  return (container.volumeMounts ?? []).flatMap(({ name: volume, mountPath, subPath }) =>
    volumes
      .filter(({ name }) => name === volume)
      .flatMap(volumeSources)
      .flatMap(({ kind, name, items, optional }): readonly Mounted[] =>
        name === undefined
          ? []
          : [
              {
                kind,
                name,
                volume,
                container: container.name,
                mountPath: mountPath.replace(/\/+$/, ''),
                ...defined({ subPath, items }),
                optional: optional === true,
              },
            ],
      ),
  );
}

/** A path in a flag or an environment variable of the process. */
interface PathOption {
  readonly by: string;
  readonly path: string;
}

/** `--flag=/path`, `--flag /path`, and variables with a path in them. */
function pathOptionsOf({ command = [], args = [], env = [] }: Container): readonly PathOption[] {
  const words = [...command, ...args];
  const flags = words.flatMap((word, at): readonly PathOption[] => {
    const [, name, value] = /^--?([\w.-]+)[= ](\/.*)$/s.exec(word) ?? [];
    if (name !== undefined && value !== undefined) return [{ by: name, path: value }];
    const next = words[at + 1];
    return /^--?[\w.-]+$/.test(word) && next?.startsWith('/')
      ? [{ by: word.replace(/^-+/, ''), path: next }]
      : [];
  });
  const variables = env.flatMap(({ name, value }) =>
    value?.startsWith('/') ? [{ by: name, path: value }] : [],
  );
  return [...flags, ...variables];
}

/** Kubebuilder's metrics endpoint has its own certificate: `--metrics-cert-path`, volume `metrics-certs`. */
const aboutMetrics = (text: string): boolean => /metrics/i.test(text);

/** True for settings of the serving certificate, not of trusted CAs, client certificates or metrics. */
const aboutServing = ({ by }: PathOption): boolean =>
  /cert|tls|ssl|crt|pki|key/i.test(by) &&
  !aboutMetrics(by) &&
  !/client|kubeconfig|(^|[-_.])ca([-_.]|$)|cafile|ca-?cert|root|token/i.test(by);

/** The default directories of libraries: controller-runtime, k8s.io/apiserver. */
const wellKnownPaths = ['/tmp/k8s-webhook-server/serving-certs', '/apiserver.local.config/certificates'];

const servingName = /cert|tls|ssl|webhook|serving|pki/i;
const isPlatform = ({ kind, name }: Mounted): boolean => kind === 'ConfigMap' && name === 'kube-root-ca.crt';

const isKey = (file: string): boolean => /key/i.test(file) && !/keystore/i.test(file);

/** The key of the Secret for a file of the mount; undefined for the directory itself. */
function keyBehind({ mountPath, subPath, items }: Mounted, path: string): string | undefined {
  const file = subPath ?? (path === mountPath ? undefined : path.slice(mountPath.length + 1));
  if (file === undefined || file === '') return undefined;
  return items?.find((item) => item.path === file)?.key ?? (items === undefined ? file : undefined);
}

const within = ({ mountPath }: Mounted, path: string): boolean =>
  path === mountPath || path.startsWith(`${mountPath}/`);

const isFile = (name: string): boolean => /\.(crt|cert|cer|pem|key|p12|pfx|jks)$/i.test(name);

function source(
  mounted: Mounted,
  because: ServingSource['because'],
  named: readonly PathOption[],
): ServingSource {
  const { kind, name, volume, container, mountPath, optional } = mounted;
  const files = named
    .filter(({ path }) => within(mounted, path))
    .flatMap(({ path }) => keyBehind(mounted, path.replace(/\/+$/, '')) ?? [])
    .filter(isFile);
  const [certificateKey] = files.filter((file) => !isKey(file));
  const [privateKeyKey] = files.filter(isKey);
  return {
    kind,
    name,
    volume,
    container,
    mountPath,
    ...defined({ certificateKey, privateKeyKey }),
    optional,
    because,
  };
}

/** The containers that declare the port; all of them if none does. */
function offering(pod: Pick<Pod, 'spec'>, port: number | string | undefined): readonly Container[] {
  const containers = [
    ...pod.spec.containers,
    ...(pod.spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always'),
  ];
  const named = containers.filter(({ ports }) =>
    ports?.some(({ containerPort, name }) => containerPort === port || name === port),
  );
  return named.length > 0 ? named : containers;
}

/**
 * The sources of the serving certificate of the process behind a port: files in its arguments or environment,
 * else default directories of libraries, else mounts with a matching name. Empty if there is none: the
 * process may generate its certificate itself.
 *
 * @param port the Pod's port behind the Service's, or its name.
 */
export function servingSources(
  pod: Pick<Pod, 'spec'>,
  port: number | string | undefined,
): readonly ServingSource[] {
  const found = offering(pod, port).flatMap((container) => {
    const paths = pathOptionsOf(container).filter(aboutServing);
    return mountsOf(container, pod.spec.volumes ?? [])
      .filter((mounted) => !isPlatform(mounted))
      .map((mounted) => ({ mounted, named: paths }));
  });
  const sources = found.flatMap(({ mounted, named }): readonly ServingSource[] => {
    if (named.some(({ path }) => within(mounted, path))) return [source(mounted, 'argument', named)];
    if (wellKnownPaths.includes(mounted.mountPath)) return [source(mounted, 'well-known-path', [])];
    const words = [mounted.name, mounted.volume, mounted.mountPath].join(' ');
    return mounted.kind !== 'ConfigMap' && servingName.test(words) ? [source(mounted, 'name', [])] : [];
  });
  for (const because of ['argument', 'well-known-path', 'name'] as const) {
    const best = sources.filter((one) => one.because === because);
    if (best.length === 0) continue;
    const others = best.filter(
      ({ name, volume, mountPath }) => !aboutMetrics(`${name} ${volume} ${mountPath}`),
    );
    const chosen = others.length > 0 ? others : best;
    return [...new Map(chosen.map((one) => [`${one.kind} ${one.name}`, one])).values()];
  }
  return [];
}
