import type { AdmissionCallout, ConversionCallout } from '../../facts/callout.ts';
import type { AdmissionRequest } from '../admission/admission-request.ts';
import type { EvaluatedResponse } from '../response/raw-response.ts';

/** The result of a call; `not-called`: it could not be made. */
export type TraceOutcome = EvaluatedResponse | { readonly outcome: 'not-called'; readonly why: string };

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
  /** The request as the webhook gets it: in its version, with the current object. */
  readonly request: AdmissionRequest;
  /** The request in its own version. */
  readonly requested: AdmissionRequest;
}

/** A call that the API server makes for a traced request. */
export type TraceCall = AdmissionCall | ConversionCall;

/** The result of a call, and its duration. */
export interface TracedResponse {
  readonly end: TraceOutcome;
  readonly seconds: number;
  /** Why the API server could get another response. */
  readonly doubt?: string;
}
