import type { AdmissionCallout, ConversionCallout } from '../../facts/callout.ts';
import type { AdmissionRequest } from '../admission/admission-request.ts';
import type { JudgedResponse } from '../response/raw-response.ts';

/** How a call ended; `not-called`: nobody could make it. */
export type TraceOutcome = JudgedResponse | { readonly outcome: 'not-called'; readonly why: string };

/** A conversion webhook that the API server calls before a webhook that wants another version. */
export interface ConversionCall {
  readonly phase: 'conversion';
  readonly callout: ConversionCallout;
  readonly object: object;
  /** `group/version`. */
  readonly to: string;
}

/** An admission webhook that the API server calls at one point of a request. */
export interface AdmissionCall {
  readonly phase: 'mutating' | 'validating';
  readonly callout: AdmissionCallout;
  readonly round: 0 | 1;
  /** As the webhook gets it: in its version, with the object as it is by then. */
  readonly request: AdmissionRequest;
  /** In the version in which it was made. */
  readonly requested: AdmissionRequest;
}

export type TraceCall = AdmissionCall | ConversionCall;

/** What came of a call, and how long it took. */
export interface TracedResponse {
  readonly end: TraceOutcome;
  readonly seconds: number;
  /** What makes it doubtful that the API server would be answered the same. */
  readonly doubt?: string;
}
