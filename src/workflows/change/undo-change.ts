import { setTimeout as sleep } from 'node:timers/promises';
import type { ChangeTools } from '../../change/apply.ts';
import { ChangeRefused } from '../../change/change-refused.ts';
import type { ChangeEntry } from '../../change/change-report.ts';
import type { Step } from '../../change/plan.ts';
import { parsePointer } from '../../change/pointer.ts';
import { type RecordedChange, type RecordedChanges, recordedChanges } from '../../change/recorded-changes.ts';
import { tryOut } from '../../change/try-out.ts';
import { close, notCarriedOut, prepareUndo, presentState, type Undoing, undo } from '../../change/undo.ts';
import { ReadError } from '../../collect/cluster-reader.ts';
import { refText } from '../../facts/object-ref.ts';
import { plainName } from '../choose-callouts.ts';
import { CannotStart } from '../with-cluster.ts';
import { plannedEntry, recordedEntry } from './change-entry.ts';
import { agreed, type ChangeOptions, type Conversation, UndoneAfter } from './conversation.ts';
import { failingNow, verdicts } from './failure-policy.ts';

const ended: ReadonlySet<string> = new Set(['undone', 'refused']);

/** What a step touches: a configuration or a webhook by any of their names, a Deployment by its own. */
function touches({ steps }: RecordedChange, typed: string): boolean {
  const name = plainName(typed);
  return steps.some(({ object }) => {
    const kind = object.kind.replace(/WebhookConfiguration$/, '').toLowerCase();
    const names = [
      object.name,
      `${kind}/${object.name}`,
      ...(object.namespace === undefined ? [] : [`${object.namespace}/${object.name}`]),
      ...(object.webhook === undefined
        ? []
        : [object.webhook, `${object.name}/${object.webhook}`, `${kind}/${object.name}/${object.webhook}`]),
    ];
    return names.includes(name);
  });
}

/** Newest first; what this machine remembers before what only the cluster does. */
function inOrder(changes: readonly RecordedChange[]): readonly RecordedChange[] {
  const newest = changes.toReversed();
  return [
    ...newest.filter(({ entry }) => entry !== undefined),
    ...newest.filter(({ entry }) => entry === undefined),
  ];
}

/** Where records may be that could not be looked at. */
type NotLookedAt = RecordedChanges['unread'];

/** The change that is meant, and how it stands. Changes of which nothing stands are closed and skipped, unless named. */
async function chosen(
  tools: ChangeTools,
  name: string | undefined,
): Promise<{ readonly undoing?: Undoing; readonly notLookedAt: NotLookedAt }> {
  const { changes, unread, elsewhere } = await recordedChanges(tools.reader, tools.journal, tools.cluster);
  const exact = changes.find(({ id }) => id === name);
  if (exact !== undefined) return { undoing: await presentState(tools.reader, exact), notLookedAt: unread };
  const other = elsewhere.find(({ id }) => id === name);
  if (other !== undefined) {
    throw new CannotStart(
      `change ${name} belongs to another cluster, ${other.cluster.server}`,
      'Choose that cluster with --context.',
    );
  }
  const fitting = name === undefined ? changes : changes.filter((change) => touches(change, name));
  if (name !== undefined && fitting.length === 0) {
    const known = changes.filter(({ state }) => !ended.has(state)).map(({ id }) => id);
    const others = known.length === 0 ? [] : [`Recorded changes: ${known.join(', ')}`];
    const unseen = unread.map(({ what, why }) => `Not read: ${what} (${why})`);
    throw new CannotStart(
      unread.length === 0
        ? `no change "${name}" is recorded, on this machine or in the cluster`
        : `no change "${name}" is recorded on this machine, and not all records in the cluster could be read`,
      [...others, ...unseen].join('\n') || 'No change is left to undo.',
    );
  }
  for (const change of inOrder(fitting).filter(({ state }) => !ended.has(state))) {
    const undoing = await presentState(tools.reader, change);
    if (undoing.stands || undoing.beyond.length > 0) return { undoing, notLookedAt: unread };
    await close(tools, undoing);
  }
  return { notLookedAt: unread };
}

