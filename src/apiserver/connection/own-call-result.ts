import { type Callout, calloutId } from '../../facts/callout.ts';
import type { Evidence } from '../../facts/evidence.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { brief } from '../../phrases/brief.ts';
import { type CauseKind, timesOutConnected } from '../sentences/call-error/cause-kind.ts';
import { findCause } from '../sentences/call-error/find-cause.ts';
import { parseCallError } from '../sentences/call-error/parse-call-error.ts';
import { type OwnCallEnd, ownCallEnd } from './own-call.ts';
import { probesAt } from './probed-callouts.ts';

/** The result of the API server's own call: a dry run, or the discovery of an APIService; undefined without probes. */
export const ownEndOf = (callout: Callout, facts: Pick<Facts, 'probes'>): OwnCallEnd | undefined => {
  const probes = probesAt(callout, facts);
  return probes && ownCallEnd(callout, probes);
};

/** Its outcome only. */
export const ownCall = (callout: Callout, facts: Pick<Facts, 'probes'>): OwnCallEnd['outcome'] =>
  ownEndOf(callout, facts)?.outcome ?? 'nothing';

type FailedCall = Extract<OwnCallEnd, { readonly outcome: 'fails' }>;

/** The error with the reason for which the API server's own call failed. */
export const ownErrorOf = ({ reason, sentence }: Pick<FailedCall, 'reason' | 'sentence'>): string =>
  reason ?? sentence;

/** The same, shortened. */
export const ownDetailOf = (end: Pick<FailedCall, 'reason' | 'sentence'>): string =>
  brief(ownErrorOf(end).replace(/^.*? (?:Post|Get) "?[^\s"]*"?: /s, ''));

/** The error of the API server's own call if it has one of these causes, and the full text as evidence. */
export function ownCallEndedIn(
  callout: Callout,
  facts: Pick<Facts, 'probes'>,
  kinds: readonly CauseKind[],
): { readonly detail: string; readonly evidence: readonly Evidence[] } | undefined {
  const end = ownEndOf(callout, facts);
  if (end?.outcome !== 'fails') return undefined;
  const kind = end.reason === undefined ? parseCallError(end.sentence)?.cause?.kind : end.kind;
  if (kind === undefined || !kinds.includes(kind)) return undefined;
  return { detail: ownDetailOf(end), evidence: [{ object: callout.ref, value: ownErrorOf(end) }] };
}

/** The same for a call that may not have been connected: a timeout of the response shows a connection. */
export function ownCallUnconnected(
  callout: Callout,
  facts: Pick<Facts, 'probes'>,
  kinds: readonly CauseKind[],
) {
  const end = ownCallEndedIn(callout, facts, kinds);
  return end?.evidence.some(({ value }) => timesOutConnected(findCause(value)?.symptom)) ? undefined : end;
}

/**
 * The TLS alert to the API server's own call if the handshake of a probe succeeds: the API server offers
 * fewer versions or cipher suites, for example in FIPS mode. No API returns them.
 */
export function ownAlert(callout: Callout, facts: Pick<Facts, 'probes'>, alerts: readonly string[]) {
  const found = facts.probes.get(calloutId(callout));
  const agreed = found?.replicas.flatMap(({ dialogues }) =>
    dialogues.flatMap(({ handshake }) => handshake ?? []),
  );
  const own = ownCallEndedIn(callout, facts, ['tls-alert']);
  const [first] = agreed ?? [];
  if (first === undefined || own === undefined || !alerts.some((alert) => own.detail.endsWith(alert)))
    return undefined;
  return { agreed: `${first.protocol} ${first.cipher}`, evidence: own.evidence };
}
