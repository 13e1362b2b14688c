import { type Callout, isServiceBacked } from '../facts/callout.ts';
import type { Pod } from '../facts/objects/pod.ts';
import { type ServingSource, servingSources } from '../facts/objects/serving-source.ts';
import { requestedInjector } from './ca-injectors.ts';
import { productOf } from './of-webhook.ts';
import type { Rotation } from './product.ts';

/** Where a callout's serving certificate is stored, as far as its Pods and its known product show. */
export interface ServingMaterial {
  /** The sources in the Pods' mounts; normally the same for all Pods. */
  readonly sources: readonly ServingSource[];
  /** The rotation of the product that registers a webhook of this name. */
  readonly rotation?: Rotation;
  /** Names of Secrets in the Service's namespace that may contain it. */
  readonly secrets: readonly string[];
  /** Names of ConfigMaps there that may contain it. */
  readonly configMaps: readonly string[];
}

const filledIn = (
  pattern: string,
  { name, namespace }: { readonly name: string; readonly namespace: string },
) => pattern.replaceAll('{service}', name).replaceAll('{namespace}', namespace);

/**
 * The rotation of its known product; undefined if it is unknown, or if the caBundle is requested from a Certificate:
 * then cert-manager writes the Secret.
 */
const rotationOf = (callout: Callout): Rotation | undefined =>
  requestedInjector(callout.metadata)?.injector.names === 'Certificate'
    ? undefined
    : productOf(callout)?.rotation;

/**
 * The rotation of its known product, with the name of the Secret that the process creates or fills; undefined if it
 * is unknown, or written by the installation.
 */
export function rotatedSecret(callout: Callout): (Rotation & { readonly secret: string }) | undefined {
  const rotation = rotationOf(callout);
  return rotation?.secret === undefined || rotation.atUpgrade === true || !isServiceBacked(callout)
    ? undefined
    : { ...rotation, secret: filledIn(rotation.secret, callout.client.service) };
}

/**
 * @param pods of the callout's Service.
 * @param port the Pods' port behind the Service's, or its name.
 */
export function servingMaterial(
  callout: Callout,
  pods: readonly Pick<Pod, 'spec'>[],
  port: number | string | undefined,
): ServingMaterial {
  const rotation = rotationOf(callout);
  const kept = rotation === undefined ? {} : { rotation };
  if (!isServiceBacked(callout)) return { sources: [], secrets: [], configMaps: [], ...kept };
  const all = pods.flatMap((pod) => servingSources(pod, port));
  const sources = [...new Map(all.map((source) => [`${source.kind} ${source.name}`, source])).values()];
  const mounted = sources.filter(({ kind }) => kind === 'Secret').map(({ name }) => name);
  const configMaps = sources.filter(({ kind }) => kind === 'ConfigMap').map(({ name }) => name);
  const own = rotation?.secret === undefined ? [] : [filledIn(rotation.secret, callout.client.service)];
  return { sources, secrets: [...new Set(mounted.length > 0 ? mounted : own)], configMaps, ...kept };
}
