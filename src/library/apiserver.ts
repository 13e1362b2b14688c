/**
 * The model of kube-apiserver for other programs: `import … from 'kubectl-webhook/apiserver'` (docs/library.md). Pure
 * functions over plain data: nothing is read, nothing is sent.
 */

import type { CallFacts } from '../apiserver/next-call/call-facts.ts';
import type { NextCall } from '../apiserver/next-call/call-outcome.ts';
import { nextCall } from '../apiserver/next-call/next-call.ts';
import { groupBy } from '../basics/collections.ts';
import type { Callout } from '../facts/callout.ts';
import {
  type ApiServiceObject,
  admissionCallouts,
  aggregatedApiCallout,
  type ConfigurationObject,
  conversionCallout,
  type DefinitionObject,
} from '../facts/callout-of.ts';
import { complete, type Lookup, nothingRead } from '../facts/lookup.ts';
import { keyOf } from '../facts/object-ref.ts';
import { type EndpointSlice, serviceNameLabel } from '../facts/objects/endpoint-slice.ts';
import { selectsPod } from '../facts/objects/label-selector.ts';
import type { Namespace } from '../facts/objects/namespace.ts';
import type { Node } from '../facts/objects/node.ts';
import type { Pod } from '../facts/objects/pod.ts';
import type { Service } from '../facts/objects/service.ts';
import type { ServedResource } from '../facts/served-resources.ts';
import { NotKnown } from '../facts/unread.ts';

export type { AdmissionRequest } from '../apiserver/admission/admission-request.ts';
export { type Match, matchRequest } from '../apiserver/admission/match.ts';
export { calledAgain, inCallOrder, type WebhookChain, webhookChain } from '../apiserver/admission/order.ts';
export { pemCertificates } from '../apiserver/certificate/parse/pem.ts';
export {
  type CertificateVerdict,
  type PresentedCertificates as Presented,
  verifyServerCertificate,
} from '../apiserver/certificate/verify/verify-server-certificate.ts';
export type { NextCall } from '../apiserver/next-call/call-outcome.ts';
export type { CallError } from '../apiserver/sentences/call-error/call-error.ts';
export { parseCallError, parseErrorEnding } from '../apiserver/sentences/call-error/parse-call-error.ts';
export type {
  AdmissionCallout,
  AggregatedApiCallout,
  Callout,
  ConversionCallout,
} from '../facts/callout.ts';

/**
 * The callouts of an object: each webhook of a Validating- or MutatingWebhookConfiguration, the conversion
 * webhook of a CustomResourceDefinition, or an APIService that a Service backs, with the API's defaults.
 * Empty for every other object.
 *
 * @param object as `kubectl get -o json` prints it.
 */
export function webhooksOf(object: { readonly kind?: string }): readonly Callout[] {
  const one = (found: Callout | undefined): readonly Callout[] => (found === undefined ? [] : [found]);
  switch (object.kind) {
    case 'ValidatingWebhookConfiguration':
      return admissionCallouts('validating', object as ConfigurationObject & object);
    case 'MutatingWebhookConfiguration':
      return admissionCallouts('mutating', object as ConfigurationObject & object);
    case 'CustomResourceDefinition':
      return one(conversionCallout(object as DefinitionObject & object));
    case 'APIService':
      return one(aggregatedApiCallout(object as ApiServiceObject & object));
    default:
      return [];
  }
}

/**
 * The objects of a cluster: complete lists, as the API server returns them. An absent list was not read:
 * results that depend on it are `unknown`. An empty list means that there are none.
 */
export interface ClusterObjects {
  /** `gitVersion`, `v1.35.4`; default: a current version. */
  readonly version?: string;
  /** RFC 3339: the time at which the objects were read, used to evaluate certificates. */
  readonly takenAt: string;
  readonly namespaces?: readonly Namespace[];
  readonly services?: readonly Service[];
  readonly endpointSlices?: readonly EndpointSlice[];
  readonly pods?: readonly Pod[];
  readonly nodes?: readonly Node[];
  /** The resources in discovery, for `matchPolicy: Equivalent`. */
  readonly served?: readonly ServedResource[];
  /** `endpoints` with `--enable-aggregator-routing=true`; the API server's default is `cluster-ip`. */
  readonly routing?: 'cluster-ip' | 'endpoints';
}

/** A cluster for {@link matchRequest} and {@link nextCall}. */
export type Cluster = CallFacts;

type Entries<V> = readonly (readonly [key: string, value: V])[];

const listed = <T, V>(
  what: string,
  items: readonly T[] | undefined,
  entries: (items: readonly T[]) => Entries<V>,
): Lookup<V> =>
  items === undefined ? nothingRead({ what, why: 'not-requested' }) : complete(entries(items));

const byKey = <T extends Service | Pod | Namespace | Node>(items: readonly T[]): Entries<T> =>
  items.map((item) => [keyOf(item.metadata), item]);

const serviceOf = ({ metadata: { namespace, labels } }: EndpointSlice): string =>
  keyOf({ namespace, name: labels?.[serviceNameLabel] ?? '' });

/** Indexes the objects of a cluster by name, once for any number of calls. */
export function clusterOf(objects: ClusterObjects): Cluster {
  const { version, takenAt, services = [], served, routing = 'cluster-ip' } = objects;
  return {
    version,
    takenAt,
    routing: { mode: routing },
    namespaces: listed('namespaces', objects.namespaces, byKey),
    services: listed('services', objects.services, byKey),
    endpointSlices: listed('endpointslices', objects.endpointSlices, (slices) => [
      ...groupBy(slices, serviceOf),
    ]),
    pods: listed('pods', objects.pods, (pods) =>
      services.map((service) => [
        keyOf(service.metadata),
        pods.filter(({ metadata }) => selectsPod(service, metadata)),
      ]),
    ),
    endpointPods: listed('pods', objects.pods, byKey),
    nodes: listed('nodes', objects.nodes, byKey),
    served: listed('served', served, (resources) => [['served', { resources, stale: [] }]]),
  };
}

/**
 * Predicts the result of the API server's next call over a new connection, and its error if it fails.
 * `unknown`, with the objects to read, if the given objects are not sufficient.
 */
function callOf(webhook: Callout, cluster: Cluster): NextCall {
  try {
    return nextCall(webhook, cluster);
  } catch (error) {
    if (error instanceof NotKnown) return { outcome: 'unknown', sentences: [], unread: error.unread };
    throw error;
  }
}

export { callOf as nextCall };
