import { missingPermissions, userName } from '../../change/access-review.ts';
import { apply, type ChangeTools, dropAppliedRecord } from '../../change/apply.ts';
import { ChangeRefused } from '../../change/change-refused.ts';
import type { ChangeEntry } from '../../change/change-report.ts';
import type { Plan } from '../../change/plan.ts';
import { type PreparedPlan, prepare, prepareRequests } from '../../change/prepare.ts';
import { tryOut } from '../../change/try-out.ts';
import { revertedWrite } from '../../change/watch.ts';
import { noteOf } from '../../facts/change-record.ts';
import { deferringInterrupts } from '../time-slice.ts';
import { plannedEntry } from './change-entry.ts';
import { agreed, type ChangeRun, InterruptedAfter } from './change-run.ts';

/** The result of the verification after a change. */
export interface ResultLine {
  readonly good: boolean;
  /** One sentence. */
  readonly says: string;
}

/** Verifies a change after it was applied. Never throws: a failed read counts as not verified. */
export type VerifyChange = () => Promise<readonly ResultLine[]>;

/**
 * Prepares a plan, shows it, asks for confirmation, applies and verifies it. Every change uses this function. The entry has
 * the outcome: `planned` for a dry run, `refused`, `unknown`, `applied` (but not verified: `why`) or `verified`. Throws
 * NeedsAnswer if there is no terminal.
 */
export async function carryOut(run: ChangeRun, plan: Plan, examine?: VerifyChange): Promise<ChangeEntry> {
  const { tools, options, prompts } = run;
  const change = await prepared(run, plan);
  const early = endBeforeRequests(run, plan, change);
  if (early !== undefined) return early;
  prompts.stage('sending a server-side dry run');
  const tried = await checkPermissions(tools, change);
  if ('why' in tried)
    return {
      ...refused(plannedEntry(change), tried.why),
      ...(tried.allow.length === 0 ? {} : { allow: tried.allow }),
    };
  const planned = plannedEntry(tried);
  if (options.dryRun === 'server') return planned;
  await tools.journal.tryOut();
  prompts.show(planned);
  const objection = await whyNotConfirmed(run, plan);
  return objection === undefined ? applyAndVerify(run, tried, planned, examine) : refused(planned, objection);
}

const refused = (entry: ChangeEntry, why: string): ChangeEntry => ({ ...entry, state: 'refused', why });

/** Reads the objects of the plan, and derives its requests with the record of who changes them and why. */
async function prepared({ tools, options, prompts }: ChangeRun, plan: Plan): Promise<PreparedPlan> {
  prompts.stage('reading the objects to change');
  const found = await prepare(tools.reader, plan, tools.now());
  const by = options.reason === undefined ? undefined : await userName(tools.writer);
  const { until, id, reason } = options;
  return prepareRequests(found, tools.now(), { until, id, note: noteOf({ reason, by }) });
}

/** The risk that the user has not accepted with its flag. */
const unacceptedRisk = ({ options }: ChangeRun, { needsFlag }: Plan): Plan['needsFlag'] =>
  needsFlag !== undefined && !options.accepted.includes(needsFlag.flag) ? needsFlag : undefined;

/** The end of a run that sends nothing to the API server. */
function endBeforeRequests(run: ChangeRun, plan: Plan, change: PreparedPlan): ChangeEntry | undefined {
  const { options, prompts } = run;
  const planned = plannedEntry(change);
  const risk = unacceptedRisk(run, plan);
  // --yes does not confirm this question.
  const needsNoAnswer = options.yes || options.dryRun !== undefined || prompts.confirm === undefined;
  if (risk !== undefined && needsNoAnswer)
    return refused(planned, `${risk.because}; ${risk.flag} accepts that`);
  if (change.steps.length === 0)
    return { ...planned, state: 'verified', why: 'the object already has this value; nothing was changed' };
  return options.dryRun === 'client' ? planned : undefined;
}

/** Asks the user. Returns the reason if the change must not be applied. */
async function whyNotConfirmed(run: ChangeRun, plan: Plan): Promise<string | undefined> {
  const { tools, options } = run;
  const hint = 'use --yes to confirm, or --dry-run=server to change nothing';
  const risk = unacceptedRisk(run, plan);
  if (risk !== undefined && !(await agreed(run, `${risk.because}. Accept that?`, hint)))
    return 'it was not confirmed';
  if (!(await agreed(run, `${plan.summary}. Apply?`, hint, plan.typed))) return 'it was not confirmed';
  return options.until !== undefined && options.until <= tools.now()
    ? 'its deadline had passed before it was confirmed'
    : undefined;
}

