import type { Part } from '../cluster/workload-manifests.ts';

/** What doctor must say of one callout. */
export interface ExpectedVerdict {
  /** `validating/CONFIGURATION/WEBHOOK`, `crd/NAME`, `apiservice/NAME`. */
  readonly callout: string;
  readonly state: 'healthy' | 'degraded' | 'failing' | 'unknown';
  readonly link?: string;
  /** Check id of the cause. */
  readonly cause?: string;
  readonly effect?: 'none' | 'blocks' | 'fails-open';
  /** Part of what the API server would say, word for word. */
  readonly error?: string;
}

/** One failure (or one odd set-up that works), told once: shown by the demo, run by the tests. */
export interface Scenario {
  readonly slug: string;
  /** What happened, in three sentences. */
  readonly story: readonly [string, string, string];
  /** A public report of the same failure. */
  readonly source?: string;
  readonly parts: readonly Part[];
  /** Where doctor looks only with `--deep`. */
  readonly deep?: true;
  /** `none` where probes would leave this machine: a URL is looked up in the DNS. `review` unless told. */
  readonly probe?: 'none';
  /** Callouts that are not named are healthy. */
  readonly expect: readonly ExpectedVerdict[];
  /** Check ids of findings at or above warning that are no callout's cause and do not follow from one. */
  readonly also?: readonly string[];
}

export const defineScenario = (scenario: Scenario): Scenario => scenario;
