import type { ChangeNote } from '../facts/change-record.ts';
import type { ObjectRef } from '../facts/object-ref.ts';
import type { ClusterInfo } from '../facts/snapshot.ts';
import type { AllowRule } from '../facts/unread.ts';
import type { ChangeOperation } from './plan.ts';

/**
 * `unknown`: a request without a clear answer; nobody knows yet whether it was carried out. `applied`: the API server
 * said so, but it was not, or not well, looked at afterwards (`why`).
 */
export type ChangeState = 'planned' | 'applied' | 'verified' | 'refused' | 'undone' | 'unknown';

/** One field or object that a change touches. */
export interface StepReport {
  readonly object: ObjectRef;
  readonly operation: ChangeOperation;
  /** JSON Pointer; absent for whole objects. */
  readonly path?: string;
  /** Absent: the field, or the object, was absent. */
  readonly before?: unknown;
  readonly after?: unknown;
}

/** One change: planned, made, refused or taken back. */
export interface ChangeEntry extends ChangeNote {
  readonly id: string;
  readonly remedy: string;
  readonly summary: string;
  readonly steps: readonly StepReport[];
  readonly state: ChangeState;
  readonly why?: string;
  /** RFC 3339. */
  readonly at: string;
  /** RFC 3339: when it is meant to be taken back. */
  readonly until?: string;
  /** What to know before answering yes. */
  readonly warnings?: readonly string[];
  /** A unified diff of all objects. */
  readonly diff?: string;
  /** A patch for the repository in which the object is declared, as YAML: nothing was changed here. */
  readonly print?: string;
  /** What was looked at afterwards, and what came of it. */
  readonly checked?: readonly string[];
  /** Rights that were missing. */
  readonly allow?: readonly AllowRule[];
  /** Where it is written down: this machine's journal, the cluster itself. */
  readonly knownBy?: readonly ('journal' | 'cluster')[];
  /** What takes it back. */
  readonly undo?: string;
}

/** The report of everything that changes something: what `-o json` prints (docs/schema). */
export interface ChangeReport {
  readonly apiVersion: 'kubectl-webhook/v1';
  readonly kind: 'ChangeReport';
  /** RFC 3339. */
  readonly takenAt: string;
  readonly cluster: ClusterInfo;
  readonly changes: readonly ChangeEntry[];
  /** Where records of changes may be that could not be looked at. */
  readonly notLookedAt?: readonly { readonly what: string; readonly why: string }[];
}
