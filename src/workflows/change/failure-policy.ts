import { setTimeout as sleep } from 'node:timers/promises';
import { groupBy } from '../../basics/collections.ts';
import { rfc3339, wholeSeconds } from '../../basics/time.ts';
import type { ChangeTools } from '../../change/apply.ts';
import type { ChangeEntry } from '../../change/change-report.ts';
import { createError } from '../../change/cluster-writer.ts';
import { changeId } from '../../change/journal.ts';
import type { Plan } from '../../change/plan.ts';
import { ReadError } from '../../collect/cluster.ts';
import { readFirst } from '../../collect/planner.ts';
import { isBroken } from '../../diagnose/report.ts';
import {
  type AdmissionCallout,
  byId,
  type Callout,
  calloutId,
  configurationsWithoutWebhooks,
  isAdmission,
} from '../../facts/callout.ts';
import { changeRecords, opens } from '../../facts/change-record.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { type Unread, unreadText } from '../../facts/unread.ts';
import { agreeing, listed } from '../../phrases/lists.ts';
import { CannotStart } from '../cluster/cannot-start.ts';
import { doctor } from '../doctor.ts';
import {
  CalloutNameError,
  configurationIds,
  hidesCallouts,
  type NamedCallouts,
  type NameOptions,
  namedCallouts,
  namedWithoutWebhooks,
} from '../selection/choose-callouts.ts';
import { carryOut, type ResultLine, type VerifyChange } from './carry-out.ts';
import type { ChangeRun } from './change-run.ts';
import { failClosedPlan, failOpenPlan } from './failure-policy-plan.ts';
import { defaultImage, restoredAt, restorerEdits, restorerInTime } from './restore-cronjob.ts';
import { trialFor } from './trial.ts';

/** The facts that decide which requests a webhook matches. */
const coveredFacts = ['version', 'callouts', 'configurations', 'namespaces', 'served'] as const;
type CoveredFacts = Pick<Facts, (typeof coveredFacts)[number]>;

interface Chosen {
  readonly callouts: readonly AdmissionCallout[];
  /** The webhooks behind names that are not those of configurations, for the question; empty if there are none. */
  readonly meant: string;
  readonly facts: CoveredFacts;
}

/** Prefers webhooks with a failurePolicy to other objects of the same name. */
function admissionFirst(callouts: readonly Callout[], name: string, naming: NameOptions): NamedCallouts {
  try {
    return namedCallouts(callouts.filter(isAdmission), name, naming);
  } catch (error) {
    if (!(error instanceof CalloutNameError && error.absent)) throw error;
    return namedCallouts(callouts, name, naming);
  }
}

/**
 * The webhooks with this name, which must be in one configuration. Throws CalloutNameError if they are in
 * several, CannotStart if it may be in a list that could not be read.
 */
function named(
  { callouts }: CoveredFacts,
  naming: NameOptions & { readonly withoutWebhooks: readonly string[]; readonly unread: readonly Unread[] },
  name: string,
): NamedCallouts {
  const found = admissionFirst(callouts, name, naming);
  const objects = new Set(found.callouts.map(({ ref }) => `${ref.kind} ${ref.name}`)).size;
  if (objects > 1)
    throw new CalloutNameError(
      `"${name}" is ambiguous: webhooks of ${objects} configurations have this name`,
      found.meaning === undefined ? configurationIds(found.callouts) : found.callouts.map(calloutId),
    );
  if (found.callouts.length > 0 || namedWithoutWebhooks(naming.withoutWebhooks, [name]).length > 0)
    return found;
  const unread = naming.unread.filter(hidesCallouts);
  throw new CannotStart(
    `unknown whether there is a webhook "${name}"`,
    unread.map((one) => `${unreadText(one)} could not be read: ${one.detail ?? one.why}`).join('\n'),
  );
}

/** Reads what exists and chooses the named webhooks. Throws CalloutNameError, CannotStart and ReadError. */
async function choose(
  { tools: { reader }, options: { yes, dryRun, namespace }, prompts }: ChangeRun,
  names: readonly string[],
): Promise<Chosen> {
  prompts.stage(`reading webhooks from ${reader.server}`);
  const { facts, failed } = await readFirst(reader, coveredFacts);
  const withoutWebhooks = configurationsWithoutWebhooks(facts);
  // --yes does not confirm what a prefix turns out to match.
  const naming = { withoutWebhooks, unread: failed, namespace, exactNames: yes && dryRun === undefined };
  const found = names.map((name) => [name, named(facts, naming, name)] as const);
  const chosen = found.flatMap(([, { callouts }]) => callouts);
  const empty = namedWithoutWebhooks(withoutWebhooks, names);
  if (chosen.length === 0 && empty.length > 0) {
    throw new CannotStart(
      `${listed(empty)} ${agreeing(empty.length, 'has', 'have')} no webhooks, so there is no failurePolicy to set`,
    );
  }
  const other = chosen.find((callout) => !isAdmission(callout));
  if (other !== undefined) {
    throw new CannotStart(`${calloutId(other)} has no failurePolicy: its calls always fail closed`);
  }
  const meant = found.flatMap(([name, { callouts, meaning }]) =>
    meaning === undefined ? [] : [`"${name}": ${callouts.map(calloutId).join(', ')}`],
  );
  return {
    callouts: [...new Set(chosen.filter(isAdmission))],
    facts,
    meant: meant.length === 0 ? '' : ` (${meant.join('; ')})`,
  };
}

