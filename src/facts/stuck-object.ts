import type { ObjectRef } from './object-ref.ts';
import type { Metadata } from './objects/metadata.ts';
import type { PodTemplate } from './objects/pod.ts';
import type { Unread } from './unread.ts';

/** Kinds that a search for the cause can start at. */
export const stuckObjectKinds = [
  'Deployment',
  'ReplicaSet',
  'StatefulSet',
  'DaemonSet',
  'Job',
  'Pod',
  'Namespace',
  'CustomResourceDefinition',
] as const;
export type StuckObjectKind = (typeof stuckObjectKinds)[number];

/** An object that does not get on, as a user names it. */
export interface StuckObjectName {
  readonly kind: StuckObjectKind;
  /** Absent for cluster-scoped kinds. */
  readonly namespace?: string;
  readonly name: string;
}

/** What the cluster says of an object: a condition's message, an event's. */
export interface StatusMessage {
  readonly object: ObjectRef;
  readonly field: string;
  readonly value: string;
}

/** An object that does not get on, and all that is said of it. */
export interface StuckObject {
  readonly ref: StuckObjectName;
  readonly metadata: Metadata;
  /** What it makes Pods from; for a Pod its own labels and spec. Absent where it makes none. */
  readonly template?: PodTemplate;
  /** The resource of a CustomResourceDefinition. */
  readonly resource?: {
    readonly group: string;
    readonly plural: string;
    readonly versions: readonly string[];
  };
  /** Kinds of the workloads above a Pod: `Deployment`, `ReplicaSet`. */
  readonly owners: readonly string[];
  /** Pods that it lacks; undefined where it makes none. */
  readonly missing?: number;
  /** Newest first. */
  readonly words: readonly StatusMessage[];
  /** What could not be read of it. */
  readonly unread?: Unread;
}

/** The object that a search was to start at does not exist. */
export class StuckObjectMissing extends Error {
  constructor({ kind, namespace, name }: StuckObjectName) {
    super(`there is no ${kind} "${name}"${namespace === undefined ? '' : ` in namespace ${namespace}`}`);
    this.name = 'VictimMissing';
  }
}
