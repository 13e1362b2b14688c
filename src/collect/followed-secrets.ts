import { metadataOnly } from './attempts.ts';
import type { ClusterReader } from './cluster.ts';
import { certificateDataOnly, type RawSecret } from './collectors/certificates/secrets.ts';
import { resumedWatch, type WatchEnd, type WatchEvent } from './resumed-watch.ts';

/** The path of one Secret. */
const secretPath = /^(?<collection>\/api\/v1\/namespaces\/[^/]+\/secrets)\/(?<name>[^/]+)$/;

/** Whether a path is that of one Secret. */
export const isSecretPath = (path: string): boolean => secretPath.test(path);

/** The maximum number of watched Secrets; others are read again each time. */
export const mostWatchedSecrets = 100;
/** Milliseconds after which the watch of a Secret that nothing reads ends. */
const unusedFor = 30 * 60_000;

/**
 * Begins with the present object, of whatever version the API server has in its cache. With bookmarks, an API server with
 * an etcd before 3.4.25 refuses that (apiserver pkg/storage/cacher/cacher.go, isListWatchRequest).
 */
const fromPresent = { resourceVersion: '0', allowWatchBookmarks: false };

/** What follows changes of Secrets. */
export interface SecretPace {
  readonly onChange: () => void;
  readonly onWatchEnd?: ((why: WatchEnd) => void) | undefined;
}

/** A Secret, and its watch. Versions are resourceVersions; an absent Secret has none. */
interface Followed {
  readonly path: string;
  read: Promise<RawSecret | undefined> | undefined;
  readVersion: string | undefined;
  watch: AbortController | undefined;
  /** The last version that the watch has reported; undefined while it has reported nothing. */
  seen: { readonly version: string | undefined } | undefined;
  /** The watch continues from this version. */
  from: string | undefined;
  /** The watch confirms that `read` is current. */
  isCurrent: boolean;
  usedAt: number;
}

/** Secrets that are read by name, and again only after a change. */
export interface FollowedSecrets {
  /** Like `get` of the reader; of the values only certificates are kept. */
  get(path: string): Promise<RawSecret | undefined>;
  /** Drops what no watch confirms, so that it is read again. */
  refresh(): void;
}

interface Following {
  readonly reader: ClusterReader;
  readonly pace: SecretPace;
  readonly ended: AbortSignal;
  readonly secrets: Map<string, Followed>;
  /** Paths of Secrets that are not watched: refused, or too many. */
  readonly unwatched: Set<string>;
}

/**
 * Reads Secrets by name, and watches the metadata of each: one object per watch, so that the permission can name it. No
 * value is in a watch. A Secret that cannot be watched is read again after each {@link FollowedSecrets.refresh}.
 */
export function followedSecrets(
  reader: ClusterReader,
  pace: SecretPace,
  ended: AbortSignal,
): FollowedSecrets {
  const following: Following = { reader, pace, ended, secrets: new Map(), unwatched: new Set() };
  const { secrets } = following;
  return {
    get(path) {
      const secret = secrets.get(path) ?? unread(path);
      secrets.set(path, secret);
      secret.usedAt = performance.now();
      secret.read ??= readNow(following, secret);
      return secret.read;
    },
    refresh() {
      for (const [path, secret] of secrets) {
        if (!secret.isCurrent) secret.read = undefined;
        if (performance.now() - secret.usedAt < unusedFor) continue;
        secret.watch?.abort();
        secrets.delete(path);
      }
    },
  };
}

const unread = (path: string): Followed => ({
  path,
  read: undefined,
  readVersion: undefined,
  watch: undefined,
  seen: undefined,
  from: undefined,
  isCurrent: false,
  usedAt: 0,
});

function readNow(following: Following, secret: Followed): Promise<RawSecret | undefined> {
  const read = following.reader.get<RawSecret>(secret.path).then((object) => {
    const { resourceVersion } = (object?.metadata ?? {}) as { readonly resourceVersion?: string };
    if (secret.read === read) {
      secret.readVersion = resourceVersion;
      secret.isCurrent = secret.seen !== undefined && secret.seen.version === resourceVersion;
    }
    return object && certificateDataOnly(object);
  });
  read.catch(() => {
    if (secret.read === read) secret.read = undefined;
  });
  void follow(following, secret);
  return read;
}

/** Watches a Secret, unless it is watched or cannot be. */
async function follow(following: Following, secret: Followed): Promise<void> {
  const { reader, pace, ended, secrets, unwatched } = following;
  const { path } = secret;
  const { collection, name = '' } = secretPath.exec(path)?.groups ?? {};
  if (reader.watch === undefined || collection === undefined) return;
  if (secret.watch !== undefined || unwatched.has(path)) return;
  if ([...secrets.values()].filter(({ watch }) => watch !== undefined).length >= mostWatchedSecrets) {
    unwatched.add(path);
    pace.onWatchEnd?.('limit');
    return;
  }
  const own = new AbortController();
  secret.watch = own;
  const fieldSelector = `metadata.name=${decodeURIComponent(name)}`;
  const watch = {
    request: () => ({
      path: collection,
      query: {
        fieldSelector,
        ...(secret.from === undefined ? fromPresent : { resourceVersion: secret.from }),
      },
      accept: metadataOnly,
    }),
    each: (event: WatchEvent) => noteEvent(pace, secret, event),
    mayResume: (why: WatchEnd, failedAgain: boolean): boolean => {
      pace.onWatchEnd?.(why);
      secret.isCurrent = false;
      // The next watch begins with the present object, so nothing is missed.
      if (why === 'expired' || failedAgain) Object.assign(secret, { from: undefined, seen: undefined });
      if (why === 'refused') unwatched.add(path);
      return why !== 'refused' && !failedAgain;
    },
  };
  await resumedWatch(reader, watch, AbortSignal.any([ended, own.signal]));
  secret.watch = undefined;
  secret.isCurrent = false;
}

/** Uses only the version of the object: its annotations can contain values. */
function noteEvent({ onChange }: SecretPace, secret: Followed, { type, object }: WatchEvent): void {
  const { resourceVersion } = object.metadata;
  secret.from = resourceVersion ?? secret.from;
  if (type === 'DELETED') secret.seen = { version: undefined };
  else if (type !== 'BOOKMARK') secret.seen = { version: resourceVersion };
  if (secret.read === undefined || secret.seen === undefined) return;
  secret.isCurrent = secret.seen.version === secret.readVersion;
  if (secret.isCurrent) return;
  secret.read = undefined;
  onChange();
}
