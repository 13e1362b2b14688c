import { inCallOrder } from '../../apiserver/admission/order.ts';
import {
  type ProbeFacts,
  probedCallouts,
  probeFacts,
  probesAt,
} from '../../apiserver/connection/probed-callouts.ts';
import { usableEndpoints } from '../../apiserver/connection/probed-endpoints.ts';
import { leavesOf } from '../../apiserver/patch/leaves.ts';
import { groupBy } from '../../basics/collections.ts';
import { derive } from '../../basics/derive.ts';
import { type AdmissionCallout, calloutId, isAdmission } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { brief } from '../../phrases/brief.ts';
import { defineCheck, note } from '../check.ts';

/** A value that the patch of a webhook sets in the test object. */
interface Setting {
  readonly callout: AdmissionCallout;
  readonly resource: string;
  readonly field: string;
  /** JSON. */
  readonly value: string;
  /** The value that the API server has after all webhooks; JSON. */
  readonly final: string;
  /** The test object had another value: the webhook does not only add a missing one. */
  readonly replaces: boolean;
  /** The test object, for comparison. */
  readonly sent: string;
}

const backendOf = ({ client: { service, url } }: AdmissionCallout): string =>
  service === undefined ? (url ?? '') : keyOf(service);

/** The values that a webhook sets in its test object, if the API server's dry run was about the same object. */
function settingsOf(callout: AdmissionCallout, facts: ProbeFacts): readonly Setting[] {
  const { dryRun } = probesAt(callout, facts) ?? {};
  if (dryRun?.result === undefined) return [];
  const [endpoint] = usableEndpoints(callout, facts);
  const { callResult } = endpoint ?? {};
  if (callResult?.outcome !== 'answers' || callResult.answer?.outcome !== 'allowed') return [];
  const { patched } = callResult.answer;
  const review = (endpoint?.probe?.dialogues ?? [])
    .flatMap(({ reviews }) => reviews)
    .find(({ answer }) => answer !== undefined);
  const { resource, object } = review ?? {};
  if (patched === undefined || resource === undefined || resource !== dryRun.resource) return [];
  const [before, sent] = [leavesOf(object), JSON.stringify(object)];
  return [...leavesOf(patched)].flatMap(([field, value]) => {
    const final = dryRun.result?.[field];
    return final === undefined || before.get(field) === value
      ? []
      : [{ callout, resource, field, value, final, replaces: before.has(field), sent }];
  });
}

/** A value that a later webhook replaces. */
interface Overwritten extends Setting {
  readonly by: Setting;
}

const mutatingOf = (facts: ProbeFacts): readonly AdmissionCallout[] =>
  probedCallouts(facts)
    .filter(isAdmission)
    .filter(({ kind }) => kind === 'mutating');

/** The values that later webhooks of other programs replace, by the webhook that set them. */
const overwritten = derive(
  probeFacts,
  (facts: ProbeFacts): ReadonlyMap<AdmissionCallout, readonly Overwritten[]> => {
    const known = mutatingOf(facts).filter((callout) => facts.probes.known(calloutId(callout)));
    const settings = inCallOrder(known).flatMap((callout) => settingsOf(callout, facts));
    const found = [
      ...groupBy(settings, ({ resource, field, sent }) => `${resource} ${field} ${sent}`).values(),
    ].flatMap((same) => {
      const last = same.findLastIndex(({ value, final }) => value === final);
      const by = same[last];
      if (by === undefined) return [];
      return same
        .slice(0, last)
        .filter((one) => one.value !== by.value && backendOf(one.callout) !== backendOf(by.callout))
        .filter((one) => !isAccepted(one, by))
        .map((one) => ({ ...one, by }));
    });
    return groupBy(found, ({ callout }) => callout);
  },
);

/** True if the earlier webhook was called again after the later one, which was not, and left its value. */
const isAccepted = ({ callout }: Setting, { callout: later }: Setting): boolean =>
  callout.reinvocationPolicy === 'IfNeeded' && later.reinvocationPolicy !== 'IfNeeded';

const differs =
  '{webhook} sets {field} of {resource} to {value}. The later {later} sets it to {final}, and this value remains';

export const patchOverwritten = defineCheck({
  meta: {
    id: 'patch-overwritten',
    title: 'A later webhook overwrites the patch of this one',
    severity: 'warning',
    confidence: 'observed',
    why: 'Both webhooks set a field of the same test object to different values, and the API server calls mutating webhooks one after the other, by the names of their configurations. Its own dry run has the value of the later one, so the earlier one has no effect, and a controller that restores its value writes the object again and again.',
    advice:
      'Decide which of them sets the field, and exclude it in the other: `kubectl edit {kind} {configuration}`. To see each change in order, write such an object to a FILE: `kubectl webhook trace -f FILE`.',
    noRemedy: 'up-to-its-owner',
    messages: {
      replaces: differs,
      // It may only add a missing value.
      adds: note(differs),
    },
    references: [
      '/docs/concepts/cluster-administration/admission-webhooks-good-practices/#dont-rely-webhook-order',
    ],
  },
  requires: probeFacts,
  subjects: (facts) => mutatingOf(facts),
  run(callout, facts, find) {
    if (probesAt(callout, facts)?.dryRun === undefined) return undefined;
    return (overwritten(facts).get(callout) ?? []).map(({ resource, field, value, final, replaces, by }) => {
      const later = by.callout.webhook;
      const data = {
        field,
        resource,
        webhook: callout.webhook,
        value: brief(value),
        later,
        final: brief(final),
      };
      return find(replaces ? 'replaces' : 'adds', data, [
        { object: callout.ref, field: `response.patch: ${field}`, value },
        { object: by.callout.ref, field: `response.patch: ${field}`, value: by.value },
        { object: by.callout.ref, field: `a server-side dry run: ${field}`, value: final },
      ]);
    });
  },
});
