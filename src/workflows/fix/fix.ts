import { isDeepStrictEqual } from 'node:util';
import type { ChangeTools } from '../../change/apply.ts';
import type { ChangeEntry, ChangeReport } from '../../change/change-report.ts';
import { changeId } from '../../change/journal.ts';
import type { Plan } from '../../change/plan.ts';
import { catalogue as checks } from '../../checks/catalogue.ts';
import { whyNoRemedy } from '../../checks/check.ts';
import type { DoctorReport, FindingReport } from '../../diagnose/report.ts';
import { adviceText } from '../../facts/advice.ts';
import type { ProbeLevel } from '../../facts/probes.ts';
import { unreadText } from '../../facts/unread.ts';
import { remedyCatalogue } from '../../remedies/catalogue.ts';
import { type Offer, offersFor } from '../../remedies/plans-for.ts';
import { carryOut } from '../change/carry-out.ts';
import type { ChangeOptions, Conversation } from '../change/conversation.ts';
import { type Diagnosis, examineCluster } from '../doctor.ts';
import { CannotStart, type ClusterOptions, onCluster } from '../with-cluster.ts';
import { candidates, chooseOne, type FixTarget, fixTarget } from './choose-finding.ts';
import { joinedPlan } from './joined-plan.ts';
import { judgeBy, type LookAgain } from './judge-by.ts';
import { byId, problemOf } from './problem.ts';

/** A patch for somebody else's repository: nothing is changed here. */
const printed = (tools: ChangeTools, plan: Plan, print: string): ChangeEntry => ({
  id: changeId(tools.now()),
  remedy: plan.remedy,
  summary: plan.summary,
  steps: [],
  state: 'planned',
  why: 'the object is declared elsewhere: apply this patch there',
  at: tools.now().toISOString(),
  warnings: plan.warnings,
  print,
});

/** A finding and the plan that fixes it. */
interface PlannedFix {
  readonly finding: FindingReport;
  readonly plan: Plan;
}

/** Carries the plans out as one change, or prints what is to be done elsewhere. */
async function carryOutTogether(
  tools: ChangeTools,
  look: LookAgain,
  fixes: readonly PlannedFix[],
  question: FixQuestion,
  conversation: Conversation,
): Promise<ChangeEntry> {
  const plan = joinedPlan(fixes.map((one) => one.plan));
  if (plan.print !== undefined && plan.edits.length === 0) return printed(tools, plan, plan.print);
  const judges = fixes.flatMap(
    (one) => judgeBy(look, one.finding, question.verifyFor, conversation.stage)(one.plan) ?? [],
  );
  // Several findings of one webhook are judged by the same call.
  const judge = async () => {
    const judgements = (await Promise.all(judges.map((judgeOne) => judgeOne()))).flat();
    return [...new Map(judgements.map((one) => [one.says, one])).values()];
  };
  return carryOut(tools, plan, question.way, conversation, judge);
}

/** A conversation in which a finding and a remedy are chosen as well. */
export interface FixConversation extends Conversation {
  /** Absent: there is no terminal to ask on. */
  readonly chooseFinding?: (findings: readonly FindingReport[]) => Promise<FindingReport>;
  readonly chooseRemedy?: (finding: FindingReport, offers: readonly Offer[]) => Promise<Offer>;
  /** Tells what was chosen: the finding, what the remedy does, what it leaves. */
  readonly explain: (finding: FindingReport, offer: Offer) => void;
}

/** What the flags of `fix` ask for. */
export interface FixQuestion {
  /** FINDING or WEBHOOK, as typed. */
  readonly target?: string | undefined;
  /** Ids of remedies, with commas between them: together they are one change. */
  readonly remedy?: string | undefined;
  /** A namespace in need. */
  readonly namespace?: string | undefined;
  readonly way: ChangeOptions;
  /** Milliseconds to wait until doctor agrees that it helped. */
  readonly verifyFor: number;
}

/** What may be why something is not found. */
const couldNotLook = ({ notLookedAt }: DoctorReport): readonly string[] =>
  notLookedAt.map((unread) => `Not read: ${unreadText(unread)} (${unread.detail ?? unread.why})`);

