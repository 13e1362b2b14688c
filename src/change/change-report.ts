import type { ChangeHead } from '../facts/change-record.ts';
import type { ClusterInfo } from '../facts/snapshot.ts';
import type { AllowRule } from '../facts/unread.ts';
import type { Edit } from './plan.ts';

/**
 * The outcome of a change. `unknown`: a request without a clear response, which may have been applied.
 * `applied`: the API server confirmed it, but it was not verified (`why`).
 */
export type ChangeState = 'planned' | 'applied' | 'verified' | 'refused' | 'undone' | 'unknown';

/** One field or object that a change touches. */
export interface StepReport extends Pick<Edit, 'object' | 'operation' | 'path'> {
  /** Absent: the field, or the object, did not exist. */
  readonly before?: unknown;
  readonly after?: unknown;
}

/** One change: planned, applied, refused or undone. */
export interface ChangeEntry extends ChangeHead {
  readonly summary: string;
  readonly steps: readonly StepReport[];
  readonly state: ChangeState;
  readonly why?: string;
  /** Warnings before the confirmation. */
  readonly warnings?: readonly string[];
  /** A unified diff of all objects. */
  readonly diff?: string;
  /** A patch for the repository in which the object is declared, as YAML: the cluster was not changed. */
  readonly print?: string;
  /** The result of the verification. */
  readonly checked?: readonly string[];
  /** Missing permissions. */
  readonly allow?: readonly AllowRule[];
  /** Where the change is recorded: the journal of this machine, the cluster. */
  readonly knownBy?: readonly ('journal' | 'cluster')[];
  /** The command that undoes the change. */
  readonly undo?: string;
}

/** The report of every command that changes something: printed by `-o json` (docs/schema). */
export interface ChangeReport {
  readonly apiVersion: 'kubectl-webhook/v1';
  readonly kind: 'ChangeReport';
  /** RFC 3339. */
  readonly takenAt: string;
  readonly cluster: ClusterInfo;
  readonly changes: readonly ChangeEntry[];
  /** Places that may have records of changes and could not be read. */
  readonly notLookedAt?: readonly { readonly what: string; readonly why: string }[];
}
