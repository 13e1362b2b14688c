import type { HttpResponse } from '../../facts/probes.ts';
import type { ReviewVersion } from './review-shapes.ts';

/** What a backend sent back, as it came over the wire. */
export type RawResponse = HttpResponse;

/** The call that the backend answered. */
export interface ReviewContext {
  /** The webhook's name. */
  readonly webhook: string;
  readonly kind: 'mutating' | 'validating';
  /** Version of the AdmissionReview that was sent. */
  readonly version: ReviewVersion;
  /** request.uid. */
  readonly uid: string;
  /** request.object as it was sent; absent where there is none, as for DELETE. */
  readonly object?: unknown;
  /** The API server's version; a current one when not known. */
  readonly server?: string;
}

/** What the API server makes of an answer; `complete` false: only the beginning of `text` is known. */
export type JudgedResponse =
  | {
      readonly outcome: 'allowed';
      readonly warnings: readonly string[];
      readonly auditAnnotations: Readonly<Record<string, string>>;
      /** The object after a patch that changed something; what the API server then says of it is another matter. */
      readonly patched?: unknown;
      /** The patch itself, where it holds an operation. */
      readonly patch?: readonly object[];
    }
  | {
      readonly outcome: 'denied';
      /** HTTP status that the client gets. */
      readonly code: number;
      readonly reason: string;
      /** As the client reads it. */
      readonly message: string;
      readonly warnings: readonly string[];
    }
  /** Obeys failurePolicy. */
  | {
      readonly outcome: 'call-failure';
      /** `failed calling webhook "N": …`, without `Internal error occurred: `. */
      readonly text: string;
      readonly complete: boolean;
      /** The inner status that metrics count. */
      readonly code: number;
    }
  /** Stops the request whatever failurePolicy says. */
  | {
      readonly outcome: 'api-server-error';
      /** As the client reads it. */
      readonly text: string;
      readonly complete: boolean;
      /** HTTP status that the client gets; 500 unless told. */
      readonly code?: number;
    }
  /** One answer does not tell: `why` says what would. */
  | {
      readonly outcome: 'unknown';
      readonly why: string;
      /** More came than is taken here (facts/limits.ts), whatever an API server makes of it. */
      readonly beyondLimit?: true;
    };