/** Whoever has no terminal says it on the command line. */
function findingMeant(
  report: DoctorReport,
  target: FixTarget,
  question: FixQuestion,
): FindingReport | readonly FindingReport[] {
  const found = candidates(report, target);
  const [only, ...others] = found;
  if (only === undefined) {
    throw new CannotStart(
      `doctor finds no "${question.target}"`,
      ['All findings: kubectl webhook doctor -o name', ...couldNotLook(report)].join('\n'),
    );
  }
  return others.length === 0 ? only : found;
}

/** The findings about the webhooks of these ones. */
function besides(
  meant: FindingReport | readonly FindingReport[],
  { findings }: DoctorReport,
): readonly FindingReport[] {
  const callouts = [meant].flat().map(({ callout }) => callout);
  return findings.filter(({ callout }) => callouts.includes(callout));
}

const helps = (offer: Offer): boolean => 'plan' in offer;

/** The sentence about a remedy that cannot be had. */
const whyNot = (offer: Offer): string =>
  'refused' in offer
    ? offer.refused
    : 'unread' in offer
      ? `unknown: cannot read ${unreadText(offer.unread)} (${offer.unread.why})`
      : '';

function offerNamed(offers: readonly Offer[], id: string, { check }: FindingReport): Offer {
  const offer = offers.find(({ meta }) => meta.id === id);
  if (offer !== undefined) return offer;
  const known = remedyCatalogue.find(({ meta }) => meta.id === id);
  if (known === undefined) {
    throw new CannotStart(
      `there is no remedy "${id}"`,
      `All remedies: ${remedyCatalogue.map(({ meta }) => meta.id).join(', ')}`,
    );
  }
  const fitting = offers.filter(helps).map(({ meta }) => meta.id);
  throw new CannotStart(
    `remedy ${id} does not fit ${check} here`,
    fitting.length === 0 ? undefined : `Remedies that fit: ${fitting.join(', ')}`,
  );
}

/** The end of a run that changed nothing, for a reason of ours. */
const refusal = (tools: ChangeTools, { meta }: Offer, why: string): ChangeEntry => ({
  id: changeId(tools.now()),
  remedy: meta.id,
  summary: meta.title,
  steps: [],
  state: 'refused',
  why,
  at: tools.now().toISOString(),
});

const nothingHelps = (finding: FindingReport): CannotStart =>
  new CannotStart(
    `there is no remedy for ${finding.check}: ${whyNoRemedy(finding.check, checks) ?? 'none fits here'}`,
    adviceText(finding.advice),
  );

/**
 * From a finding to its remedy: doctor's report, the finding, its remedies, then the change with everything around it.
 * Throws CannotStart where something has to be chosen first, NeedsAnswer where nobody can be asked.
 */
export async function fix(
  tools: ChangeTools,
  look: LookAgain,
  question: FixQuestion,
  conversation: FixConversation,
  checkIds: ReadonlyMap<string, string>,
): Promise<ChangeReport> {
  const target = fixTarget(question.target, checkIds);
  // A yes that was given in advance was not about what a beginning turns out to mean.
  const begun = target.id === undefined && (!question.way.yes || question.way.dryRun !== undefined);
  const first = await look(target.callouts, conversation.stage, begun);
  const { snapshot, report } = first;
  const done = (changes: readonly ChangeEntry[]): ChangeReport => ({
    apiVersion: 'kubectl-webhook/v1',
    kind: 'ChangeReport',
    takenAt: tools.now().toISOString(),
    cluster: snapshot.cluster,
    changes,
  });
  if (question.target === undefined && report.findings.length === 0) {
    const unseen = couldNotLook(report);
    if (unseen.length === 0) return done([]);
    throw new CannotStart('doctor finds nothing to fix, but could not read everything', unseen.join('\n'));
  }
  const meant = findingMeant(report, target, question);
  const offersOf = (finding: FindingReport, { snapshot: seen, report: about }: Diagnosis): readonly Offer[] =>
    offersFor(
      problemOf(finding, about, byId(seen.facts.callouts), question.namespace),
      seen.facts,
      remedyCatalogue,
    );
  const remedies = question.remedy?.split(',') ?? [undefined];
  const chosen: { readonly remedy: string | undefined; readonly finding: FindingReport }[] = [];
  const offers = (finding: FindingReport) => offersOf(finding, first);
  // Several remedies are for several findings: all of the webhooks that are meant.
  const among = remedies.length === 1 ? meant : besides(meant, report);
  for (const remedy of remedies)
    chosen.push({ remedy, finding: await chooseFinding(among, offers, remedy, conversation) });
  const callouts = [...new Set(chosen.flatMap(({ finding }) => finding.callout ?? []))];
  const near =
    target.callouts.length > 0 || callouts.length === 0 ? first : await look(callouts, conversation.stage);
  const fixes: PlannedFix[] = [];
  for (const { remedy, finding: meantOne } of chosen) {
    const finding = near.report.findings.find(({ id }) => id === meantOne.id);
    if (finding === undefined)
      throw new CannotStart(
        `doctor no longer finds ${meantOne.id}: there is nothing to fix`,
        couldNotLook(near.report).join('\n') || undefined,
      );
    const offer = await chooseRemedy(finding, offersOf(finding, near), remedy, conversation);
    if (!('plan' in offer)) return done([refusal(tools, offer, whyNot(offer))]);
    conversation.explain(finding, offer);
    fixes.push({ finding, plan: offer.plan });
  }
  return done([await carryOutTogether(tools, look, fixes, question, conversation)]);
}

