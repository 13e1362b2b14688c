import type { AdmissionCallout, Callout } from '../facts/callout.ts';

/** Pods that are assumed to be deleted, and backends that no longer respond. */
export interface PodLoss {
  readonly assume: 'down';
  readonly text: string;
  /** Services, by `namespace/name`, that lose all their Pods. */
  readonly services: ReadonlySet<string>;
  /** Pods, by `namespace/name`. */
  readonly pods: ReadonlySet<string>;
  /** Nodes that lose all their Pods, by name. */
  readonly nodes: ReadonlySet<string>;
  /** Ids of named webhooks, whose backends may run outside of Pods. */
  readonly callouts: ReadonlySet<string>;
}

/** A loss of no Pods. */
export const noLoss: PodLoss = {
  assume: 'down',
  text: '',
  services: new Set(),
  pods: new Set(),
  nodes: new Set(),
  callouts: new Set(),
};

/** A field of webhooks that is assumed to have another value. */
export interface Setting {
  readonly assume: 'set';
  readonly text: string;
  /** Ids. */
  readonly callouts: ReadonlySet<string>;
  readonly field: SettableField;
  /** The value in the form of the object's field. */
  readonly value: unknown;
}

/** Webhooks that are assumed to be deleted. */
export interface Deletion {
  readonly assume: 'delete';
  readonly text: string;
  /** Ids. */
  readonly callouts: ReadonlySet<string>;
}

/** Another version of the API server. */
export interface Upgrade {
  readonly assume: 'upgrade';
  readonly text: string;
  /** `v1.37.0` */
  readonly version: string;
}

/** An assumption of a what-if. */
export type Assumption = PodLoss | Setting | Deletion | Upgrade;

type AdmissionField = keyof Pick<
  AdmissionCallout,
  'failurePolicy' | 'timeoutSeconds' | 'namespaceSelector' | 'objectSelector'
>;
/** Fields of webhooks that `--set` of what-if accepts. */
export const settableFields = [
  'failurePolicy',
  'timeoutSeconds',
  'namespaceSelector',
  'objectSelector',
  'caBundle',
] as const satisfies readonly (AdmissionField | keyof Callout['client'])[];
export type SettableField = (typeof settableFields)[number];
