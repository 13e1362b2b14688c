/** One sent request, for `-v` and for measurements. Contains no headers, so no credentials. */
export interface Observation {
  readonly method: string;
  /** Including its query. */
  readonly path: string;
  /** Undefined: there was no response. */
  readonly status: number | undefined;
  /** Bytes of the body on the wire. */
  readonly bytes: number;
  readonly milliseconds: number;
}

/** Called after every request. */
export type Observe = (observation: Observation) => void;