/** Several findings whose remedy comes to one and the same change: there is nothing to choose. */
function doTheSame(
  findings: readonly FindingReport[],
  offersOf: (finding: FindingReport) => readonly Offer[],
  remedy: string,
): boolean {
  const [first, ...others] = findings.map((finding) =>
    offersOf(finding).find(({ meta }) => meta.id === remedy),
  );
  if (first === undefined || !('plan' in first)) return false;
  const { edits, print } = first.plan;
  const same = ({ plan }: { readonly plan: Plan }): boolean =>
    isDeepStrictEqual([plan.edits, plan.print], [edits, print]);
  return others.every((offer) => offer !== undefined && 'plan' in offer && same(offer));
}

async function chooseFinding(
  meant: FindingReport | readonly FindingReport[],
  offersOf: (finding: FindingReport) => readonly Offer[],
  remedy: string | undefined,
  conversation: FixConversation,
): Promise<FindingReport> {
  if (!Array.isArray(meant)) return meant as FindingReport;
  const found: readonly FindingReport[] = meant;
  if (remedy !== undefined) {
    const fitting = found.filter((finding) => offersOf(finding).some(({ meta }) => meta.id === remedy));
    const [only, ...others] = fitting;
    if (only !== undefined && (others.length === 0 || doTheSame(fitting, offersOf, remedy))) return only;
    if (conversation.chooseFinding === undefined) throw chooseOne(fitting.length === 0 ? found : fitting);
    return conversation.chooseFinding(fitting.length === 0 ? found : fitting);
  }
  if (conversation.chooseFinding === undefined) throw chooseOne(found);
  const fixable = found.filter((finding) => offersOf(finding).some(helps));
  return conversation.chooseFinding(fixable.length === 0 ? found : fixable);
}

async function chooseRemedy(
  finding: FindingReport,
  offers: readonly Offer[],
  remedy: string | undefined,
  { chooseRemedy: choose }: FixConversation,
): Promise<Offer> {
  if (remedy !== undefined) return offerNamed(offers, remedy, finding);
  if (offers.length === 0) throw nothingHelps(finding);
  if (choose !== undefined) return choose(finding, offers);
  const list = offers.map(
    (offer) => `${offer.meta.id}: ${helps(offer) ? offer.meta.title : `refused: ${whyNot(offer)}`}`,
  );
  throw new CannotStart(
    'there is no terminal to choose a remedy: name one with --remedy ID',
    list.join('\n'),
  );
}

/** Hands out a way to look at the cluster as doctor does, as often as need be: a person reads and thinks between two looks. */
export const lookWith = <T>(
  way: Pick<ClusterOptions, 'flags' | 'observe' | 'milliseconds'> & { readonly probe: ProbeLevel },
  run: (look: LookAgain) => Promise<T>,
): Promise<T> =>
  run((callouts, onStage, begun = false) =>
    onCluster(way, (reader, prober) =>
      examineCluster(reader, {
        callouts,
        whole: !begun,
        now: new Date(),
        onStage,
        probe: { level: way.probe, prober },
      }),
    ),
  );
