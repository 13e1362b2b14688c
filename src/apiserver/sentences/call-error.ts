import type { CauseKind, Symptom } from './cause-kind.ts';

/** Why a call ended, as its last words tell. Fields only where the words carry them. */
export interface CallCause {
  readonly kind: CauseKind;
  readonly symptom: Symptom;
  /** The words themselves, up to the end of the text. */
  readonly text: string;
  /** The address dialled, or the other end of a broken connection; IPv6 without brackets. */
  readonly address?: string;
  readonly port?: number;
  /** The Service that the resolver speaks of. */
  readonly service?: string;
  /** A DNS name that was looked up, and the resolver that was asked. */
  readonly host?: string;
  readonly resolver?: string;
  /** Names in the serving certificate, and the name (or address) that was wanted. */
  readonly names?: readonly string[];
  readonly wanted?: string;
  /** Go's hint why a candidate authority did not do, and the common name of that authority. */
  readonly hint?: string;
  readonly authority?: string;
  /** RFC 3339: the end (or start) of validity that the clock was past (or before). */
  readonly bound?: string;
  /** The TLS alert that the backend sent. */
  readonly alert?: string;
  /** HTTP status of the backend's answer, where the words tell it. */
  readonly status?: number;
}

/** What sort of error a text is. A denial is no failure: the webhook answered, and said no. */
export type CallErrorKind =
  | 'call-failure'
  | 'denial'
  | 'dry-run-refused'
  | 'match-condition'
  | 'conversion'
  | 'apiservice'
  | 'timeout-504'
  | 'internal';

/** An error text taken apart. Everything but `kind` and `text` only where the text says it. */
export interface CallError {
  readonly kind: CallErrorKind;
  /** The text without what controllers, kubectl and loggers put around it. */
  readonly text: string;
  readonly webhook?: string;
  /** True for a line of the API server's log that says `failing open`: the request went through unchecked. */
  readonly failedOpen?: boolean;
  readonly service?: { readonly namespace: string; readonly name: string };
  readonly port?: number;
  readonly path?: string;
  /** Host of the URL called, where it is no Service. */
  readonly host?: string;
  /** Seconds that were left for the call, rounded up; less than timeoutSeconds when other calls had used them. */
  readonly timeoutSeconds?: number;
  /** Conversion: version and kind of the object that was to be converted. APIService: its group and version. */
  readonly groupVersion?: string;
  readonly objectKind?: string;
  /** What the webhook said when it denied; the rest of a text that has no cause of its own. */
  readonly message?: string;
  /** Absent for denials, and where the text was cut before it told. */
  readonly cause?: CallCause;
}
