import { setTimeout as sleep } from 'node:timers/promises';
import type { Plan } from '../../change/plan.ts';
import { ReadError } from '../../collect/cluster.ts';
import type { CalloutReport, FindingReport } from '../../diagnose/report.ts';
import { calloutId } from '../../facts/callout.ts';
import { agreeing, counted, countedWebhooks, firstOf } from '../../phrases/lists.ts';
import { remedyCatalogue } from '../../remedies/catalogue.ts';
import type { ResultLine, VerifyChange } from '../change/carry-out.ts';
import type { Diagnosis } from '../doctor.ts';
import { CalloutNameError } from '../selection/choose-callouts.ts';

/** Milliseconds between two runs of doctor. */
const pause = 1000;

/** Maximum number of webhooks whose results are a line each. */
const mostNamed = 3;

/** Runs doctor for the named webhooks, or all. */
export type DiagnoseAgain = (
  callouts: readonly string[],
  onStage: (text: string) => void,
  /** Accept the beginning of a name. */
  byPrefix?: boolean,
) => Promise<Diagnosis>;

/** A finding and the plan that fixes it. */
export interface PlannedFix {
  readonly finding: FindingReport;
  readonly plan: Plan;
}

interface Examined extends Pick<Diagnosis['report'], 'callouts' | 'findings'> {
  /** Ids of webhooks that no longer exist: some remedies delete them. */
  readonly gone: readonly string[];
}

async function examineNow(look: DiagnoseAgain, ids: readonly string[]): Promise<Examined> {
  try {
    return { ...(await look(ids, () => undefined)).report, gone: [] };
  } catch (error) {
    if (!(error instanceof CalloutNameError)) throw error;
    if (ids.length === 1) return { callouts: [], findings: [], gone: ids };
    const each: Examined[] = [];
    for (const id of ids) each.push(await examineNow(look, [id]));
    return {
      callouts: each.flatMap(({ callouts }) => callouts),
      findings: each.flatMap(({ findings }) => findings),
      gone: each.flatMap(({ gone }) => gone),
    };
  }
}

const good = (says: string): ResultLine => ({ good: true, says });
const bad = (says: string): ResultLine => ({ good: false, says });

/** The cause of a failure that is left after the fixed one, and its own fix. */
function otherCause(
  { verdict, ...callout }: CalloutReport,
  fixes: readonly PlannedFix[],
  { findings }: Examined,
): string | undefined {
  const [because] = verdict.because;
  const cause = findings.find((one) => one.check === because && one.callout === calloutId(callout));
  if (cause === undefined || fixes.some(({ finding }) => finding.check === because)) return undefined;
  const next = cause.next?.find(({ when }) => when === 'fix')?.command.text;
  return `${cause.message}${next === undefined ? '' : `. Next: ${next}`}`;
}

function ofCallout(callout: CalloutReport, fixes: readonly PlannedFix[], examined: Examined): ResultLine {
  const { verdict } = callout;
  const id = calloutId(callout);
  if (verdict.state === 'healthy') return good(`doctor: the next call to ${id} will succeed`);
  const because = verdict.because.length === 0 ? '' : ` (${verdict.because.join(', ')})`;
  if (verdict.state === 'unknown')
    return bad(`doctor: unknown whether the next call to ${id} succeeds${because}`);
  const state = verdict.state === 'degraded' ? 'fails for some' : 'fails';
  const other = otherCause(callout, fixes, examined);
  return bad(`doctor: the next call to ${id} still ${state}${other === undefined ? because : `: ${other}`}`);
}

const firstAidOf = ({ remedy }: Plan) =>
  remedyCatalogue.find(({ meta }) => meta.id === remedy)?.meta.firstAid;

/** Verifies a plan that fixes no call: no request is refused any more, or the finding no longer exists. */
function ofFinding(finding: FindingReport, plan: Plan, examined: Examined): ResultLine | undefined {
  const callout = examined.callouts.find((one) => calloutId(one) === finding.callout);
  const firstAid = firstAidOf(plan);
  if (firstAid === 'all-requests') {
    return callout?.failurePolicy === 'Ignore'
      ? good('doctor: requests are admitted while the call fails')
      : bad('doctor: requests are still refused');
  }
  // A plan for one of several namespaces does not change the finding.
  if (firstAid === 'one-namespace') return undefined;
  const still = examined.findings.some(({ id }) => id === finding.id);
  return still ? bad(`doctor still finds ${finding.check}`) : good(`doctor no longer finds ${finding.check}`);
}

/** The results of the calls that the plans fix; those that succeed are counted if they are many. */
function callLines(
  fixed: readonly CalloutReport[],
  fixes: readonly PlannedFix[],
  examined: Examined,
): readonly ResultLine[] {
  const lines = (callouts: readonly CalloutReport[]) =>
    callouts.map((callout) => ofCallout(callout, fixes, examined));
  const healthy = fixed.filter(({ verdict }) => verdict.state === 'healthy');
  if (healthy.length <= mostNamed) return lines(fixed);
  return [
    good(`doctor: the next calls to ${countedWebhooks(healthy)} will succeed`),
    ...lines(fixed.filter((one) => !healthy.includes(one))),
  ];
}

function resultLines(fixes: readonly PlannedFix[], examined: Examined): readonly ResultLine[] {
  const areFixed = (plan: Plan): readonly CalloutReport[] =>
    examined.callouts.filter((callout) => plan.fixes.includes(calloutId(callout)));
  const fixed = new Set(fixes.flatMap(({ plan }) => areFixed(plan)));
  const found = fixes.flatMap(({ finding, plan }) => {
    if (finding.callout !== undefined && examined.gone.includes(finding.callout)) return [];
    const isFixed = areFixed(plan).length > 0 && firstAidOf(plan) !== 'all-requests';
    return isFixed ? [] : (ofFinding(finding, plan, examined) ?? []);
  });
  const gone =
    examined.gone.length > mostNamed
      ? [good(`doctor: ${counted(examined.gone.length, 'webhook')} no longer exist`)]
      : examined.gone.map((id) => good(`doctor: ${id} no longer exists`));
  return [
    ...gone,
    ...callLines([...fixed], fixes, examined),
    ...new Map(found.map((one) => [one.says, one])).values(),
  ];
}

/** Runs doctor repeatedly until the plans are verified, or the timeout is reached. */
export function examineFixes(
  look: DiagnoseAgain,
  fixes: readonly PlannedFix[],
  verifyFor: number,
  onStage: (text: string) => void,
): VerifyChange | undefined {
  const ids = [...new Set(fixes.flatMap(({ finding }) => finding.callout ?? []))];
  if (ids.length === 0) return undefined;
  return async () => {
    const until = Date.now() + verifyFor;
    for (;;) {
      onStage(`waiting until ${firstOf(ids)} ${agreeing(ids.length, 'responds', 'respond')}`);
      const found = await examineNow(look, ids).then(
        (examined) => resultLines(fixes, examined),
        (error: unknown) => {
          if (!(error instanceof ReadError)) throw error;
          return [bad(`doctor could not examine the cluster: ${error.message}`)];
        },
      );
      if (found.every((one) => one.good) || Date.now() > until) return found;
      await sleep(pause);
    }
  };
}
