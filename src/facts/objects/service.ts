import type { CalloutKind } from '../callout.ts';
import type { Metadata } from './metadata.ts';

/** `spec.ports[]` of a Service (core/v1 types.go). */
export interface ServicePort {
  readonly name?: string;
  /** Default: TCP. */
  readonly protocol?: string;
  readonly port: number;
  /** A number, or the name of a container port. The API server sets it to `port` by default. */
  readonly targetPort?: number | string;
}

/** core/v1 Service. */
export interface Service {
  readonly metadata: Metadata;
  readonly spec: {
    readonly type?: 'ClusterIP' | 'NodePort' | 'LoadBalancer' | 'ExternalName';
    /** `None` for a headless Service. */
    readonly clusterIP?: string;
    readonly clusterIPs?: readonly string[];
    readonly ipFamilies?: readonly ('IPv4' | 'IPv6')[];
    readonly ports?: readonly ServicePort[];
    /** Absent or empty: endpoints are maintained manually or by another controller. */
    readonly selector?: Readonly<Record<string, string>>;
    readonly externalName?: string;
    readonly internalTrafficPolicy?: 'Cluster' | 'Local';
    readonly publishNotReadyAddresses?: boolean;
    readonly sessionAffinity?: string;
  };
}

/** A name that ends with the purpose of a port: `http-metrics`, `health-check`; not `metricsapi`, a server of APIs. */
const ofOtherPurpose =
  /(?:^|[-_])(?:metrics|prom(?:etheus)?|health(?:z|-?checks?)?|livez|readyz|probes?|pprof|debug)(?:[-_](?:https?|tcp|port))?$/i;

/** True for a port that serves no webhook, by its name: that of metrics, probes or a debugger. An APIService may be of metrics. */
export const hasOtherPurpose = (
  { name = '' }: { readonly name?: string | undefined },
  kind?: CalloutKind,
): boolean => kind !== 'aggregated-api' && ofOtherPurpose.test(name);

/** False for a Service without selector, whose endpoints Kubernetes does not maintain, and without Service. */
export const selectsPods = (service: Service | undefined): boolean =>
  Object.keys(service?.spec.selector ?? {}).length > 0;
