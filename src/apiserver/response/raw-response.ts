import type { HttpResponse } from '../../facts/probes.ts';
import type { ReviewVersion } from './review-shapes.ts';

/** The HTTP response of a backend, unchanged. */
export type RawResponse = HttpResponse;

/** The call that the backend responded to. */
export interface ReviewContext {
  readonly webhook: string;
  readonly kind: 'mutating' | 'validating';
  readonly version: ReviewVersion;
  readonly uid: string;
  /** request.object as it was sent; absent if there is none, as for DELETE. */
  readonly object?: unknown;
  /** The API server's version; a current one when not known. */
  readonly server?: string;
}

/** How the API server handles a response; `complete` false: only the beginning of `text` is known. */
export type EvaluatedResponse =
  | {
      readonly outcome: 'allowed';
      readonly warnings: readonly string[];
      readonly auditAnnotations: Readonly<Record<string, string>>;
      /** The error in a response that allows the request nevertheless. The API server does not read it. */
      readonly ignoredError?: string;
      /** The object after a patch that changed it; the API server validates it later. */
      readonly patched?: unknown;
      /** The patch, if it has any operation. */
      readonly patch?: readonly object[];
    }
  | {
      readonly outcome: 'denied';
      /** HTTP status that the client gets. */
      readonly code: number;
      readonly reason: string;
      /** The message in the client's error. */
      readonly message: string;
      readonly warnings: readonly string[];
      /** The response has no `allowed`, so that it denies every request. */
      readonly undecided?: true;
    }
  /** A call failure: failurePolicy applies. */
  | {
      readonly outcome: 'call-failure';
      /** `failed calling webhook "N": …`, without `Internal error occurred: `. */
      readonly text: string;
      readonly complete: boolean;
      /** The inner status that metrics count. */
      readonly code: number;
      /** A valid ConversionReview, without the requested objects. */
      readonly unconverted?: true;
    }
  /** An error that rejects the request, whatever failurePolicy is. */
  | {
      readonly outcome: 'api-server-error';
      /** The message in the client's error. */
      readonly text: string;
      readonly complete: boolean;
      /** HTTP status that the client gets; default 500. */
      readonly code?: number;
    }
  /** One response does not decide the result; `why` is the reason. */
  | {
      readonly outcome: 'unknown';
      readonly why: string;
      /**
       * The response is above a limit of this program (basics/limits.ts), whatever the API server's limit is.
       */
      readonly beyondLimit?: true;
    };
