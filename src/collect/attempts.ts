import { defined } from '../basics/collections.ts';
import { ofKey } from '../facts/object-ref.ts';
import type { Metadata } from '../facts/objects/metadata.ts';
import { allowing, pathOf, type Resource } from '../facts/resource.ts';
import type { ApiRead, Unread, UnreadReason } from '../facts/unread.ts';
import { type ClusterReader, type Query, ReadError, type ReadErrorReason, type Trim } from './cluster.ts';
import { malformedField, withStatus } from './shape.ts';

/** The result of one read: a value, or the reason why there is none. */
export type Reading<T> = { readonly value: T } | { readonly unread: Unread };
/** True if the read succeeded. */
export const isRead = <T>(reading: Reading<T>): reading is { readonly value: T } => 'value' in reading;

/** The path of a read, and its options. */
export interface ReadLocation {
  readonly namespace?: string;
  readonly query?: Query;
  /** Instead of `application/json`: {@link metadataOnly}; of lists {@link metadataOfAll}. */
  readonly accept?: string;
  /** The name of the objects for messages, if the resource is not specific enough: `Pending Pods`. */
  readonly selection?: string;
  /** A refusal is not reported: the caller has another source. */
  readonly refusable?: boolean;
  /** For lists and texts: no failure is recorded, as the run can do without. */
  readonly extra?: boolean;
  /** For lists: selects and reduces objects. */
  readonly keep?: (object: never) => unknown;
  /** The reason why not all objects were kept, for messages. */
  readonly whyDropped?: (left: number, kept: number) => string;
}

/** Requests only the metadata of an object, so that private content is not read. */
export const metadataOnly = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
/** Requests only the metadata of the objects of a list. */
export const metadataOfAll = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

/** Reads the metadata of an object, `namespace/name`; nothing else of it is read. */
export async function readMetadata(
  access: Attempts,
  resource: Resource,
  key: string,
): Promise<Reading<Metadata | undefined>> {
  const { namespace, name } = ofKey(key);
  const where = { namespace, accept: metadataOnly };
  const reading = await access.get<{ readonly metadata: Metadata }>(resource, name, where);
  return isRead(reading) ? { value: reading.value?.metadata } : reading;
}

/** Reads that do not throw: each returns a value or an {@link Unread}. Every failure is recorded once. */
export interface Attempts {
  list<T>(resource: Resource, where?: ReadLocation): Promise<Reading<readonly T[]>>;
  get<T>(resource: Resource, name: string, where?: ReadLocation): Promise<Reading<T | undefined>>;
  text(resource: Resource, name: string, where: ReadLocation): Promise<Reading<string>>;
  raw<T>(path: string, accept?: string): Promise<Reading<T | undefined>>;
  /** Reads a path that is not a resource, line by line. `extra`: a failure is not recorded. */
  lines(
    path: string,
    each: (line: string) => void,
    where: { readonly what: string; readonly extra: boolean },
  ): Promise<Reading<true>>;
  /** Reads from another API server of the cluster, at `address:port`. Failures there are not recorded. */
  linesAt(address: string, path: string, each: (line: string) => void): Promise<Reading<true>>;
  /** Fulfilled when the first read has ended. Before, the API server may not be able to process requests. */
  readonly firstResponse: Promise<void>;
  /** All failures so far, in order. */
  readonly failed: readonly Unread[];
  /** Set while no read has succeeded: the error of the first read, which is then the reason to give up. */
  readonly outage: () => ReadError | undefined;
}

/** A failed read in the form of reports. */
export const unreadReasons: Readonly<Record<ReadErrorReason, UnreadReason>> = {
  forbidden: 'forbidden',
  unauthorized: 'forbidden',
  timeout: 'timeout',
  interrupted: 'timeout',
  unreachable: 'unreachable',
  'not-kubernetes': 'server-error',
  'server-error': 'server-error',
  'rate-limited': 'server-error',
  'not-served': 'not-served',
  malformed: 'malformed',
  'too-large': 'too-large',
};

const notVerified = 'credentials are sent only to API servers whose certificate is verified';

/** A read of the API for reports, with the rule that allows it. */
function readOf(
  resource: Resource,
  verb: 'get' | 'list',
  { namespace, selection }: ReadLocation,
  name?: string,
) {
  const what: ApiRead = {
    resource: resource.plural,
    verb,
    ...(namespace === undefined ? {} : { namespaces: [namespace] }),
    ...defined({ name, selection }),
  };
  return { what, allow: allowing(resource, verb, namespace) };
}

