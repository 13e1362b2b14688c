import type { ObjectRef } from './objects.ts';

/** A request that the API server forbids to a ServiceAccount. */
export interface Forbidden {
  /** `namespace/name` of the ServiceAccount. */
  readonly account: string;
  readonly verb: string;
  /** With its group, if it has one: `deployments.apps`. */
  readonly resource: string;
  /** Undefined for the cluster scope. */
  readonly namespace: string | undefined;
  /** Of the object; absent if the request named none. A Role can permit some names only. */
  readonly name?: string;
}

/** A log line of a container with an error of the API server that forbids a request of its ServiceAccount. */
export interface RbacDenial {
  readonly pod: ObjectRef;
  readonly container: string;
  readonly line: string;
  readonly forbidden: Forbidden;
  /** The API server confirmed in this run that it is still forbidden; absent if that is not known. */
  readonly confirmed?: true;
}

/** A line of a container's log about a webhook configuration that it writes and the API server does not have. */
export interface MissingConfiguration {
  readonly pod: ObjectRef;
  readonly container: string;
  readonly line: string;
  /** `MutatingWebhookConfiguration policy`. */
  readonly missing: string;
}

/** True for a missing permission. */
export const isDenial = (one: RbacDenial | MissingConfiguration): one is RbacDenial => 'forbidden' in one;
