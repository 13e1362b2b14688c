import type { TextClass } from '../apiserver/sentences/component-texts.ts';
import type { NotLookedAt } from '../facts/unread.ts';

/** A check whose failing state may stand behind a text. */
export interface LikelyCause {
  readonly check: string;
  readonly title: string;
  /** 1 is the likeliest. */
  readonly likely: number;
  /** Checks that stand behind it where it only follows, in no order of likelihood. */
  readonly behind?: readonly string[];
}

/** One recognised text. */
export interface ExplainedText {
  /** The part of the input that was recognised. */
  readonly text: string;
  readonly class: TextClass;
  /** The webhook's own name, where the text has it. */
  readonly webhook?: string;
  /** As doctor takes it; only where a cluster was looked at. */
  readonly configuration?: string;
  readonly service?: { readonly namespace: string; readonly name: string };
  /** `group/version` of a conversion or an aggregated API, and the kind that was to be converted. */
  readonly groupVersion?: string;
  readonly objectKind?: string;
  readonly link: string;
  readonly means: string;
  /** What the webhook said when it denied the request. */
  readonly denial?: string;
  readonly causes: readonly LikelyCause[];
  /** What to run next, in this order. */
  readonly commands: readonly string[];
}

/** The webhook or APIService of a text or a log in the cluster, now. */
export interface ClusterFinding {
  /** As the text names it. */
  readonly name: string;
  readonly callout: string;
  readonly state: string;
  readonly link?: string;
  readonly error?: string;
  /** Check ids, the cause first; empty when it is healthy. */
  readonly because: readonly string[];
  /** The message of the finding that is the cause. */
  readonly message?: string;
}

/** What a pasted text means: the document that `-o json` prints. */
export interface Explanation {
  readonly apiVersion: 'kubectl-webhook/v1';
  readonly kind: 'Explanation';
  /** RFC 3339. */
  readonly takenAt: string;
  readonly matches: readonly ExplainedText[];
  /** Records beyond the most that are read; absent where all were. */
  readonly notRead?: number;
  /** Where nothing was recognised: the known text that has the most words in common. */
  readonly nearest?: { readonly says: string; readonly means: string };
  /** Of the first match that the cluster holds. */
  readonly cluster?: ClusterFinding;
  /** The other webhooks and APIServices that matches name. */
  readonly clusterMore?: readonly ClusterFinding[];
  /** Why no cluster was looked at, or no webhook was found in it. */
  readonly notLive?: string;
  readonly notLookedAt?: readonly NotLookedAt[];
}
