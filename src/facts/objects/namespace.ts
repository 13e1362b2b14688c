import type { Condition, Metadata } from './metadata.ts';

/** core/v1 Namespace. */
export interface Namespace {
  readonly metadata: Metadata;
  readonly status?: { readonly phase?: 'Active' | 'Terminating'; readonly conditions?: readonly Condition[] };
}
