import type { ClusterPart } from '../cluster/workload-manifests.ts';

/** A failure, or an unusual configuration that works. The demo shows it, and tests run it. */
export interface Scenario {
  readonly slug: string;
  /** The story in three sentences. */
  readonly story: string;
  /** A public report of the same failure. */
  readonly source?: string;
  readonly parts: readonly ClusterPart[];
  /** Doctor only finds it with `--deep`. */
  readonly deep?: true;
  /** `none` if probes would leave this machine: the host of a URL is resolved by DNS. Default: `review`. */
  readonly probe?: 'none';
}

/** The first sentence of a story: what happened. */
export const beginning = ({ story }: Scenario): string => story.slice(0, story.indexOf('. ') + 1);
