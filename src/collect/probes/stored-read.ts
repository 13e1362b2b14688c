import type { Callout, ConversionCallout } from '../../facts/callout.ts';
import type { CalloutProbes, DryRun } from '../../facts/probes.ts';
import { pathOf } from '../../facts/resource.ts';
import type { Right } from '../../facts/right.ts';
import type { AllowRule, Unread } from '../../facts/unread.ts';
import type { ClusterProber } from '../cluster-prober.ts';
import { statusOf } from '../status.ts';
import { askAgain } from './ask-again.ts';
import { isUnread, orCutOff, type Run } from './run.ts';
import { wayUnread } from './unread.ts';

/** Nothing of an object is asked for but its metadata; the whole of it is converted all the same. */
const metadataOf = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const metadataOfAll = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

/** Milliseconds beyond the webhook's own time. */
const timeForOthers = 5_000;

/** The storage version, in which objects are found without a conversion, and another one that is served. */
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

/** What reading a stored object of each of these CRDs needs. */
export const storedReadRights = (callouts: readonly Callout[]): readonly Right[] =>
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

interface Found {
  readonly namespace?: string;
  readonly name: string;
}

async function anyObject(
  prober: ClusterProber,
  callout: ConversionCallout,
  path: string,
  signal: AbortSignal,
): Promise<Found | Unread> {
  const what = `a stored object of ${nameOf(callout)}`;
  const answer = await prober.get(`${path}?limit=1`, signal, metadataOfAll);
  if (answer.status !== 200) {
    const detail = statusOf(answer)?.message ?? `HTTP ${answer.status}`;
    if (answer.status !== 403) return { what, why: 'server-error', detail };
    return { what, why: 'forbidden', detail, allow: ruleFor(callout, 'list') };
  }
  const { items = [] } = JSON.parse(Buffer.from(answer.body).toString('utf8')) as {
    readonly items?: readonly { readonly metadata?: Partial<Found> }[];
  };
  const { name, namespace } = items[0]?.metadata ?? {};
  if (name === undefined) return { what, why: 'not-requested', detail: 'none is stored' };
  return { name, ...(namespace === undefined ? {} : { namespace }) };
}

async function readConverted({ prober, signal }: Run, callout: ConversionCallout): Promise<DryRun | Unread> {
  const what = `a stored object of ${nameOf(callout)} in another version`;
  const versions = versionsOf(callout);
  if (versions === undefined)
    return { what, why: 'not-requested', detail: 'there is no other version to read it in' };
  const { group, plural } = callout.resource;
  const late = AbortSignal.timeout(callout.timeoutSeconds * 1000 + timeForOthers);
  const either = AbortSignal.any([signal, late]);
  try {
    const found = await anyObject(
      prober,
      callout,
      pathOf({ group, version: versions.stored, plural }),
      either,
    );
    if (isUnread(found)) return found;
    const path = pathOf({ group, version: versions.other, plural }, found.namespace, found.name);
    const started = performance.now();
    const answer = await prober.get(path, either, metadataOf);
    const milliseconds = performance.now() - started;
    const said = statusOf(answer)?.message ?? `HTTP ${answer.status}`;
    if (answer.status === 403)
      return { what, why: 'forbidden', detail: said, allow: ruleFor(callout, 'get') };
    if (answer.status === 404) return { what, why: 'server-error', detail: said };
    return {
      operation: 'GET',
      resource: nameOf(callout),
      ...(found.namespace === undefined ? {} : { namespace: found.namespace }),
      status: answer.status,
      message: answer.status === 200 ? '' : said,
      milliseconds,
    };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (late.aborted) return { what, why: 'timeout', detail: 'the API server did not respond in time' };
    return wayUnread(what, error, ruleFor(callout, 'get'));
  }
}

/** A conversion's real call by the real caller: one stored object is read in another version. */
export async function probeStored(
  run: Run,
  callout: ConversionCallout,
): Promise<Pick<CalloutProbes, 'dryRun' | 'notTried'>> {
  if (run.plan.level !== 'review') return { notTried: [] };
  const what = `a stored object of ${nameOf(callout)} in another version`;
  const again = () => readConverted(run, callout);
  const read = await orCutOff(run, what, () =>
    run.slot(async () => {
      const first = await again();
      return isUnread(first) ? first : askAgain(run, callout, first, again);
    }),
  );
  return isUnread(read) ? { notTried: [read] } : { dryRun: read, notTried: [] };
}
