import { setTimeout as sleep } from 'node:timers/promises';
import { parsePointer } from '../../basics/json-pointer.ts';
import type { ChangeTools } from '../../change/apply.ts';
import { ChangeRefused } from '../../change/change-refused.ts';
import type { ChangeEntry } from '../../change/change-report.ts';
import type { Step } from '../../change/plan.ts';
import type { PreparedPlan } from '../../change/prepare.ts';
import { type RecordedChange, type RecordedChanges, recordedChanges } from '../../change/recorded-changes.ts';
import { tryOut } from '../../change/try-out.ts';
import { close, notCarriedOut, prepareUndo, presentState, type UndoState, undo } from '../../change/undo.ts';
import { ReadError } from '../../collect/cluster.ts';
import { refText } from '../../facts/object-ref.ts';
import { CannotStart } from '../cluster/cannot-start.ts';
import { plainName } from '../selection/choose-callouts.ts';
import { plannedEntry, recordedEntry } from './change-entry.ts';
import { agreed, type ChangeOptions, type ChangePrompts, type ChangeRun, UndoneAfter } from './change-run.ts';
import { failingNow, verdicts } from './failure-policy.ts';

const ended: ReadonlySet<string> = new Set(['undone', 'refused']);

/** True if the change touches the named object: a configuration or a webhook by any of their names, a Deployment by its own. */
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

/** Newest first; changes in the journal of this machine before those that are recorded only in the cluster. */
function inOrder(changes: readonly RecordedChange[]): readonly RecordedChange[] {
  const newest = changes.toReversed();
  return [
    ...newest.filter(({ entry }) => entry !== undefined),
    ...newest.filter(({ entry }) => entry === undefined),
  ];
}

/** Objects that may contain records, and could not be read. */
type NotLookedAt = RecordedChanges['unread'];

/** The change to undo, and its present state. Changes that are no longer in place are closed and skipped, unless named. */
async function chosen(
  tools: ChangeTools,
  name: string | undefined,
): Promise<{ readonly undoing?: UndoState; readonly notLookedAt: NotLookedAt }> {
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
    if (undoing.isInPlace || undoing.notUndoable.length > 0) return { undoing, notLookedAt: unread };
    await close(tools, undoing);
  }
  return { notLookedAt: unread };
}

/** An undo. `unattended`: warnings are not collected, since there is no reader. */
interface UndoRun extends Omit<ChangeRun, 'options'> {
  readonly options: Pick<ChangeOptions, 'yes' | 'dryRun'> & { readonly unattended?: boolean };
}

/** The result of an undo: no entry if nothing is left to undo in the records that were read. */
export interface UndoResult {
  readonly entry?: ChangeEntry;
  readonly notLookedAt: NotLookedAt;
}

/** The longest value, in characters, that a question shows. */
const longestValue = 40;

