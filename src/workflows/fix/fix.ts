import { isDeepStrictEqual } from 'node:util';
import type { ChangeTools } from '../../change/apply.ts';
import type { ChangeEntry, ChangeReport } from '../../change/change-report.ts';
import { changeId } from '../../change/journal.ts';
import type { Plan } from '../../change/plan.ts';
import { catalogue as checks } from '../../checks/catalogue.ts';
import { whyNoRemedy } from '../../checks/check.ts';
import type { DoctorReport, FindingReport } from '../../diagnose/report.ts';
import type { ProbeLevel } from '../../facts/probes.ts';
import { unreadText } from '../../facts/unread.ts';
import { adviceText } from '../../phrases/advice.ts';
import { remedyCatalogue } from '../../remedies/catalogue.ts';
import type { Offer } from '../../remedies/plans-for.ts';
import { attachRemedies } from '../attach-remedies.ts';
import { carryOut } from '../change/carry-out.ts';
import type { ChangeOptions, ChangePrompts } from '../change/change-run.ts';
import { CannotStart } from '../cluster/cannot-start.ts';
import { type ClusterOptions, onClusterRaw } from '../cluster/with-cluster.ts';
import { type Diagnosis, examineCluster } from '../doctor.ts';
import { offersOf } from '../offers.ts';
import { candidates, chooseOne, type FixTarget, fixTarget, notFound } from './choose-finding.ts';
import { type DiagnoseAgain, examineFixes, type PlannedFix } from './examine-fix.ts';
import { joinedPlan } from './joined-plan.ts';

/** A patch for an object that is declared elsewhere: the cluster is not changed. */
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

/** One plan for each change: webhooks with the same backend have the same remedy. */
const differentPlans = (fixes: readonly PlannedFix[]): readonly Plan[] => [
  ...new Map(fixes.map(({ plan }) => [JSON.stringify([plan.edits, plan.print]), plan])).values(),
];

/** Applies the plans as one change, or prints the patch for objects that are declared elsewhere. */
async function carryOutTogether(
  { tools, prompts }: FixRun,
  look: DiagnoseAgain,
  fixes: readonly PlannedFix[],
  question: FixOptions,
): Promise<ChangeEntry> {
  const plan = joinedPlan(differentPlans(fixes));
  if (plan.print !== undefined && plan.edits.length === 0) return printed(tools, plan, plan.print);
  const { sameCluster: flags = '', verifyFor } = question;
  // Another cause that is left is reported with its fix.
  const lookWithFixes: DiagnoseAgain = async (...asked) => {
    const { report, snapshot } = await look(...asked);
    return { report: attachRemedies(report, snapshot, { isUnfiltered: true, sameCluster: flags }), snapshot };
  };
  const examine = examineFixes(lookWithFixes, fixes, verifyFor, prompts.stage);
  return carryOut({ tools, options: question.options, prompts }, plan, examine);
}

/** The interaction with the user, who also chooses a finding and a remedy. */
export interface FixPrompts extends ChangePrompts {
  /** Undefined if there is no terminal for questions. */
  readonly chooseFinding?: (findings: readonly FindingReport[]) => Promise<FindingReport>;
  readonly chooseRemedy?: (finding: FindingReport, offers: readonly Offer[]) => Promise<Offer>;
  /** Shows the chosen finding and its remedy. */
  readonly explain: (finding: FindingReport, offer: Offer) => void;
}

interface FixRun {
  readonly tools: ChangeTools;
  readonly prompts: FixPrompts;
}

/** The flags of `fix`. */
export interface FixOptions {
  /** FINDING or WEBHOOK, as typed. */
  readonly target?: string | undefined;
  /** Ids of remedies, separated by commas: one change. */
  readonly remedy?: string | undefined;
  /** The namespace for remedies that exclude one. */
  readonly namespace?: string | undefined;
  readonly options: ChangeOptions;
  /** Milliseconds to wait until doctor confirms the fix. */
  readonly verifyFor: number;
  /** Flags that select the same cluster, for suggested commands. */
  readonly sameCluster?: string;
}

