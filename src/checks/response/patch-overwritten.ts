import { isDeepStrictEqual } from 'node:util';
import { inCallOrder } from '../../apiserver/admission/order.ts';
import { compareQuantities, parseQuantity } from '../../apiserver/cel/quantity.ts';
import {
  type ProbeFacts,
  probedCallouts,
  probeFacts,
  probesAt,
} from '../../apiserver/connection/probed-callouts.ts';
import { usableEndpoints } from '../../apiserver/connection/probed-endpoints.ts';
import { isPublicLeaf, leafDigest, leavesOf } from '../../apiserver/patch/leaves.ts';
import { groupBy } from '../../basics/collections.ts';
import { derive } from '../../basics/derive.ts';
import { type AdmissionCallout, calloutId, isAdmission } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { listed } from '../../phrases/lists.ts';
import { defineCheck, note } from '../check.ts';

/** A value that the patch of a webhook sets in the test object. */
interface Setting {
  readonly callout: AdmissionCallout;
  readonly resource: string;
  readonly field: string;
  /** JSON. */
  readonly value: string;
  /** The API server has this value after all webhooks. */
  readonly remains: boolean;
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
  const result = new Set(dryRun.result);
  return [...leavesOf(patched)]
    .filter(([field, value]) => before.get(field) !== value && isPublicLeaf(field, value))
    .map(([field, value]) => {
      const remains = result.has(leafDigest(field, value));
      return { callout, resource, field, value, remains, replaces: before.has(field), sent };
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
      const last = same.findLastIndex(({ remains }) => remains);
      const by = same[last];
      if (by === undefined) return [];
      return same
        .slice(0, last)
        .filter((one) => !isKept(one, by) && backendOf(one.callout) !== backendOf(by.callout))
        .filter((one) => !isAccepted(one, by))
        .map((one) => ({ ...one, by }));
    });
    return groupBy(found, ({ callout }) => callout);
  },
);

/** True if the earlier webhook was called again after the later one, which was not, and left its value. */
const isAccepted = ({ callout }: Setting, { callout: later }: Setting): boolean =>
  callout.reinvocationPolicy === 'IfNeeded' && later.reinvocationPolicy !== 'IfNeeded';

/** True if two JSON values are the same quantity: `1024Mi` is `1Gi`. */
function isSameQuantity(one: unknown, other: unknown): boolean {
  if (typeof one !== 'string' || typeof other !== 'string') return false;
  const [a, b] = [parseQuantity(one), parseQuantity(other)];
  return a !== undefined && b !== undefined && compareQuantities(a, b) === 0;
}

/** True if the later value is the same, or contains all items of the earlier one. */
function isKept(earlier: Setting, later: Setting): boolean {
  if (earlier.value === later.value) return true;
  const [before, after]: readonly unknown[] = [JSON.parse(earlier.value), JSON.parse(later.value)];
  if (!Array.isArray(before) || !Array.isArray(after)) return isSameQuantity(before, after);
  return before.every((item) => after.some((one) => isDeepStrictEqual(one, item)));
}

/** The maximum number of later webhooks that are reported for a webhook. */
const mostLater = 3;

/** The fields that a later webhook overwrites: those with a value in the test object, if there are any. */
interface Lost {
  readonly by: AdmissionCallout;
  readonly id: 'replaces' | 'adds';
  readonly resource: string;
  readonly fields: readonly [string, ...string[]];
}

function lostTo(all: readonly Overwritten[]): readonly Lost[] {
  const found = [...groupBy(all, ({ by }) => by.callout)].flatMap(([by, some]): Lost[] => {
    const replaced = some.filter(({ replaces }) => replaces);
    const [first, ...others] = replaced.length > 0 ? replaced : some;
    if (first === undefined) return [];
    const id = replaced.length > 0 ? 'replaces' : 'adds';
    return [{ by, id, resource: first.resource, fields: [first.field, ...others.map(({ field }) => field)] }];
  });
  return found.sort((a, b) => Number(b.id === 'replaces') - Number(a.id === 'replaces')).slice(0, mostLater);
}

const differs = '{webhook} sets {fields} of {resource}, but the value of the later {later} remains';

export const patchOverwritten = defineCheck({
  meta: {
    id: 'patch-overwritten',
    title: 'A later webhook overwrites the patch of this one',
    severity: 'warning',
    confidence: 'observed',
    why: 'Both webhooks set a field of the same test object to different values. The API server calls mutating webhooks in the order of the names of their configurations, so only the later value remains. A controller that restores the other value writes the object again and again.',
    advice:
      '[end] Decide which of them sets the field, and exclude it in the other: `kubectl edit {kind} {configuration}`. [look] To see each change in order, write such an object to a FILE: `kubectl webhook trace -f FILE`.',
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
    return lostTo(overwritten(facts).get(callout) ?? []).map(({ by, id, resource, fields }) => {
      const data = {
        fields: listed(fields, { most: 2 }),
        resource,
        webhook: callout.webhook,
        later: by.webhook,
      };
      // Without the values, which may be secret.
      const field = `response.patch: ${fields[0]}`;
      return find(id, data, [
        { object: callout.ref, field, value: 'a value that the created object does not have' },
        { object: by.ref, field, value: 'the value of the created object' },
      ]);
    });
  },
});
