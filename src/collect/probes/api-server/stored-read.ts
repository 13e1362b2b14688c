import { isConversionRefusal } from '../../../apiserver/sentences/call-error/parse-call-error.ts';
import type { Callout, ConversionCallout } from '../../../facts/callout.ts';
import type { Metadata } from '../../../facts/objects/metadata.ts';
import type { CalloutProbes, DryRun, HttpResponse } from '../../../facts/probes.ts';
import { type Permission, pathOf } from '../../../facts/resource.ts';
import type { AllowRule, Unread } from '../../../facts/unread.ts';
import { metadataOfAll, metadataOnly } from '../../attempts.ts';
import { isUnread, orCutOff, type ProbeRun } from '../run.ts';
import { firstObject, jsonOf, refusalText, withinTime } from './api-call.ts';
import { repeatCalls } from './repeat-calls.ts';

/** The storage version, in which objects are found without a conversion, and another served version. */
function versionsOf({ versions }: ConversionCallout): { stored: string; other: string } | undefined {
  const stored = versions.find(({ storage, served }) => storage && served);
  const other = versions.find(({ storage, served }) => served && !storage);
  return stored && other && { stored: stored.name, other: other.name };
}

const nameOf = ({ resource: { group, plural } }: ConversionCallout): string => `${plural}.${group}`;

const ruleFor = ({ resource: { group, plural } }: ConversionCallout, verb: string): AllowRule => ({
  apiGroups: [group],
  resources: [plural],
  verbs: [verb],
});

/** The permissions that reading a stored object of each of these CRDs requires. */
export const storedReadPermissions = (callouts: readonly Callout[]): readonly Permission[] =>
  callouts
    .filter((callout) => callout.kind === 'conversion')
    .filter((callout) => versionsOf(callout) !== undefined)
    .map(({ resource: { group, plural } }) => ({
      group,
      resource: plural,
      verbs: ['list', 'get'],
      scope: 'cluster',
      use: 'a stored object, read in another version',
    }));

/** The maximum number of objects that are read in another version. */
const mostListed = 50;

/** The responses to lists of the first `limit` objects in two versions of a resource, and to the GET of an object. */
interface Listing {
  readonly stored: (limit: number) => Promise<HttpResponse>;
  readonly converted: (limit: number) => Promise<HttpResponse>;
  readonly one: (object: StoredName) => Promise<HttpResponse>;
}
type StoredName = NonNullable<DryRun['object']>;

/**
 * The first object whose conversion fails, if the first object is converted and a list of {@link mostListed} fails.
 * Lists have the same order in all versions: that of the keys in etcd. Undefined if a read fails for another reason, or
 * if the read of the object alone does not fail: then another Pod responded, or an object was deleted.
 */
async function firstUnconverted({ stored, converted, one }: Listing): Promise<StoredName | undefined> {
  let [passing, failing] = [1, mostListed];
  while (failing - passing > 1) {
    const limit = Math.floor((passing + failing) / 2);
    const refusal = refusalText(await converted(limit));
    if (refusal !== '' && !isConversionRefusal(refusal)) return undefined;
    if (refusal === '') passing = limit;
    else failing = limit;
  }
  const answer = await stored(failing);
  if (answer.status !== 200) return undefined;
  const { items } = jsonOf<{ readonly items?: readonly { readonly metadata: Metadata }[] | null }>(answer);
  const { namespace, name } = items?.[failing - 1]?.metadata ?? {};
  if (name === undefined) return undefined;
  const found = { name, ...(namespace === undefined ? {} : { namespace }) };
  return isConversionRefusal(refusalText(await one(found))) ? found : undefined;
}

async function readConverted(
  { prober, signal }: ProbeRun,
  callout: ConversionCallout,
): Promise<DryRun | Unread> {
  const what = `a stored object of ${nameOf(callout)} in another version`;
  const versions = versionsOf(callout);
  if (versions === undefined)
    return { what, why: 'not-requested', detail: 'there is no other version to read it in' };
  const { group, plural } = callout.resource;
  const list = `${pathOf({ group, version: versions.stored, plural })}?limit=1`;
  const stored = `a stored object of ${nameOf(callout)}`;
  const wish = {
    what: stored,
    allow: ruleFor(callout, 'list'),
    none: { what: stored, why: 'not-requested', detail: 'none is stored' },
    accept: metadataOfAll,
  } as const;
  const allow = ruleFor(callout, 'get');
  const { timeoutSeconds } = callout;
  return withinTime<DryRun>({ what, allow, timeoutSeconds, signal }, async (ends) => {
    const found = await firstObject(prober, list, wish, ends);
    if (isUnread(found)) return found;
    const { namespace } = found;
    const one = (object: StoredName) =>
      prober.get(
        pathOf({ group, version: versions.other, plural }, object.namespace, object.name),
        ends,
        metadataOnly,
      );
    const started = performance.now();
    const answer = await one(found);
    const milliseconds = performance.now() - started;
    const { status } = answer;
    const message = refusalText(answer);
    if (status === 403) return { what, why: 'forbidden', detail: message, allow };
    if (status === 404) return { what, why: 'server-error', detail: message };
    const where = namespace === undefined ? {} : { namespace };
    const read = { operation: 'GET', resource: nameOf(callout), ...where, milliseconds } as const;
    if (message !== '') return { ...read, status, message };
    // One object that is not converted fails every list.
    const listOf = (version: string) => (limit: number) =>
      prober.get(`${pathOf({ group, version, plural })}?limit=${limit}`, ends, metadataOfAll);
    const converted = listOf(versions.other);
    const listed = await converted(mostListed);
    const refusal = refusalText(listed);
    if (refusal === '' || listed.status === 403) return { ...read, status, message };
    const object = isConversionRefusal(refusal)
      ? await firstUnconverted({ stored: listOf(versions.stored), converted, one }).catch(() => undefined)
      : undefined;
    return { ...read, status: listed.status, message: refusal, ...(object && { object }) };
  });
}

/** Lets the API server call a conversion webhook: reads one stored object in another version. */
export async function probeStored(
  run: ProbeRun,
  callout: ConversionCallout,
): Promise<Pick<CalloutProbes, 'dryRun' | 'notTried'>> {
  if (run.plan.level !== 'review') return { notTried: [] };
  const what = `a stored object of ${nameOf(callout)} in another version`;
  const again = () => readConverted(run, callout);
  const read = await orCutOff(run, what, () =>
    run.slot(async () => {
      const first = await again();
      return isUnread(first) ? first : repeatCalls(run, callout, first, again);
    }),
  );
  return isUnread(read) ? { notTried: [read] } : { dryRun: read, notTried: [] };
}