/** Failed reads, which may be the reason that a finding is absent. */
const unreadTexts = ({ notLookedAt }: DoctorReport): readonly string[] =>
  notLookedAt.map((unread) => `Not read: ${unreadText(unread)} (${unread.detail ?? unread.why})`);

/** The report of a diagnosis with remedies, whose commands select the same cluster. */
const withRemedies = (
  { report, snapshot }: Diagnosis,
  { target, sameCluster: flags = '' }: FixOptions,
): DoctorReport =>
  attachRemedies(report, snapshot, { isUnfiltered: target === undefined, sameCluster: flags });

/** The findings that the argument matches. Throws CannotStart if there is none. */
function matchingFindings(
  diagnosis: Diagnosis,
  target: FixTarget,
  question: FixOptions,
): FindingReport | readonly FindingReport[] {
  const { report } = diagnosis;
  const found = candidates(report, target);
  const [only, ...others] = found;
  if (only === undefined)
    throw notFound(question.target ?? '', withRemedies(diagnosis, question), unreadTexts(report));
  return others.length === 0 ? only : found;
}

/** All findings about the same webhooks. */
function besides(
  meant: FindingReport | readonly FindingReport[],
  { findings }: DoctorReport,
): readonly FindingReport[] {
  const callouts = [meant].flat().map(({ callout }) => callout);
  return findings.filter(({ callout }) => callouts.includes(callout));
}

const helps = (offer: Offer): boolean => 'plan' in offer;

/** The reason that a remedy cannot be applied. */
function whyNot(offer: Offer): string {
  if ('refused' in offer) return offer.refused;
  if (!('unread' in offer)) return '';
  return `unknown: cannot read ${unreadText(offer.unread)} (${offer.unread.why})`;
}

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
    `there is no remedy for ${finding.check}: ${whyNoRemedy(finding.check, checks) ?? 'none applies in this case'}`,
    adviceText(finding.advice),
  );

/**
 * Runs doctor, chooses a finding and its remedy, and applies the remedy. Throws CannotStart if the user must choose first,
 * NeedsAnswer if there is no terminal.
 */
export async function fix(
  run: FixRun,
  look: DiagnoseAgain,
  question: FixOptions,
  checkIds: ReadonlyMap<string, string>,
): Promise<ChangeReport> {
  const { tools, prompts } = run;
  const target = fixTarget(question.target, checkIds);
  // --yes does not confirm what a prefix turns out to match.
  const acceptsPrefix =
    target.id === undefined && (!question.options.yes || question.options.dryRun !== undefined);
  const first = await look(target.callouts, prompts.stage, acceptsPrefix);
  const report = (changes: readonly ChangeEntry[]): ChangeReport => ({
    apiVersion: 'kubectl-webhook/v1',
    kind: 'ChangeReport',
    takenAt: tools.now().toISOString(),
    cluster: first.snapshot.cluster,
    changes,
  });
  if (isHealthy(first.report, question)) return report([]);
  const chosen = await chooseFindings(first, target, question, prompts);
  const callouts = [...new Set(chosen.flatMap(({ finding }) => finding.callout ?? []))];
  const closer =
    target.callouts.length > 0 || callouts.length === 0 ? first : await look(callouts, prompts.stage);
  const fixes: PlannedFix[] = [];
  for (const { remedy, finding } of chosen) {
    const current = foundAgain(finding, closer, question);
    const offers = offersOf(current, closer.report, closer.snapshot.facts, question.namespace);
    const offer = await chooseRemedy(current, offers, remedy, prompts);
    if (!('plan' in offer)) return report([refusal(tools, offer, whyNot(offer))]);
    if (!fixes.some(({ plan }) => plan.remedy === offer.plan.remedy)) prompts.explain(current, offer);
    fixes.push({ finding: current, plan: offer.plan });
  }
  return report([await carryOutTogether(run, look, fixes, question)]);
}

/** True if there is nothing to fix. Throws CannotStart if that is unknown. */
function isHealthy(report: DoctorReport, { target }: FixOptions): boolean {
  if (target !== undefined || report.findings.length > 0) return false;
  const unread = unreadTexts(report);
  if (unread.length === 0) return true;
  throw new CannotStart('doctor finds nothing to fix, but could not read everything', unread.join('\n'));
}

