import type { TextClass } from '../apiserver/sentences/component-texts/component-texts.ts';
import type { CalloutState, NextCommand } from '../diagnose/report.ts';
import type { NotLookedAt } from '../facts/unread.ts';
import type { FilledAdvice } from '../phrases/advice.ts';

/** A check that may be the cause of a text. */
export interface LikelyCause {
  readonly check: string;
  readonly title: string;
  /** Rank; 1 is the likeliest. */
  readonly likely: number;
  /** If the check only reports a consequence: checks that may be its cause, in no particular order. */
  readonly behind?: readonly string[];
  /** Manual steps if this cause is the right one; absent in a scan. */
  readonly advice?: FilledAdvice;
}

/** One recognised text. */
export interface ExplainedText {
  /** The recognised part of the input. */
  readonly text: string;
  readonly class: TextClass;
  /** The webhook's own name, if the text contains it. */
  readonly webhook?: string;
  /** The name that doctor accepts; only if a cluster was examined. */
  readonly configuration?: string;
  readonly service?: { readonly namespace: string; readonly name: string };
  /** `group/version` of a conversion or an aggregated API, and the kind to be converted. */
  readonly groupVersion?: string;
  readonly objectKind?: string;
  /** The resource of a request, with its API group: `nodes.metrics.k8s.io`. */
  readonly resource?: string;
  readonly link: string;
  readonly means: string;
  /** The webhook's message in a denial. */
  readonly denial?: string;
  readonly causes: readonly LikelyCause[];
  /**
   * Public incidents with this error (docs/incidents.md), and how many of them had the likeliest cause; absent if few are
   * known, if most of them had another cause, or if more than this error decides about the causes.
   */
  readonly incidents?: { readonly known: number; readonly withLikeliest: number };
  /** The next commands, in this order. */
  readonly commands: readonly string[];
}

/** The present state of a webhook or APIService that a text or log names. */
export interface ClusterFinding {
  /** Its name in the text. */
  readonly name: string;
  readonly callout: string;
  readonly state: CalloutState;
  readonly link?: string;
  readonly error?: string;
  /** Check ids, the cause first; empty if it is healthy. */
  readonly because: readonly string[];
  /** The message of the finding that is its cause. */
  readonly message?: string;
  /** The manual steps of that finding. */
  readonly advice?: FilledAdvice;
  /** The mitigation and the fix; absent without a remedy. */
  readonly next?: readonly NextCommand[];
}

/** The explanation of a pasted text: the document that `-o json` prints. */
export interface Explanation {
  readonly apiVersion: 'kubectl-webhook/v1';
  readonly kind: 'Explanation';
  /** RFC 3339. */
  readonly takenAt: string;
  readonly matches: readonly ExplainedText[];
  /** Number of records beyond the limit, which were not read; absent if all were. */
  readonly notRead?: number;
  /** If nothing was recognised: the known text with the most words in common. */
  readonly nearest?: { readonly says: string; readonly means: string };
  /** The state of the first match that exists in the cluster. */
  readonly cluster?: ClusterFinding;
  /** The states of other webhooks and APIServices that matches name. */
  readonly clusterMore?: readonly ClusterFinding[];
  /** The reason that no cluster was examined, or that no webhook was found in it. */
  readonly notLive?: string;
  readonly notLookedAt?: readonly NotLookedAt[];
}