/** `unattended`: nobody reads warnings, and the deadline does not wait for them. */
type UndoWay = Pick<ChangeOptions, 'yes' | 'dryRun'> & { readonly unattended?: boolean };

/** What came of an undo: no entry when nothing is left to take back, as far as was looked. */
export interface Undone {
  readonly entry?: ChangeEntry;
  readonly notLookedAt: NotLookedAt;
}

/** Longest value, in characters, that a question repeats. */
const longestValue = 40;

/** What undo does, as a question: the values that will be there. */
function restoreQuestion(steps: readonly Step[]): string {
  const actions = new Map<string, string[]>();
  for (const { object, operation, path = '', after } of steps) {
    const field = parsePointer(path).at(-1);
    const value = typeof after === 'object' ? '' : ` ${after}`;
    const action =
      operation === 'create' || operation === 'delete'
        ? operation
        : after === undefined
          ? `remove ${field} of`
          : `restore ${field}${value.length > longestValue ? '' : value} for`;
    actions.set(action, [...(actions.get(action) ?? []), object.webhook ?? refText(object)]);
  }
  const text = [...actions].map(([action, names]) => `${action} ${names.join(', ')}`).join('; ');
  return text === '' ? 'Remove the record of this change?' : `${text[0]?.toUpperCase()}${text.slice(1)}?`;
}

/** Requests that the API server will refuse as soon as `failurePolicy: Fail` is back: a sentence for each webhook. */
async function refusedAgain(tools: ChangeTools, steps: readonly Step[]): Promise<readonly string[]> {
  const closing = steps.flatMap(({ object, path = '', after }) =>
    // Fail is the default of v1.
    path.endsWith('/failurePolicy') && after !== 'Ignore' && object.webhook !== undefined
      ? [
          {
            webhook: object.webhook,
            id: `${object.kind.startsWith('Mutating') ? 'mutating' : 'validating'}/${object.name}/${object.webhook}`,
          },
        ]
      : [],
  );
  if (closing.length === 0) return [];
  const seen = await verdicts(
    tools,
    closing.map(({ id }) => id),
  );
  if (seen === undefined) return ['unknown: whether calls to these webhooks succeed now'];
  const failing = failingNow(seen);
  return closing.flatMap(({ id, webhook }) =>
    failing.has(id)
      ? [`Calls to ${webhook} fail now: the API server will refuse every request that it matches.`]
      : [],
  );
}

/** Takes a recorded change back: the named one, or the newest that stands. */
export async function undoChange(
  tools: ChangeTools,
  name: string | undefined,
  way: UndoWay,
  conversation: Conversation,
): Promise<Undone> {
  conversation.stage('reading the recorded changes');
  const { undoing, notLookedAt } = await chosen(tools, name);
  if (undoing === undefined) return { notLookedAt };
  return { entry: await takeBack(tools, undoing, way, conversation), notLookedAt };
}