/**
 * The current report of doctor about these webhooks, by id; undefined if they could not be examined. `probed`:
 * their Pods are called, too. The API server is not: while a webhook fails open, its dry runs succeed.
 */
export async function verdicts(tools: ChangeTools, ids: readonly string[], probed: 'probed' | 'objects') {
  const report = await doctor(tools.reader, {
    callouts: ids,
    exactNames: true,
    now: tools.now(),
    withoutSamples: true,
    probe: probed === 'probed' ? { level: 'review', prober: tools.prober, replicasOnly: true } : undefined,
  }).catch((error: unknown) => {
    if (error instanceof ReadError || error instanceof CalloutNameError) return undefined;
    throw error;
  });
  return report && byId(report.callouts);
}

/** The ids of webhooks whose calls fail now, to all Pods or to some. */
export const failingNow = (current: NonNullable<Awaited<ReturnType<typeof verdicts>>>): ReadonlySet<string> =>
  new Set([...current].flatMap(([id, { verdict }]) => (isBroken(verdict.state) ? [id] : [])));

/** Milliseconds until the API server must have noticed the change. */
const noticedWithin = 10_000;

/** Sends dry runs of an object that the webhook matches, until one is admitted or the time is over. */
async function trialResult(
  tools: ChangeTools,
  callout: AdmissionCallout,
  facts: CoveredFacts,
): Promise<readonly ResultLine[]> {
  const trial = trialFor(callout, facts);
  if (trial === undefined) return [];
  const failedCall = `failed calling webhook ${JSON.stringify(callout.webhook)}`;
  const until = Date.now() + noticedWithin;
  for (;;) {
    const objection = await createError(tools.writer, trial.path, trial.body);
    if (objection === undefined)
      return [{ good: true, says: `the API server would now create ${trial.what} (dry run)` }];
    const { says: refusal, permissionMissing } = objection;
    if (permissionMissing) {
      return [{ good: true, says: `unknown whether ${trial.what} can be created: ${refusal}` }];
    }
    if (!refusal.includes(failedCall)) {
      return [
        {
          good: true,
          says: `${callout.webhook} no longer blocks ${trial.what}; something else still refuses it: ${refusal}`,
        },
      ];
    }
    if (Date.now() > until)
      return [{ good: false, says: `the API server still refuses ${trial.what}: ${refusal}` }];
    await sleep(300);
  }
}

/** Verifies failopen: requests that the webhooks match are no longer refused when the calls fail. */
const opened =
  (tools: ChangeTools, { callouts, facts }: Chosen): VerifyChange =>
  async () => {
    const [current, trials] = await Promise.all([
      verdicts(tools, callouts.map(calloutId), 'objects'),
      Promise.all(callouts.map((callout) => trialResult(tools, callout, facts))),
    ]);
    const examined = together(callouts, (callout) => {
      const report = current?.get(calloutId(callout));
      if (report === undefined) return unexamined;
      const { state, effect, confidence } = report.verdict;
      if (effect === 'blocks')
        return { good: false, one: 'still blocks requests', many: 'still block requests' };
      const policy = `failurePolicy ${report.failurePolicy}`;
      const good = report.failurePolicy === 'Ignore';
      if (state !== 'healthy')
        return { good, one: `is ${state}, ${policy}`, many: `are ${state}, ${policy}` };
      const unknown = 'no known failure (not called)';
      return confidence === 'derived'
        ? { good, one: `has ${unknown}, ${policy}`, many: `have ${unknown}, ${policy}` }
        : { good, one: `responds, ${policy}`, many: `respond, ${policy}` };
    });
    return [...examined, ...trials.flat()];
  };

/** What a run of doctor after the change reports about a webhook, and about several. */
interface Examined {
  readonly good: boolean;
  readonly one: string;
  readonly many: string;
}

const unexamined: Examined = {
  good: false,
  one: 'could not be examined again',
  many: 'could not be examined again',
};

/** One line for all webhooks with the same result. */
const together = (
  callouts: readonly AdmissionCallout[],
  examined: (callout: AdmissionCallout) => Examined,
): readonly ResultLine[] => {
  const all = callouts.map((callout) => ({ webhook: callout.webhook, ...examined(callout) }));
  return [...groupBy(all, ({ one }) => one).values()].map((alike) => {
    const [{ good, one, many }] = alike;
    const names = listed(
      alike.map(({ webhook }) => webhook),
      { most: 3 },
    );
    return { good, says: `doctor: ${names} ${agreeing(alike.length, one, many)}` };
  });
};

