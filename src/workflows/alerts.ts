import { alertRules, type RuleGroup } from '../alerts/alert-rules.ts';
import { attempts } from '../collect/attempts.ts';
import { collectBase } from '../collect/base.ts';
import type { ClusterReader } from '../collect/cluster-reader.ts';
import type { Unread } from '../facts/unread.ts';
import { chooseCallouts, hidesCallouts } from './choose-callouts.ts';

export { prometheusRule } from '../alerts/alert-rules.ts';

/** Alerting rules, and what they may lack. */
export interface Alerts {
  readonly groups: readonly RuleGroup[];
  /** Callouts that could not be listed have no rules. */
  readonly notLookedAt: readonly Unread[];
}

/** Alerting rules for the named callouts, or for all. Throws ReadError and CalloutNameError. */
export async function alerts(reader: ClusterReader, names: readonly string[]): Promise<Alerts> {
  const read = attempts(reader);
  const { callouts, withoutWebhooks } = await collectBase(read);
  const outage = read.outage();
  if (outage !== undefined) throw outage;
  return {
    groups: alertRules(chooseCallouts(callouts, names, withoutWebhooks)),
    notLookedAt: read.failed.filter(hidesCallouts),
  };
}
