import type { ClusterPart } from '../cluster/workload-manifests.ts';

/** One failure (or one odd set-up that works), told once: shown by the demo, run by the tests. */
export interface Scenario {
  readonly slug: string;
  /** What happened, in three sentences. */
  readonly story: readonly [string, string, string];
  /** A public report of the same failure. */
  readonly source?: string;
  readonly parts: readonly ClusterPart[];
  /** Where doctor looks only with `--deep`. */
  readonly deep?: true;
  /** `none` where probes would leave this machine: a URL is looked up in the DNS. `review` unless told. */
  readonly probe?: 'none';
}