/** Verifies failclosed: failurePolicy is Fail. */
const closed =
  (tools: ChangeTools, { callouts }: Chosen): VerifyChange =>
  async () => {
    const current = await verdicts(tools, callouts.map(calloutId), 'objects');
    return together(callouts, (callout) => {
      const report = current?.get(calloutId(callout));
      if (report === undefined) return unexamined;
      const { verdict, failurePolicy } = report;
      const text = `${verdict.state}, failurePolicy ${failurePolicy}`;
      return { good: failurePolicy === 'Fail', one: `is ${text}`, many: `are ${text}` };
    });
  };

const withMeaning = (plan: Plan, { meant }: Chosen): Plan => ({ ...plan, summary: plan.summary + meant });

/** Since when and until when it is open, according to the records in the configurations. */
function alreadyOpen({ undoCommand }: ChangeTools, { callouts }: Chosen): string {
  const records = callouts.flatMap(
    ({ metadata, webhook }) => changeRecords(metadata).findLast((record) => opens(record, webhook)) ?? [],
  );
  const openings = [...new Map(records.map((record) => [record.id, record])).values()].map(
    ({ id, at, until, by, reason }) =>
      [
        `already open since ${wholeSeconds(at)}${by === undefined ? '' : `, by ${by}`}${reason === undefined ? '' : ` (${reason})`}`,
        ...(until === undefined ? [] : [`to be restored at ${wholeSeconds(until)}`]),
        `\`${undoCommand(id)}\` restores it`,
      ].join(', '),
  );
  return openings.length === 0
    ? 'already open: failurePolicy is Ignore, and no record says since when; nothing was changed'
    : `${openings.join('; ')}; nothing was changed`;
}

/** The CronJob that restores the configuration of `failopen`. */
interface RestorerOptions {
  readonly namespace: string;
  /** Default: the image of kubectl in the version of the API server. */
  readonly image?: string | undefined;
}

/** `failopen`: the named webhooks admit requests while they do not respond. */
export async function failOpen(
  run: ChangeRun,
  names: readonly string[],
  restorer?: RestorerOptions,
): Promise<ChangeEntry> {
  const { tools, options } = run;
  const chosen = await choose(run, names);
  const plan = withMeaning(failOpenPlan(chosen.callouts, chosen.facts), chosen);
  const { until, id = changeId(tools.now()) } = options;
  const withId = { ...run, options: { ...options, id } };
  if (restorer !== undefined && until !== undefined && plan.edits.length > 0)
    return failOpenWithRestorer(withId, plan, chosen, { ...restorer, id, until });
  const alone =
    until === undefined || options.detached !== true
      ? []
      : [
          `With --detach it is not restored automatically at ${rfc3339(until)}: run \`${tools.undoCommand(id)}\` then.`,
        ];
  const warned = { ...plan, warnings: [...plan.warnings, ...alone] };
  const entry = await carryOut(withId, warned, opened(tools, chosen));
  if (entry.state !== 'verified' || entry.steps.length > 0) return entry;
  // The time of the record applies.
  const { until: _, ...unchanged } = entry;
  return { ...unchanged, why: alreadyOpen(tools, chosen) };
}

/** Creates the CronJob that restores the configuration in the same change. */
async function failOpenWithRestorer(
  run: ChangeRun,
  plan: Plan,
  chosen: Chosen,
  restorer: RestorerOptions & { readonly id: string; readonly until: Date },
): Promise<ChangeEntry> {
  const { tools } = run;
  const closed = chosen.callouts.filter(({ failurePolicy }) => failurePolicy !== 'Ignore');
  if (new Set(closed.map(({ ref }) => `${ref.kind} ${ref.name}`)).size > 1) {
    throw new CannotStart('--restore-with=cronjob restores one configuration: name only one');
  }
  const { id, until, namespace, image = defaultImage(chosen.facts.version) } = restorer;
  const known = `A CronJob in namespace ${namespace} restores it at ${rfc3339(restoredAt(until))} and deletes itself. Its node must be able to pull the image ${image}; this is not tested. doctor reports when the restore is overdue.`;
  const durable = {
    ...plan,
    edits: [...plan.edits, ...restorerEdits(id, until, closed, { namespace, image })],
    warnings: [...plan.warnings, known],
  };
  const examine = opened(tools, chosen);
  return carryOut(run, durable, async () =>
    (await Promise.all([examine(), restorerInTime(tools, id, namespace, until)])).flat(),
  );
}

/** `failclosed`: the API server refuses requests while the named webhooks do not respond. */
export async function failClosed(run: ChangeRun, names: readonly string[]): Promise<ChangeEntry> {
  const { tools } = run;
  const chosen = await choose(run, names);
  run.prompts.stage('calling the webhooks');
  const current = await verdicts(tools, chosen.callouts.map(calloutId), 'probed');
  if (current === undefined)
    throw new CannotStart('unknown whether these webhooks respond: doctor could not examine them');
  const plan = withMeaning(failClosedPlan(chosen.callouts, chosen.facts, failingNow(current), tools), chosen);
  return carryOut(run, plan, closed(tools, chosen));
}
