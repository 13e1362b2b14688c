import { alertRules, type RuleGroup } from '../alerts/alert-rules.ts';
import type { ClusterReader } from '../collect/cluster.ts';
import { readFirst } from '../collect/planner.ts';
import { configurationsWithoutWebhooks } from '../facts/callout.ts';
import type { Unread } from '../facts/unread.ts';
import { chooseCallouts } from './selection/choose-callouts.ts';
import { inItsShare } from './time-slice.ts';

/** Alerting rules, and the reasons that some may be missing. */
export interface Alerts {
  readonly groups: readonly RuleGroup[];
  /** Webhooks and APIServices that could not be listed have no rules. */
  readonly notLookedAt: readonly Unread[];
}

/** Creates alerting rules for the named webhooks, or for all. Throws ReadError and CalloutNameError. */
export async function alerts(reader: ClusterReader, names: readonly string[]): Promise<Alerts> {
  const { facts, failed } = await readFirst(reader, ['callouts', 'configurations']);
  const chosen = chooseCallouts(facts.callouts, names, {
    withoutWebhooks: configurationsWithoutWebhooks(facts),
    unread: failed,
  });
  return inItsShare(reader, 1, 'before the rules were written', () => ({
    groups: alertRules(chosen),
    notLookedAt: failed,
  }));
}

/** The rules as a PrometheusRule of the Prometheus operator. */
export const prometheusRule = (
  groups: readonly RuleGroup[],
  metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  },
): object => ({
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'PrometheusRule',
  metadata,
  spec: { groups },
});