async function takeBack(
  tools: ChangeTools,
  undoing: Undoing,
  way: UndoWay,
  conversation: Conversation,
): Promise<ChangeEntry> {
  const { change, stands, changedSince, beyond } = undoing;
  const { undo: _, ...recorded } = recordedEntry(change, tools);
  if (!stands) {
    if (way.dryRun !== undefined) return { ...recorded, state: 'planned', why: 'the change is not in place' };
    if (beyond.length > 0)
      return { ...recorded, state: 'refused', why: `it cannot be undone: ${beyond.join('; ')}` };
    const closed = await close(tools, undoing);
    const never = closed?.state === 'refused';
    return {
      ...recorded,
      state: never ? 'refused' : 'undone',
      why: never ? `${notCarriedOut}: nothing to undo` : 'the change is no longer in place',
    };
  }
  const overwrite = await mayOverwrite(changedSince, way, conversation);
  const prepared = await prepareUndo(tools, undoing, overwrite);
  const steps = prepared.steps.toReversed();
  const warnings = [
    ...beyond.map((text) => `Cannot be undone: ${text}`),
    ...(way.unattended ? [] : await refusedAgain(tools, steps)),
  ];
  const planned: ChangeEntry = {
    ...plannedEntry(prepared),
    remedy: change.remedy,
    summary: `Undo ${change.id}: ${recorded.summary}`,
    ...(warnings.length === 0 ? {} : { warnings }),
  };
  if (way.dryRun === 'client') return planned;
  conversation.stage('sending a server-side dry run');
  const tried = await tryOut(tools, prepared).catch((error: unknown) => {
    if (error instanceof ChangeRefused && !error.passing) return error;
    throw error;
  });
  if (tried instanceof ChangeRefused) return { ...planned, state: 'refused', why: tried.message };
  if (way.dryRun === 'server') return planned;
  conversation.show(planned);
  if (!(await agreed(restoreQuestion(steps), way, conversation))) {
    return { ...planned, state: 'refused', why: 'it was not confirmed' };
  }
  conversation.stage('undoing the change');
  const { result: entry, interrupted } = await conversation.uninterruptible(() =>
    undo(tools, undoing, tried),
  );
  if (entry.state !== 'undone') {
    const state = entry.state === 'undoing' ? 'unknown' : 'refused';
    return {
      ...planned,
      state,
      ...(entry.why === undefined ? {} : { why: entry.why }),
      undo: tools.undoCommand(change.id),
    };
  }
  if (interrupted) throw new UndoneAfter();
  const { summary } = recorded;
  return { ...planned, summary, state: 'undone', ...(await seenAfter(tools, undoing)) };
}

/** The values from before are there again, and no record is left. */
async function seenAfter(
  tools: ChangeTools,
  { change }: Undoing,
): Promise<Pick<ChangeEntry, 'checked' | 'why'>> {
  const after = await presentState(tools.reader, { ...change, state: 'applied' }).catch(() => undefined);
  if (after === undefined) return { checked: ['the result could not be read'] };
  if (!after.stands && after.changedSince.length === 0)
    return { checked: ['every value is restored; no record is left'] };
  return { why: after.changedSince.join('; ') || 'someone made the change again' };
}

async function mayOverwrite(
  changedSince: readonly string[],
  { yes, dryRun }: Pick<ChangeOptions, 'yes' | 'dryRun'>,
  { confirm }: Conversation,
): Promise<boolean> {
  if (changedSince.length === 0) return false;
  // A yes that was given in advance was not about this.
  if (yes || dryRun !== undefined || confirm === undefined) {
    throw new ChangeRefused(`someone changed this since, so it is not restored: ${changedSince.join('; ')}`);
  }
  return confirm(
    `Someone changed this since: ${changedSince.join('; ')}. Restore the previous values anyway?`,
  );
}

/** Milliseconds between two tries to restore. */
const longestPause = 30_000;

/**
 * Takes a change back, again and again until the API server lets it happen: that was promised. Ends with an entry that
 * says `undone`, or `refused` where somebody else has changed it since.
 */
export async function restore(
  tools: ChangeTools,
  id: string,
  conversation: Conversation,
): Promise<ChangeEntry | undefined> {
  const quiet: Conversation = { ...conversation, show: () => undefined };
  for (let pause = 2000; ; pause = Math.min(pause * 2, longestPause)) {
    const undone = await undoChange(tools, id, { yes: true, unattended: true }, quiet).catch(
      (error: unknown) => {
        if (error instanceof ReadError || (error instanceof ChangeRefused && error.passing)) return undefined;
        throw error;
      },
    );
    const entry = undone?.entry;
    // A way back that is still told stands: what was in between may be over.
    if (entry !== undefined && (entry.undo === undefined || entry.state === 'undone')) return entry;
    conversation.stage(`restoring: the API server did not respond; retrying in ${pause / 1000} s`);
    await sleep(pause);
  }
}
