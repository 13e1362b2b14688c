import type { CauseKind, Symptom } from './cause-kind.ts';

/** The cause of a failed call, from the end of its error. Optional fields are those in the text. */
export interface CallCause {
  readonly kind: CauseKind;
  readonly symptom: Symptom;
  /** The text of the cause, up to the end. */
  readonly text: string;
  /** The address of the failed connect, or the remote end of a broken connection; IPv6 without brackets. */
  readonly address?: string;
  readonly port?: number;
  /** The Service in the resolver's error. */
  readonly service?: string;
  /** A DNS name that was looked up, and the DNS server. */
  readonly host?: string;
  readonly resolver?: string;
  /** Names in the serving certificate, and the expected name (or address). */
  readonly names?: readonly string[];
  readonly wanted?: string;
  /** Go's hint why a candidate CA was rejected, and the common name of that CA. */
  readonly hint?: string;
  readonly authority?: string;
  /** RFC 3339: the end (or start) of the validity period that the current time is after (or before). */
  readonly bound?: string;
  readonly alert?: string;
  /** HTTP status of the backend's response, if the text contains it. */
  readonly status?: number;
}

/** The type of an error. A denial is not a failure: the webhook responded, and denied the request. */
export type CallErrorKind =
  | 'call-failure'
  | 'denial'
  | 'dry-run-refused'
  | 'match-condition'
  | 'conversion'
  | 'apiservice'
  | 'timeout-504'
  | 'internal';

/** A parsed error. Every field but `kind` and `text` is set only if the text contains it. */
export interface CallError {
  readonly kind: CallErrorKind;
  /** The text without the prefixes of controllers, kubectl and loggers. */
  readonly text: string;
  readonly webhook?: string;
  /** True for a line of the API server's log with `failing open`: the request was admitted unchecked. */
  readonly failedOpen?: boolean;
  readonly service?: { readonly namespace: string; readonly name: string };
  readonly port?: number;
  readonly path?: string;
  /** Host of the called URL, if it is not a Service. */
  readonly host?: string;
  /** The call's timeout in seconds, rounded up; less than timeoutSeconds if earlier calls used time. */
  readonly timeoutSeconds?: number;
  /** Conversion: version and kind of the object to convert. APIService: its group and version. */
  readonly groupVersion?: string;
  readonly objectKind?: string;
  /** The webhook's message for a denial; the rest of a text that has no cause. */
  readonly message?: string;
  /** Absent for denials, and if the text was cut before the cause. */
  readonly cause?: CallCause;
}
