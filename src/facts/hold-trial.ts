import type { ObjectRef } from './object-ref.ts';

/** The outcome for the object: it was held like the Pod, it was not changed, or unknown with the reason. */
export type TrialOutcome =
  | { readonly outcome: 'parks' }
  | { readonly outcome: 'leaves' }
  | { readonly outcome: 'untold'; readonly why: string };

/** An object as it was before it was held, tried out again; nothing was stored. */
export interface HoldTrial {
  /** The responses of the webhooks that may have held it to a review of it. */
  readonly answers: readonly { readonly webhook: ObjectRef; readonly tried: TrialOutcome }[];
  /** The result of a dry run through all webhooks; absent if the responses decide. */
  readonly dryRun?: TrialOutcome;
}
