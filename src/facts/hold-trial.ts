import type { ObjectRef } from './object-ref.ts';

/** The outcome for the object: it was held like the Pod, it was not changed, or unknown with the reason. */
export type TrialOutcome =
  | { readonly outcome: 'parks' }
  | { readonly outcome: 'leaves' }
  | { readonly outcome: 'untold'; readonly why: string };

/** The result of sending an object as it was before it was held to webhooks again; nothing was stored. */
export interface HoldTrial {
  /** The responses of the candidate webhooks to a review of it. */
  readonly answers: readonly { readonly webhook: ObjectRef; readonly tried: TrialOutcome }[];
  /** The result of a dry run through all webhooks; absent if the responses are sufficient. */
  readonly dryRun?: TrialOutcome;
}
