import type { ObjectRef } from './object-ref.ts';

/** A request that the API server forbids to a ServiceAccount. */
export interface Forbidden {
  /** `namespace/name` of the ServiceAccount. */
  readonly account: string;
  readonly verb: string;
  /** With its group, where it has one: `deployments.apps`. */
  readonly resource: string;
  /** Undefined: at the cluster scope. */
  readonly namespace: string | undefined;
}

/** A line of a container's log in which the API server forbids its ServiceAccount something. */
export interface RbacDenial {
  readonly pod: ObjectRef;
  readonly container: string;
  readonly line: string;
  readonly forbidden: Forbidden;
}