/** Applies a confirmed change, and verifies its result. Throws InterruptedAfter. */
async function applyAndVerify(
  { tools, options, prompts }: ChangeRun,
  change: PreparedPlan,
  planned: ChangeEntry,
  examine: VerifyChange | undefined,
): Promise<ChangeEntry> {
  prompts.stage('applying the change');
  const { result, interrupted } = await prompts.uninterruptible(
    () => apply(tools, change),
    tools.undoCommand(change.id),
  );
  if (result.state === 'refused') return refused(planned, result.why ?? '');
  const applied: ChangeEntry = {
    ...planned,
    state: 'applied',
    undo: tools.undoCommand(change.id),
    ...(result.why === undefined ? {} : { why: result.why }),
  };
  if (result.state === 'unknown') return { ...applied, state: 'unknown' };
  if (result.why !== undefined) return applied;
  if (interrupted) throw new InterruptedAfter(applied);
  prompts.stage('verifying the result');
  const verified = await prompts.interruptible(() =>
    deferringInterrupts(() => verify(tools, change, options.watchFor, examine)),
  );
  if (verified === undefined) throw new InterruptedAfter(applied);
  const { good, why, checked } = verified;
  const recorded = await prompts.uninterruptible(async () => {
    await dropAppliedRecord(tools, change);
    if (good) await tools.journal.write({ ...result, state: 'verified' }).catch(() => undefined);
  });
  const entry: ChangeEntry = {
    ...applied,
    state: good ? 'verified' : 'applied',
    ...(good ? {} : { why }),
    checked,
  };
  if (recorded.interrupted) throw new InterruptedAfter(entry);
  return entry;
}

type PermissionResult =
  | PreparedPlan
  | { readonly why: string; readonly allow: NonNullable<ChangeEntry['allow']> };

/**
 * Checks permissions and sends dry runs in parallel. The dry run has precedence: before 1.37 webhooks can also refuse the
 * access review. A step that cannot have a dry run yet is refused if its permission is missing.
 */
async function checkPermissions(tools: ChangeTools, change: PreparedPlan): Promise<PermissionResult> {
  const [missing, tried] = await Promise.all([
    missingPermissions(tools.writer, change.requests),
    tryOut(tools, change).catch((error: unknown) => {
      if (error instanceof ChangeRefused) return error;
      throw error;
    }),
  ]);
  if (tried instanceof ChangeRefused) return { why: tried.message, allow: missing.map(({ allow }) => allow) };
  const later = missing.filter(
    ({ request }) => change.requests.indexOf(request) > 0 && request.afterPrevious,
  );
  if (later.length === 0) return tried;
  return {
    why: later.map(({ sentence }) => sentence).join('; '),
    allow: later.map(({ allow }) => allow),
  };
}

/**
 * Verifies for `milliseconds` that the change is not reverted. A status is not verified: its controller
 * overwrites it, as planned.
 */
async function notReverted(
  tools: ChangeTools,
  { id, steps }: PreparedPlan,
  milliseconds: number,
): Promise<readonly ResultLine[]> {
  const lasting = steps.filter(({ subresource }) => subresource !== 'status');
  if (lasting.length === 0) return [];
  const reverted = await revertedWrite(tools.reader, lasting, id, milliseconds);
  if (reverted !== undefined) return [{ good: false, says: reverted }];
  const seconds = Math.max(1, Math.round(milliseconds / 1000));
  return [{ good: true, says: `not reverted after ${seconds} s` }];
}

async function verify(
  tools: ChangeTools,
  change: PreparedPlan,
  watchFor: number,
  examine: VerifyChange | undefined,
) {
  const [lasting, examined] = await Promise.all([
    notReverted(tools, change, watchFor),
    examine === undefined ? [] : examine(),
  ]);
  const all = [...lasting, ...examined];
  const bad = all.filter(({ good }) => !good);
  return {
    good: bad.length === 0,
    why: bad.map(({ says }) => says).join('; '),
    checked: all.map(({ says }) => says),
  };
}
