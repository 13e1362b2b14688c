import { compareValues } from '../../basics/collections.ts';
import type { AdmissionCallout } from '../../facts/callout.ts';

/** Compares by UTF-8 bytes, as Go does: in a DNS subdomain each UTF-16 unit is one byte. */
const byBytes = compareValues<string>;

/**
 * The order in which the API server calls admission webhooks of one kind: configurations by metadata.name,
 * byte by byte; within one, the order of its list (configuration/mutating_webhook_manager.go). Webhooks of a
 * static manifest on the API server's disk (1.36 and later) are called before these, and no API returns them.
 */
export const inCallOrder = <C extends AdmissionCallout>(callouts: readonly C[]): readonly C[] =>
  callouts.toSorted((a, b) => byBytes(a.configuration, b.configuration) || a.index - b.index);

/** The webhooks of a request: mutating ones in sequence, then validating ones in parallel. */
export interface WebhookChain {
  readonly mutating: readonly AdmissionCallout[];
  readonly validating: readonly AdmissionCallout[];
}

/** The chain of the webhooks that one request is sent to. */
export function webhookChain(callouts: readonly AdmissionCallout[]): WebhookChain {
  const ordered = inCallOrder(callouts);
  return {
    mutating: ordered.filter(({ kind }) => kind === 'mutating'),
    validating: ordered.filter(({ kind }) => kind === 'validating'),
  };
}

/**
 * The mutating webhooks that are called a second time: those with reinvocationPolicy IfNeeded after which
 * another webhook changed the object, and in the second round those after another change. There is no third
 * round (admission/reinvocation.go, mutating/reinvocationcontext.go).
 *
 * @param calledFirst the webhooks called in the first round, in call order.
 * @param changedFirst true if a webhook changed the object in the first round.
 * @param changedAgain true if it did so in the second round; called after the webhook was yielded.
 */
export function* calledAgain(
  calledFirst: readonly AdmissionCallout[],
  changedFirst: (callout: AdmissionCallout) => boolean,
  changedAgain: (callout: AdmissionCallout) => boolean = () => false,
): Generator<AdmissionCallout, void> {
  const lastChange = calledFirst.findLastIndex(changedFirst);
  if (lastChange === -1) return;
  let all = false;
  for (const [index, callout] of calledFirst.entries()) {
    if (callout.reinvocationPolicy !== 'IfNeeded' || !(all || index < lastChange)) continue;
    yield callout;
    all ||= changedAgain(callout);
  }
}
