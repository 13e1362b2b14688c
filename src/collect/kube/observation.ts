/** One request that was made, for `-v` and for measuring. Holds no header, so no credential. */
export interface Observation {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Undefined: there was no answer. */
  readonly status: number | undefined;
  /** Of the body, as it came over the wire. */
  readonly bytes: number;
  readonly milliseconds: number;
}

/** Called after every request. */
export type Observe = (observation: Observation) => void;
