import { calloutId } from '../../facts/callout.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { webhookEdit, whoRevertsField } from '../backend.ts';
import { configurationKinds, defineRemedy } from '../remedy.ts';

/** Seconds that a healthy webhook needs, with a large margin. */
const enough = 5;
/** The API's default in seconds. */
const usual = 10;

/** The longest measured response time of any Pod, in seconds; undefined without measurements. */
function slowest(id: string, { probes }: Pick<Facts, 'probes'>): number | undefined {
  const probed = probes.getIfKnown(id);
  const times = (probed?.replicas ?? [])
    .flatMap(({ dialogues }) => dialogues.flatMap(({ reviews }) => reviews))
    .filter(({ answer }) => answer !== undefined)
    .map(({ milliseconds }) => milliseconds / 1000);
  return times.length === 0 ? undefined : Math.max(...times);
}

export const setTimeout = defineRemedy({
  meta: {
    id: 'set-timeout',
    title: 'Correct timeoutSeconds',
    risk: 'careful',
    does: `Sets timeoutSeconds to ${enough} s if it exceeds the time limit of a request, or to ${usual} s if responses take longer than it allows. Slower calls fail.`,
    leaves: 'A backend that hangs: requests only fail, or are admitted unchecked, sooner.',
    answers: ['timeout-too-long', 'timeout-budget-exceeded', 'timeout-too-short'],
    touches: [{ operation: 'patch', kinds: configurationKinds }],
  },
  about: 'admission',
  requires: ['probes'],
  plan({ check, callout }, facts) {
    const after = check === 'timeout-too-short' ? usual : enough;
    const { timeoutSeconds: before } = callout;
    if (check === 'timeout-too-short' ? before >= after : before <= after) return undefined;
    const measured = slowest(calloutId(callout), facts);
    if (measured !== undefined && measured > after / 2)
      return `A response took ${measured.toFixed(1)} s: with ${after} s, some calls would fail. Make the webhook faster first, or narrow its rules.`;
    return {
      summary: `A call to ${callout.webhook} may take ${after} s instead of ${before} s`,
      edits: [webhookEdit(callout, 'timeoutSeconds', after)],
      fixes: [],
      warnings: [
        after < before && measured === undefined
          ? `Its response time was not measured: calls that take more than ${after} s will fail.`
          : undefined,
        ...whoRevertsField(callout, 'timeoutSeconds'),
      ],
    };
  },
});
