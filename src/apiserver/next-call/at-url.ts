import type { Callout } from '../../facts/callout.ts';
import { trustOf } from '../certificate/anchors.ts';
import { isOfTheWay } from '../connection/meeting.ts';
import { endedEarly, observed, probesOf } from '../connection/observe.ts';
import type { CallFacts } from './call-facts.ts';
import { failing, type NextCall, seen, succeeds, unknown } from './call-fate.ts';

/**
 * A URL as we reached it, from where we are. What the server says holds for the API server, too; that nothing answers us
 * may be our own network.
 */
export function atUrl(callout: Callout, facts: CallFacts): NextCall {
  const probes = probesOf(callout, facts);
  const early = probes && endedEarly(probes.url === undefined ? [] : [probes.url], probes.notTried);
  if (early !== undefined) return { ...unknown, unread: early };
  if (probes?.url === undefined) return unknown;
  const meeting = observed(callout, facts)[0]?.meeting;
  if (meeting === undefined || meeting.outcome === 'undecided') return unknown;
  // Whether the API server's own roots take the certificate, nobody here sees.
  if (meeting.outcome !== 'fails')
    return trustOf(callout, facts.version)?.kind === 'system-roots' ? unknown : seen(succeeds);
  const { link, sentence, fault } = meeting;
  if (isOfTheWay(fault)) return unknown;
  return seen(failing('fails', link, sentence === undefined ? [] : [sentence], sentence !== undefined));
}
