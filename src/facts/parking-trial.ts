import type { ObjectRef } from './object-ref.ts';

/** What became of the object: it was parked as the Pod is, it was left as it was, or nobody can tell, and why. */
export type Tried =
  | { readonly outcome: 'parks' }
  | { readonly outcome: 'leaves' }
  | { readonly outcome: 'untold'; readonly why: string };

/** An object as it was before it was parked, tried out again; nothing was stored. */
export interface ParkingTrial {
  /** What each webhook that may have parked it answered to a review of it. */
  readonly answers: readonly { readonly webhook: ObjectRef; readonly tried: Tried }[];
  /** What came of a dry run, through all webhooks; absent where the answers decide alone. */
  readonly dryRun?: Tried;
}
