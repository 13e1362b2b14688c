import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { isJsonObject } from '../basics/collections.ts';
import type { Environment } from '../basics/environment.ts';
import type { ChangeHead } from '../facts/change-record.ts';
import type { Step } from './plan.ts';

/** The identity of a cluster: changes are recorded per cluster. */
export interface ClusterIdentity {
  /** Base URL of the API server. */
  readonly server: string;
  /** uid of the Namespace kube-system; undefined if it cannot be read. */
  readonly uid?: string;
}

/**
 * The state of a change. `intended`: written before the first request; only the cluster shows if that was
 * applied. `applied`: confirmed by the API server. `verified`: also verified afterwards. `unknown`: a request
 * without a clear response. `refused`: nothing was changed. `undoing`: the undo has started. `undone`:
 * undone.
 */
export type JournalState = 'intended' | 'applied' | 'verified' | 'unknown' | 'refused' | 'undoing' | 'undone';

/** One change in the journal of this machine. Contains no credential and nothing of a Secret. */
export interface JournalEntry extends ChangeHead {
  readonly apiVersion: 'kubectl-webhook/v1';
  readonly kind: 'JournalEntry';
  readonly cluster: ClusterIdentity;
  readonly summary: string;
  readonly state: JournalState;
  readonly why?: string;
  readonly steps: readonly Step[];
  /** `Kind namespace/name` of the objects that carry a record of it, if the request arrived. */
  readonly recordedIn: readonly string[];
}

/** All entries of the journal, for all clusters. */
export interface JournalContent {
  /** Oldest first. */
  readonly entries: readonly JournalEntry[];
  /** Files of the journal that cannot be read or parsed, or the folder itself: a path, and the reason. */
  readonly unreadable: readonly { readonly what: string; readonly why: string }[];
}

/** The error if the journal cannot be written: nothing was changed. One sentence, and the fix. */
export class JournalUnwritable extends Error {
  readonly exitCode = 2;
  constructor(folder: string, why: string) {
    super(
      `cannot record the previous values in ${folder} (${why}); nothing was changed\nSet XDG_STATE_HOME=FOLDER to use another folder.`,
    );
    this.name = 'JournalUnwritable';
  }
}

/** The journal of changes on this machine. */
export interface Journal {
  /** Throws {@link JournalUnwritable} if the journal cannot be written. Called before the prompt. */
  tryOut(): Promise<void>;
  /**
   * Replaces the entry with this id; it is on the disk when the promise is fulfilled. Throws {@link
   * JournalUnwritable}.
   */
  write(entry: JournalEntry): Promise<void>;
  read(): Promise<JournalContent>;
}

/**
 * `${XDG_STATE_HOME:-~/.local/state}/kubectl-webhook/journal`, `%LOCALAPPDATA%` on Windows. A relative
 * XDG_STATE_HOME is ignored (XDG Base Directory Specification): it would depend on the working directory.
 */
export function journalFolder(env: Environment, platform: NodeJS.Platform = process.platform): string {
  const given = env.XDG_STATE_HOME ?? '';
  const onUnix = isAbsolute(given) ? given : join(env.HOME || homedir(), '.local', 'state');
  const state = platform === 'win32' ? (env.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local')) : onUnix;
  return join(state, 'kubectl-webhook', 'journal');
}

/** Creates an id such as `20261122-063012-k3f9`: sorts by time, fits an annotation's key, can be typed. */
export const changeId = (now: Date): string =>
  `${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')}-${randomBytes(3).toString('hex')}`;

/** Compares clusters by uid if both are known, else by the server's address. */
export const sameCluster = (a: ClusterIdentity, b: ClusterIdentity): boolean =>
  a.uid !== undefined && b.uid !== undefined ? a.uid === b.uid : a.server === b.server;

const safeId = /^[\w-]+$/;

/** The size in bytes of the test file: more than most entries have. */
const trial = 16 * 1024;

/**
 * Creates a folder and its parents. Without `recursive`: on file systems that report ENOENT for every new
 * folder, such as /proc, Node would never return.
 */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await stat(folder)).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(folder) === folder) throw error;
    await makeFolder(dirname(folder));
    await mkdir(folder, { mode: 0o700 }).catch((again: NodeJS.ErrnoException) => {
      // Another run may have created it first.
      if (again.code !== 'EEXIST') throw again;
    });
  }
}

/** Writes a file atomically: it is complete on the disk, or does not exist. */
async function writeAtomically(file: string, text: string): Promise<void> {
  const handle = await open(file, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } catch (error) {
    await rm(file, { force: true }).catch(() => undefined);
    throw error;
  } finally {
    await handle.close();
  }
}

/** Stores one file per change, with mode 0600, in `folder`. */
export function fileJournal(folder: string): Journal {
  const unwritable = (error: unknown) => new JournalUnwritable(folder, (error as Error).message);
  return {
    async tryOut() {
      const draft = join(folder, `${process.pid}.tmp`);
      try {
        await makeFolder(folder);
        await writeAtomically(draft, ' '.repeat(trial));
        await rm(draft);
      } catch (error) {
        throw unwritable(error);
      }
    },
    async write(entry) {
      if (!safeId.test(entry.id)) throw new RangeError(`${entry.id} is not the id of a change`);
      const file = join(folder, `${entry.id}.json`);
      const draft = `${file}.${process.pid}.tmp`;
      try {
        await makeFolder(folder);
        await writeAtomically(draft, `${JSON.stringify(entry, null, 2)}\n`);
        await rename(draft, file);
        await syncFolder(folder);
      } catch (error) {
        throw unwritable(error);
      }
    },
    async read() {
      const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => error);
      if (!Array.isArray(names)) {
        return {
          entries: [],
          unreadable: names.code === 'ENOENT' ? [] : [{ what: folder, why: names.message }],
        };
      }
      const files = names.filter((name) => name.endsWith('.json')).map((name) => join(folder, name));
      const read = await Promise.all(files.map(entryIn));
      return {
        entries: read.filter((entry) => typeof entry !== 'string').sort((a, b) => (a.id < b.id ? -1 : 1)),
        unreadable: files.flatMap((what, at) => {
          const why = read[at];
          return typeof why === 'string' ? [{ what, why }] : [];
        }),
      };
    },
  };
}

async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder; its renames are journalled by the file system.
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

const isStep = (value: unknown): boolean =>
  isJsonObject(value) &&
  typeof value.operation === 'string' &&
  isJsonObject(value.object) &&
  typeof value.object.kind === 'string' &&
  typeof value.object.name === 'string';

function isEntry(value: unknown): value is JournalEntry {
  if (!isJsonObject(value) || value.kind !== 'JournalEntry' || !isJsonObject(value.cluster)) return false;
  const { id, remedy, summary, at, state, cluster, steps, recordedIn } = value;
  return (
    [id, remedy, summary, at, state, cluster.server].every((text) => typeof text === 'string') &&
    safeId.test(String(id)) &&
    Array.isArray(steps) &&
    steps.every(isStep) &&
    Array.isArray(recordedIn)
  );
}

/** Parses an entry, or returns the reason why the file has none. */
async function entryIn(file: string): Promise<JournalEntry | string> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    return isEntry(value) ? value : 'it is not an entry of the journal';
  } catch (error) {
    return (error as Error).message;
  }
}
