import type { Metadata } from './metadata.ts';

/** The label with the name of the slice's Service (discovery/v1 well_known_labels.go). */
export const serviceNameLabel = 'kubernetes.io/service-name';

/** The conditions of an endpoint, which the EndpointSlice controller sets from the Pod. */
export interface EndpointConditions {
  /** Absent means true (discovery/v1 types.go). */
  readonly ready?: boolean;
  /** Absent means true. */
  readonly serving?: boolean;
  /** Absent means false. */
  readonly terminating?: boolean;
}

/** One endpoint of a slice; addresses after the first have no meaning (discovery/v1 types.go). */
export interface Endpoint {
  readonly addresses: readonly string[];
  readonly conditions?: EndpointConditions;
  readonly targetRef?: {
    readonly kind?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly uid?: string;
  };
  readonly nodeName?: string;
}

/** discovery.k8s.io/v1 EndpointSlice. Belongs to a Service by the label `kubernetes.io/service-name`. */
export interface EndpointSlice {
  readonly metadata: Metadata;
  readonly addressType: 'IPv4' | 'IPv6' | 'FQDN';
  readonly ports?:
    | readonly { readonly name?: string; readonly protocol?: string; readonly port?: number }[]
    | null;
  readonly endpoints?: readonly Endpoint[] | null;
}

/** Written by the endpointslice controller (core/v1 EndpointsLastChangeTriggerTime). */
const lastChange = 'endpoints.kubernetes.io/last-change-trigger-time';

/** The last change of the Pods behind a Service, RFC 3339; undefined if not recorded. */
export function endpointsChangedAt(slices: readonly EndpointSlice[]): string | undefined {
  const times = slices.flatMap(({ metadata }) => metadata.annotations?.[lastChange] ?? []);
  return times.length < slices.length ? undefined : times.toSorted().at(-1);
}

/** All endpoints of slices, ready or not. */
export const endpointsIn = (slices: readonly EndpointSlice[]): readonly Endpoint[] =>
  slices.flatMap(({ endpoints }) => endpoints ?? []);

/** True if the endpoint receives calls: without the condition, it does. */
export const isReadyEndpoint = ({ conditions }: Endpoint): boolean => conditions?.ready !== false;
