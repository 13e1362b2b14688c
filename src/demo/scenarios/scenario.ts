import type { ClusterPart } from '../cluster/workload-manifests.ts';

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
  readonly parts: readonly ClusterPart[];
  /** Where doctor looks only with `--deep`. */
  readonly deep?: true;
  /** `none` where probes would leave this machine: a URL is looked up in the DNS. `review` unless told. */
  readonly probe?: 'none';
  /** Callouts that are not named are healthy. */
  readonly expect: readonly ExpectedVerdict[];
  /** Check ids of findings at or above warning that are no callout's cause and do not follow from one. */
  readonly also?: readonly string[];
}

/** A scenario as it is written down: what goes without saying is left out. */
export interface ScenarioText extends Omit<Scenario, 'expect'> {
  /** The first callout of the parts fails and blocks, unless told otherwise; without any, all are healthy. */
  readonly expect?: Partial<ExpectedVerdict> | readonly Partial<ExpectedVerdict>[];
}

/** What the API server says where nobody listens. */
export const refused = 'connect: connection refused';

const prefixes: Readonly<Record<string, string>> = {
  ValidatingWebhookConfiguration: 'validating',
  MutatingWebhookConfiguration: 'mutating',
  CustomResourceDefinition: 'crd',
  APIService: 'apiservice',
};

function firstCallout(parts: readonly ClusterPart[]): string {
  const [first = ''] = parts.flatMap((part) => {
    if (!('kind' in part) || prefixes[part.kind] === undefined) return [];
    const [webhook] = (part.webhooks ?? []) as readonly { readonly name: string }[];
    return [[prefixes[part.kind], part.metadata.name, webhook?.name].filter(Boolean).join('/')];
  });
  return first;
}

/** The scenario with all that goes without saying. */
export function scenarioOf({ expect = [], ...text }: ScenarioText): Scenario {
  const expected = [expect].flat().map(({ state = 'failing', ...given }): ExpectedVerdict => {
    const effect = state === 'failing' || state === 'degraded' ? 'blocks' : 'none';
    return { callout: firstCallout(text.parts), state, effect, ...given };
  });
  return { ...text, expect: expected };
}