/** The question for confirmation, with the values that will be restored. */
function restoreQuestion(steps: readonly Step[]): string {
  const actions = new Map<string, string[]>();
  for (const { object, operation, path = '', after } of steps) {
    const field = parsePointer(path).at(-1);
    const value = typeof after === 'object' || `${after}`.length >= longestValue ? '' : ` ${after}`;
    const onField = after === undefined ? `remove ${field} of` : `restore ${field}${value} for`;
    const action = operation === 'create' || operation === 'delete' ? operation : onField;
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
  const current = await verdicts(
    tools,
    closing.map(({ id }) => id),
    'probed',
  );
  if (current === undefined) return ['whether calls to these webhooks succeed now is unknown'];
  const failing = failingNow(current);
  return closing.flatMap(({ id, webhook }) =>
    failing.has(id)
      ? [`Calls to ${webhook} fail now: the API server will refuse every request that it matches.`]
      : [],
  );
}

/** Undoes a recorded change: the named one, or the newest that is in place. */
export async function undoChange(run: UndoRun, name: string | undefined): Promise<UndoResult> {
  run.prompts.stage('reading the recorded changes');
  const { undoing, notLookedAt } = await chosen(run.tools, name);
  if (undoing === undefined) return { notLookedAt };
  const entry = undoing.isInPlace ? await carryOutUndo(run, undoing) : await closeRecord(run, undoing);
  return { entry, notLookedAt };
}

/** A change that is not in place any more: only its record is closed. */
async function closeRecord({ tools, options }: UndoRun, undoing: UndoState): Promise<ChangeEntry> {
  const { change, notUndoable: beyond } = undoing;
  const { undo: _, ...recorded } = recordedEntry(change, tools);
  if (options.dryRun !== undefined)
    return { ...recorded, state: 'planned', why: 'the change is not in place' };
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

async function carryOutUndo(run: UndoRun, undoing: UndoState): Promise<ChangeEntry> {
  const { tools, options, prompts } = run;
  const { summary } = recordedEntry(undoing.change, tools);
  const overwrite = await mayOverwrite(undoing.changedSince, options, prompts);
  const prepared = await prepareUndo(tools, undoing, overwrite);
  const steps = prepared.steps.toReversed();
  const planned = await plannedUndo(run, undoing, prepared, steps);
  if (options.dryRun === 'client') return planned;
  prompts.stage('sending a server-side dry run');
  const tried = await tryOut(tools, prepared).catch((error: unknown) => {
    if (error instanceof ChangeRefused && !error.passing) return error;
    throw error;
  });
  if (tried instanceof ChangeRefused) return { ...planned, state: 'refused', why: tried.message };
  if (options.dryRun === 'server') return planned;
  prompts.show(planned);
  if (!(await agreed(run, restoreQuestion(steps))))
    return { ...planned, state: 'refused', why: 'it was not confirmed' };
  prompts.stage('undoing the change');
  const { result, interrupted } = await prompts.uninterruptible(
    () => undo(tools, undoing, tried),
    tools.undoCommand(undoing.change.id),
  );
  if (result.state !== 'undone') {
    return {
      ...planned,
      state: result.state === 'undoing' ? 'unknown' : 'refused',
      ...(result.why === undefined ? {} : { why: result.why }),
      undo: tools.undoCommand(undoing.change.id),
    };
  }
  if (interrupted) throw new UndoneAfter();
  return { ...planned, summary, state: 'undone', ...(await verifyUndo(tools, undoing)) };
}

/** The undo as it is shown before the question. */
async function plannedUndo(
  { tools, options }: UndoRun,
  { change, notUndoable: beyond }: UndoState,
  prepared: PreparedPlan,
  steps: readonly Step[],
): Promise<ChangeEntry> {
  const warnings = [
    ...beyond.map((text) => `Cannot be undone: ${text}`),
    ...(options.unattended ? [] : await refusedAgain(tools, steps)),
  ];
  return {
    ...plannedEntry(prepared),
    remedy: change.remedy,
    summary: `Undo ${change.id}: ${recordedEntry(change, tools).summary}`,
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}

/** Verifies that the previous values are restored and no record is left. */
async function verifyUndo(
  tools: ChangeTools,
  { change }: UndoState,
): Promise<Pick<ChangeEntry, 'checked' | 'why'>> {
  const after = await presentState(tools.reader, { ...change, state: 'applied' }).catch(() => undefined);
  if (after === undefined) return { checked: ['the result could not be read'] };
  if (!after.isInPlace && after.changedSince.length === 0)
    return { checked: ['every value is restored; no record is left'] };
  return { why: after.changedSince.join('; ') || 'someone made the change again' };
}

async function mayOverwrite(
  changedSince: readonly string[],
  { yes, dryRun }: Pick<ChangeOptions, 'yes' | 'dryRun'>,
  { confirm }: ChangePrompts,
): Promise<boolean> {
  if (changedSince.length === 0) return false;
  // --yes does not confirm this: it was given before.
  if (yes || dryRun !== undefined || confirm === undefined) {
    throw new ChangeRefused(`someone changed this since, so it is not restored: ${changedSince.join('; ')}`);
  }
  return confirm(
    `Someone changed this since: ${changedSince.join('; ')}. Restore the previous values anyway?`,
  );
}

/** Milliseconds between two tries to restore, at first and at most. */
const [firstPause, longestPause] = [2000, 30_000];

/**
 * Undoes a change at its deadline. Repeats it while the API server does not respond. Returns an entry with the state
 * `undone`, or `refused` if someone has changed the values since.
 */
export async function restore(
  tools: ChangeTools,
  id: string,
  prompts: ChangePrompts,
): Promise<ChangeEntry | undefined> {
  const run: UndoRun = {
    tools,
    options: { yes: true, unattended: true },
    prompts: { ...prompts, show: () => undefined },
  };
  for (let pause = firstPause; ; pause = Math.min(pause * 2, longestPause)) {
    let problem: string | undefined;
    const undone = await undoChange(run, id).catch((error: unknown) => {
      if (!(error instanceof ReadError || (error instanceof ChangeRefused && error.passing))) throw error;
      problem = error.message;
      return undefined;
    });
    const entry = undone?.entry;
    // An entry with an undo command is not final: the cause of the refusal may be temporary.
    if (entry !== undefined && (entry.undo === undefined || entry.state === 'undone')) return entry;
    if (pause === firstPause)
      prompts.warn(
        `failurePolicy is not restored yet: ${problem ?? entry?.why ?? 'the API server did not respond'}. This run tries again until it is. To restore it from elsewhere: ${tools.undoCommand(id)}`,
      );
    prompts.stage(`restoring failurePolicy failed; retrying in ${pause / 1000} s`);
    await sleep(pause);
  }
}
