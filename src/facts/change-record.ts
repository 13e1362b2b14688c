import { defined, parsedJson } from '../basics/collections.ts';
import { oldestFirst } from '../basics/time.ts';
import type { ObjectRef } from './object-ref.ts';
import type { Metadata } from './objects/metadata.ts';

/** Notes of the user about a change. */
export interface ChangeNote {
  /** `--reason`, as typed. */
  readonly reason?: string;
  /** The user in the API server who made it. */
  readonly by?: string;
}

/** The note in the record of a change. */
export const noteOf = ({
  reason,
  by,
}: { readonly [name in keyof ChangeNote]: string | undefined }): ChangeNote => ({
  ...defined({ reason, by }),
});

/** What every record and report of a change has. */
export interface ChangeHead extends ChangeNote {
  readonly id: string;
  /** Id of the remedy: `failopen`. */
  readonly remedy: string;
  /** RFC 3339. */
  readonly at: string;
  /** RFC 3339: when the change should be undone. */
  readonly until?: string;
}

/**
 * The record of a change by this program, in an annotation of the object: enough to undo the change from any
 * machine. One annotation per change, `kubectl-webhook/change-ID`, with the record as JSON.
 */
export interface ChangeRecord extends ChangeHead {
  readonly steps: readonly RecordedStep[];
  /** `Kind namespace/name` of the other objects of the same change. */
  readonly also?: readonly string[];
}

/** One step on the object that contains the record, or on another object of the same change. */
export interface RecordedStep {
  /** `patch`, `scale`, `restart` or `create`; `delete` if another object contains the record. */
  readonly op: string;
  /** The object, if another one contains its record. */
  readonly object?: ObjectRef;
  /** UID of that object. */
  readonly uid?: string;
  /** JSON Pointer; absent for complete objects. */
  readonly path?: string;
  readonly subresource?: 'status';
  /** `webhooks[].name`, if the path is in that webhook: its index may change. */
  readonly webhook?: string;
  /** Absent: the field was absent. */
  readonly before?: unknown;
  /** Absent: the field was removed. */
  readonly after?: unknown;
}

const prefix = 'kubectl-webhook/change-';

/** The annotation that contains the record of a change. */
export const recordKey = (id: string): string => `${prefix}${id}`;

/** The record as the value of the annotation; its key has the id. */
export const recordText = ({ id: _, ...record }: ChangeRecord): string => JSON.stringify(record);

function isStep(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { op, object } = value as RecordedStep;
  const named = object === undefined || (typeof object?.kind === 'string' && typeof object.name === 'string');
  return typeof op === 'string' && named;
}

function parsed(id: string, text: string): ChangeRecord | undefined {
  const value = parsedJson(text) as Partial<ChangeRecord> | null | undefined;
  if (typeof value?.remedy !== 'string' || typeof value.at !== 'string') return undefined;
  if ([value.reason, value.by].some((one) => one !== undefined && typeof one !== 'string')) return undefined;
  if (!Array.isArray(value.steps) || !value.steps.every(isStep)) return undefined;
  if (value.also !== undefined && !Array.isArray(value.also)) return undefined;
  return { ...(value as ChangeRecord), id };
}

/** The records in an object, oldest first. Records that cannot be parsed are skipped. */
export function changeRecords({ annotations = {} }: Pick<Metadata, 'annotations'>): readonly ChangeRecord[] {
  const own = Object.entries(annotations).filter(([key]) => key.startsWith(prefix));
  return oldestFirst(own.flatMap(([key, text]) => parsed(key.slice(prefix.length), text) ?? []));
}

/** True if the recorded change made this webhook fail open. */
export const opens = ({ steps }: ChangeRecord, webhook: string): boolean =>
  steps.some(
    (step) =>
      step.webhook === webhook && step.after === 'Ignore' && step.path?.endsWith('/failurePolicy') === true,
  );
