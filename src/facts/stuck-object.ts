import type { ObjectRef } from './object-ref.ts';
import type { Metadata } from './objects/metadata.ts';
import type { PodTemplate } from './objects/pod.ts';
import type { Resource } from './resource.ts';
import type { Unread } from './unread.ts';

/** Kinds with known Pods or content; for objects of other kinds, only their own writes are examined. */
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

/** The name of a stuck object on the command line. */
export interface StuckObjectName {
  /** One of {@link stuckObjectKinds}, or another kind. */
  readonly kind: string;
  /** The resource of another kind; absent for {@link stuckObjectKinds}, and before discovery has resolved it. */
  readonly resource?: Resource;
  /** Absent for cluster-scoped kinds. */
  readonly namespace?: string;
  readonly name: string;
}

/** True for a kind with known Pods or content. */
export const isStuckObjectKind = (kind: string): kind is StuckObjectKind =>
  stuckObjectKinds.some((one) => one === kind);

/** The message of a condition or an Event about an object. */
export interface StatusMessage {
  readonly object: ObjectRef;
  readonly field: string;
  readonly value: string;
}

/** A stuck object, with all messages about it. */
export interface StuckObject {
  readonly ref: StuckObjectName;
  readonly metadata: Metadata;
  /** The Pod template; for a Pod its own labels and spec. Absent if it creates no Pods. */
  readonly template?: PodTemplate;
  readonly resource?: {
    readonly group: string;
    readonly plural: string;
    readonly versions: readonly string[];
  };
  /** Kinds of the workloads above a Pod: `Deployment`, `ReplicaSet`. */
  readonly owners: readonly string[];
  /** Number of missing Pods; undefined if it creates none. */
  readonly missing?: number;
  /** Newest first. */
  readonly words: readonly StatusMessage[];
  /** The failed read of the object. */
  readonly unread?: Unread;
}

/** The stuck object that was named cannot be examined; `advice` says what to type instead. */
export class StuckObjectError extends Error {
  readonly advice: string;

  constructor(message: string, advice: string) {
    super(message);
    this.advice = advice;
  }
}
