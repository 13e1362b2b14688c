import { apply, type ChangeTools, dropAppliedRecord } from '../../change/apply.ts';
import { ChangeRefused } from '../../change/change-refused.ts';
import type { ChangeEntry } from '../../change/change-report.ts';
import type { Plan } from '../../change/plan.ts';
import { prepare, prepareRequests, type Ready } from '../../change/prepare.ts';
import { missingRights, userName } from '../../change/rights.ts';
import { tryOut } from '../../change/try-out.ts';
import { revertedWrite } from '../../change/watch.ts';
import { noteOf } from '../../facts/change-record.ts';
import { plannedEntry } from './change-entry.ts';
import { agreed, type ChangeOptions, type Conversation, InterruptedAfter } from './conversation.ts';

/** The result of the verification after a change. */
export interface Judgement {
  readonly good: boolean;
  /** One sentence. */
  readonly says: string;
}

/** Verifies a change after it was applied. Never throws: a failed read counts as not verified. */
export type Judge = () => Promise<readonly Judgement[]>;

/**
 * Prepares a plan, shows it, asks for confirmation, applies and verifies it. Every change uses this function. The entry has
 * the outcome: `planned` for a dry run, `refused`, `unknown`, `applied` (but not verified: `why`) or `verified`. Throws
 * NeedsAnswer if there is no terminal.
 */
export async function carryOut(
  tools: ChangeTools,
  plan: Plan,
  way: ChangeOptions,
  conversation: Conversation,
  judge?: Judge,
): Promise<ChangeEntry> {
  conversation.stage('reading the objects to change');
  const prepared = await prepare(tools.reader, plan, tools.now());
  const by = way.reason === undefined ? undefined : await userName(tools.writer);
  const note = noteOf({ reason: way.reason, by });
  const change = prepareRequests(prepared, tools.now(), way.until, way.id, note);
  const refused = (why: string, entry = plannedEntry(change)): ChangeEntry => ({
    ...entry,
    state: 'refused',
    why,
  });
  const { needsFlag } = plan;
  const unaccepted =
    needsFlag !== undefined && !way.accepted.includes(needsFlag.flag) ? needsFlag : undefined;
  // --yes does not answer this question.
  if (
    unaccepted !== undefined &&
    (way.yes || way.dryRun !== undefined || conversation.confirm === undefined)
  ) {
    return refused(`${unaccepted.because}; ${unaccepted.flag} accepts that`);
  }
  if (change.steps.length === 0)
    return { ...plannedEntry(change), state: 'verified', why: 'it is already so; nothing was changed' };
  if (way.dryRun === 'client') return plannedEntry(change);
  conversation.stage('sending a server-side dry run');
  const tried = await letThrough(tools, change);
  if ('why' in tried)
    return { ...refused(tried.why), ...(tried.allow.length === 0 ? {} : { allow: tried.allow }) };
  const planned = plannedEntry(tried);
  if (way.dryRun === 'server') return planned;
  await tools.journal.tryOut();
  conversation.show(planned);
  const hint = 'use --yes to confirm, or --dry-run=server to change nothing';
  if (
    unaccepted !== undefined &&
    !(await agreed(`${unaccepted.because}. Accept that?`, way, conversation, hint))
  )
    return refused('it was not confirmed', planned);
  if (!(await agreed(`${plan.summary}. Apply?`, way, conversation, hint, plan.typed)))
    return refused('it was not confirmed', planned);
  if (way.until !== undefined && way.until <= tools.now()) {
    return refused('its deadline had passed before it was confirmed', planned);
  }
  conversation.stage('applying the change');
  const { result: entry, interrupted } = await conversation.uninterruptible(() => apply(tools, tried));
  if (entry.state === 'refused') return refused(entry.why ?? '', planned);
  const made: ChangeEntry = {
    ...planned,
    state: 'applied',
    undo: tools.undoCommand(change.id),
    ...(entry.why === undefined ? {} : { why: entry.why }),
  };
  if (entry.state === 'unknown') return { ...made, state: 'unknown' };
  if (entry.why !== undefined) return { ...made, state: 'applied' };
  if (interrupted) throw new InterruptedAfter(made);
  conversation.stage('verifying the result');
  const seen = await conversation.looking(() => lookAfter(tools, tried, way, judge));
  if (seen === undefined) throw new InterruptedAfter(made);
  await dropAppliedRecord(tools, tried);
  if (seen.good) await tools.journal.write({ ...entry, state: 'verified' }).catch(() => undefined);
  return {
    ...made,
    state: seen.good ? 'verified' : 'applied',
    ...(seen.good ? {} : { why: seen.why }),
    checked: seen.checked,
  };
}

type LetThrough = Ready | { readonly why: string; readonly allow: NonNullable<ChangeEntry['allow']> };

/**
 * Checks permissions and sends dry runs in parallel. The dry run has precedence: before 1.37 webhooks can also refuse the
 * access review. A step that cannot have a dry run yet is refused if its permission is missing.
 */
async function letThrough(tools: ChangeTools, change: Ready): Promise<LetThrough> {
  const [missing, tried] = await Promise.all([
    missingRights(tools.writer, change.requests),
    tryOut(tools, change).catch((error: unknown) => {
      if (error instanceof ChangeRefused) return error;
      throw error;
    }),
  ]);
  if (tried instanceof ChangeRefused) return { why: tried.message, allow: missing.map(({ allow }) => allow) };
  const later = missing.filter(({ request }) => change.requests.indexOf(request) > 0 && request.inTurn);
  if (later.length === 0) return tried;
  return {
    why: later.map(({ sentence }) => sentence).join('; '),
    allow: later.map(({ allow }) => allow),
  };
}

interface Seen {
  readonly good: boolean;
  readonly why: string;
  readonly checked: readonly string[];
}

/** True if only a status was written: its controller overwrites it, as planned, so there is nothing to verify. */
async function whetherItStands(
  tools: ChangeTools,
  { id, steps }: Ready,
  milliseconds: number,
): Promise<readonly Judgement[]> {
  const lasting = steps.filter(({ subresource }) => subresource !== 'status');
  if (lasting.length === 0) return [];
  const back = await revertedWrite(tools.reader, lasting, id, milliseconds);
  if (back !== undefined) return [{ good: false, says: back }];
  const seconds = Math.max(1, Math.round(milliseconds / 1000));
  return [{ good: true, says: `not reverted after ${seconds} s` }];
}

async function lookAfter(
  tools: ChangeTools,
  change: Ready,
  way: ChangeOptions,
  judge: Judge | undefined,
): Promise<Seen> {
  const [stands, judged] = await Promise.all([
    whetherItStands(tools, change, way.watchFor),
    judge === undefined ? [] : judge(),
  ]);
  const all = [...stands, ...judged];
  const bad = all.filter(({ good }) => !good);
  return {
    good: bad.length === 0,
    why: bad.map(({ says }) => says).join('; '),
    checked: all.map(({ says }) => says),
  };
}