/** Adds fields that an API server may omit. Throws ReadError for an object that no API server returns. */
function wellFormed<T>(sent: T, of: string, path: string): T {
  const object = withStatus(sent, of);
  const field = object === undefined ? undefined : malformedField(object, of);
  if (field === undefined) return object;
  const which =
    field === ''
      ? 'a value that is not an object'
      : `an object whose \`${field.slice(1)}\` is not what the API has there`;
  throw new ReadError(`the response for ${path} holds ${which}`, { reason: 'malformed', path });
}

const optionalRead = ({ refusable, extra = false }: ReadLocation) => ({ refusable, unreported: extra });

/** The attempts of one run with one reader. */
export function attempts(reader: ClusterReader): Attempts {
  const { attempt, ...state } = readingOf();
  return {
    ...state,
    list: <T>(resource: Resource, where: ReadLocation = {}) =>
      attempt({ ...readOf(resource, 'list', where), ...optionalRead(where) }, async () => {
        const { query, keep, accept, whyDropped } = where;
        const path = pathOf(resource, where.namespace);
        const { items, left } = await reader.list<T>(path, query, accept, keep as Trim<T> | undefined);
        const shape = accept === metadataOfAll ? '' : resource.plural;
        const complete = items.map((item) => wellFormed(item, shape, path));
        if (left !== undefined && whyDropped !== undefined) {
          const { what } = readOf(resource, 'list', where);
          state.failed.push({ what, why: 'too-large', detail: whyDropped(left, items.length) });
        }
        return complete;
      }),
    get: <T>(resource: Resource, name: string, where: ReadLocation = {}) =>
      attempt({ ...readOf(resource, 'get', where, name), refusable: where.refusable }, async () => {
        const path = pathOf(resource, where.namespace, name);
        const { query, accept } = where;
        const object = await reader.get<T>(path, query, accept);
        return wellFormed(object, accept === metadataOnly ? '' : resource.plural, path);
      }),
    text: (resource, name, where) =>
      attempt({ ...readOf(resource, 'get', where, name), ...optionalRead(where) }, () =>
        reader.text(pathOf(resource, where.namespace, name), where.query),
      ),
    lines: (path, each, { what, extra }) => {
      const allow = { apiGroups: [], resources: [], verbs: ['get'], nonResourceURLs: [path] };
      return attempt({ what, allow, unreported: extra }, async () => {
        await reader.lines(path, each);
        return true as const;
      });
    },
    linesAt: (address, path, each) => linesAt(reader, address, path, each),
    raw: <T>(path: string, accept?: string) =>
      attempt({ what: path }, async () =>
        wellFormed(await reader.get<T>(path, undefined, accept), path, path),
      ),
  };
}

interface Attempt {
  readonly what: Unread['what'];
  readonly allow?: Unread['allow'];
  /** A refusal is not recorded. */
  readonly refusable?: boolean | undefined;
  /** No failure is recorded. */
  readonly unreported?: boolean;
}

function readingOf() {
  const failed: Unread[] = [];
  let begin: () => void = () => undefined;
  const firstResponse = new Promise<void>((resolve) => {
    begin = resolve;
  });
  let responded = false;
  let first: ReadError | undefined;

  async function attempt<T>(
    { what, allow, refusable, unreported }: Attempt,
    read: () => Promise<T>,
  ): Promise<Reading<T>> {
    try {
      const value = await read();
      responded = true;
      return { value };
    } catch (error) {
      if (!(error instanceof ReadError) || error.reason === 'unauthorized') throw error;
      first ??= error;
      // `forbidden` proves that this is a Kubernetes API server; a timeout, another server, or 404 for every
      // path does not.
      if (error.reason === 'forbidden') responded = true;
      const unread = unreadBy(error, what, allow);
      if (!unreported && !(refusable && unread.why === 'forbidden')) failed.push(unread);
      return { unread };
    } finally {
      begin();
    }
  }
  return { attempt, firstResponse, failed, outage: () => (responded ? undefined : first) };
}

function unreadBy(error: ReadError, what: Unread['what'], allow?: Unread['allow']): Unread {
  const why = unreadReasons[error.reason];
  const detail = error.serverMessage ?? error.message;
  return { what, why, detail, ...(why === 'forbidden' && allow !== undefined ? { allow } : {}) };
}

async function linesAt(
  reader: ClusterReader,
  address: string,
  path: string,
  each: (line: string) => void,
): Promise<Reading<true>> {
  const what = `${path} of ${address}`;
  const there = reader.at?.(address);
  if (there === undefined) return { unread: { what, why: 'unreachable', detail: notVerified } };
  try {
    await there.lines(path, each);
    return { value: true };
  } catch (error) {
    if (!(error instanceof ReadError)) throw error;
    return { unread: unreadBy(error, what) };
  } finally {
    there.close();
  }
}