/** A finding to fix, and the remedy that the user named for it. */
interface ChosenFinding {
  readonly finding: FindingReport;
  readonly remedy: string | undefined;
}

/** True if this remedy can be applied. */
const hasPlan = (offers: readonly Offer[], remedy: string): boolean =>
  offers.some((offer) => offer.meta.id === remedy && 'plan' in offer);

/**
 * One finding for each named remedy. Several remedies are for several findings of the chosen webhooks. If
 * `CHECK:WEBHOOK` names a configuration, one remedy is for all its webhooks; several configurations are not changed at once.
 */
async function chooseFindings(
  diagnosis: Diagnosis,
  target: FixTarget,
  question: FixOptions,
  prompts: FixPrompts,
): Promise<readonly ChosenFinding[]> {
  const { report } = diagnosis;
  const matched = matchingFindings(diagnosis, target, question);
  const remedies = question.remedy?.split(',') ?? [undefined];
  const among = remedies.length === 1 ? matched : besides(matched, report);
  const offers = (finding: FindingReport) =>
    offersOf(finding, report, diagnosis.snapshot.facts, question.namespace);
  const [only, ...more] = remedies;
  if (target.id !== undefined && only !== undefined && more.length === 0) {
    const fitting = [among].flat().filter((finding) => hasPlan(offers(finding), only));
    const configurations = new Set(fitting.map(({ subject: { kind, name } }) => `${kind}/${name}`));
    if (fitting.length > 1 && configurations.size === 1)
      return fitting.map((finding) => ({ finding, remedy: only }));
  }
  const chosen: ChosenFinding[] = [];
  for (const remedy of remedies) {
    const choose =
      prompts.chooseFinding ??
      ((found: readonly FindingReport[]) => {
        throw chooseOne(found, withRemedies(diagnosis, question), remedy);
      });
    chosen.push({ remedy, finding: await chooseFinding(among, offers, remedy, choose) });
  }
  return chosen;
}

/** The same finding in a newer report. Throws CannotStart if it is absent. */
function foundAgain({ id }: FindingReport, diagnosis: Diagnosis, question: FixOptions): FindingReport {
  const { report } = diagnosis;
  const finding = report.findings.find((one) => one.id === id);
  if (finding !== undefined) return finding;
  throw notFound(id, withRemedies(diagnosis, question), unreadTexts(report));
}

/** True if the remedy makes the same change for all findings, so that there is nothing to choose. */
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
  choose: NonNullable<FixPrompts['chooseFinding']>,
): Promise<FindingReport> {
  if (!Array.isArray(meant)) return meant as FindingReport;
  const found: readonly FindingReport[] = meant;
  if (remedy !== undefined) {
    const fitting = found.filter((finding) => offersOf(finding).some(({ meta }) => meta.id === remedy));
    const [only, ...others] = fitting;
    if (only !== undefined && (others.length === 0 || doTheSame(fitting, offersOf, remedy))) return only;
    return choose(fitting.length === 0 ? found : fitting);
  }
  const withPlan = found.filter((finding) => offersOf(finding).some(helps));
  return choose(withPlan.length === 0 ? found : withPlan);
}

async function chooseRemedy(
  finding: FindingReport,
  offers: readonly Offer[],
  remedy: string | undefined,
  { chooseRemedy: choose }: FixPrompts,
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

/** Examines the cluster as doctor does, as often as needed. Each time opens a connection: minutes may pass between two. */
export const diagnoseWith = <T>(
  options: Pick<ClusterOptions, 'flags' | 'observe' | 'milliseconds'> & {
    readonly probe: ProbeLevel;
    /** Flags that select the same cluster in a suggested command, with a leading space. */
    readonly sameCluster: string;
  },
  run: (look: DiagnoseAgain) => Promise<T>,
): Promise<T> =>
  run((callouts, onStage, acceptsPrefix = false) =>
    onClusterRaw(options, (reader, prober) =>
      examineCluster(reader, {
        callouts,
        exactNames: !acceptsPrefix,
        now: new Date(),
        onStage,
        probe: { level: options.probe, prober },
        sameCluster: options.sameCluster,
      }),
    ),
  );
