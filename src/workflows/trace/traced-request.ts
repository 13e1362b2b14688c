import type {
  AdmissionRequest,
  Operation,
  RequestUser,
} from '../../apiserver/admission/admission-request.ts';
import { isJsonObject } from '../../basics/collections.ts';
import { type Attempts, isRead } from '../../collect/attempts.ts';
import { asCreated, type RealObject, requestAbout } from '../../collect/probes/samples/sample-objects.ts';
import { pathOf } from '../../facts/resource.ts';
import { type GivenObject, inNamespace } from '../../facts/sample.ts';
import { resourceNamed, type ServedResource } from '../../facts/served-resources.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { unreadText } from '../../facts/unread.ts';
import { CannotStart, RunOutOfTime } from '../cluster/cannot-start.ts';
import { servedKind } from '../input/given-objects.ts';

/** The object of a traced request: from a file, or stored as `KIND/NAME`. */
export type TracedObject = { readonly given: GivenObject } | { readonly stored: string };

/** The input for a traced request. */
export interface RequestOptions {
  readonly about: TracedObject;
  /** Default: CREATE; UPDATE for a given object that is stored already. */
  readonly operation?: Operation | undefined;
  readonly namespace: string;
  readonly user?: RequestUser | undefined;
  /** Reads a stored object. */
  readonly live: boolean;
}

/** A request to trace. */
export interface TracedRequest {
  readonly request: AdmissionRequest;
  readonly served: ServedResource;
  readonly stored?: RealObject;
  /** The body of an update: a merge patch. */
  readonly sent?: object;
}

type Kinds = Pick<Facts, 'served'>;

/** The resource that is typed as in kubectl. Throws CannotStart. */
function servedName(typed: string, { served }: Kinds): ServedResource {
  const unread = served.why('served');
  if (unread !== undefined)
    throw new CannotStart(`whether this cluster serves ${typed} is unknown: discovery could not be read`);
  const found = resourceNamed(typed, served.get('served') ?? { resources: [], stale: [] });
  if (found === undefined) throw new CannotStart(`this cluster serves no resource ${typed}`);
  return found;
}

/** Reads the stored object with this name; undefined if none. Throws CannotStart if it cannot be read. */
async function storedObject(
  { group, version, resource: plural, namespaced, kind }: ServedResource,
  name: string,
  namespace: string,
  read: Attempts,
): Promise<RealObject | undefined> {
  const found = await read.raw<RealObject>(
    pathOf({ group, version, plural }, namespaced ? namespace : undefined, name),
  );
  if (isRead(found)) return found.value;
  const { unread } = found;
  if (unread.why === 'timeout') throw new RunOutOfTime(`before ${kind} ${name} was read`);
  throw new CannotStart(
    `${kind} ${name} cannot be read: ${unread.detail ?? unreadText(unread)}`,
    'If it does not exist yet, add --operation CREATE.',
  );
}

/** JSON merge patch (RFC 7386). */
function merged(before: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const base = isJsonObject(before) ? before : {};
  const kept = Object.entries(base).filter(([key]) => patch[key] !== null);
  const written = Object.entries(patch)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => [key, merged(base[key], value)] as const);
  return Object.fromEntries([...kept, ...written]);
}

const isSecret = ({ group, resource }: ServedResource): boolean => group === '' && resource === 'secrets';

/** The object of the request: a given one, or the name of a stored one. Throws CannotStart. */
function subjectOf({ about, namespace, live }: RequestOptions, facts: Kinds) {
  if (!('stored' in about)) {
    const served = servedKind(about.given, facts);
    const given = inNamespace(about.given, served.namespaced, namespace);
    return { served, given, name: given.metadata.name ?? '', place: given.metadata.namespace ?? namespace };
  }
  if (!live)
    throw new CannotStart(
      'a snapshot holds no stored objects',
      'Give the object of the request with -f FILE.',
    );
  const [kindText = '', name = '', ...more] = about.stored.split('/');
  if (kindText === '' || name === '' || more.length > 0)
    throw new CannotStart(`invalid argument "${about.stored}": must be KIND/NAME, or -f FILE`);
  const served = servedName(kindText, facts);
  if (isSecret(served))
    throw new CannotStart('the data of Secrets are not read', 'Give the Secret of the request with -f FILE.');
  return { served, given: undefined, name, place: namespace };
}

/** Creates the request that the flags describe. Throws CannotStart if they describe none. */
export async function tracedRequest(
  options: RequestOptions,
  facts: Kinds,
  read: Attempts,
): Promise<TracedRequest> {
  const { operation, user, live } = options;
  const { served, given, name, place } = subjectOf(options, facts);
  const reads = given === undefined || (operation !== 'CREATE' && name !== '' && live && !isSecret(served));
  const stored = reads ? await storedObject(served, name, place, read) : undefined;
  if (stored === undefined && (given === undefined || operation === 'UPDATE' || operation === 'DELETE')) {
    const noSuch = `there is no ${served.kind} ${name}${served.namespaced ? ` in namespace ${place}` : ''}`;
    throw new CannotStart(reads ? noSuch : `${operation} needs the stored object, which cannot be read here`);
  }
  const object = (given ?? stored) as RealObject;
  if (stored === undefined || operation === 'CREATE' || (given === undefined && operation === undefined)) {
    const request = requestAbout(given === undefined ? asCreated(object) : object, served, user);
    return { request, served, ...(stored === undefined ? {} : { stored }) };
  }
  if (operation === 'DELETE') {
    const { object: _, labels: __, ...rest } = requestAbout(stored, served, user, stored);
    return { request: { ...rest, operation }, served, stored };
  }
  const updated = given === undefined ? stored : (merged(stored, given) as RealObject);
  return { request: requestAbout(updated, served, user, stored), served, stored, sent: given ?? {} };
}
