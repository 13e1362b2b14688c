import { setTimeout as sleep } from 'node:timers/promises';
import type { Plan } from '../../change/plan.ts';
import { ReadError } from '../../collect/cluster-reader.ts';
import type { CalloutReport, FindingReport } from '../../diagnose/report.ts';
import { calloutId } from '../../facts/callout.ts';
import { remedyCatalogue } from '../../remedies/catalogue.ts';
import type { Examine, ResultLine } from '../change/carry-out.ts';
import { CalloutNameError } from '../choose-callouts.ts';
import type { Diagnosis } from '../doctor.ts';

/** Milliseconds between two runs of doctor. */
const pause = 1000;

/** Runs doctor for the named webhooks, or all. */
export type DiagnoseAgain = (
  callouts: readonly string[],
  onStage: (text: string) => void,
  /** Accept the beginning of a name. */
  byPrefix?: boolean,
) => Promise<Diagnosis>;

type Examined = Pick<Diagnosis['report'], 'callouts' | 'findings'> | 'gone';

async function examineNow(look: DiagnoseAgain, id: string): Promise<Examined> {
  try {
    return (await look([id], () => undefined)).report;
  } catch (error) {
    // Some remedies delete the webhook.
    if (error instanceof CalloutNameError) return 'gone';
    throw error;
  }
}

const good = (says: string): ResultLine => ({ good: true, says });
const bad = (says: string): ResultLine => ({ good: false, says });

function ofCallout({ verdict, ...callout }: CalloutReport): ResultLine {
  const id = calloutId(callout);
  if (verdict.state === 'healthy') return good(`doctor: the next call to ${id} will succeed`);
  const because = verdict.because.length === 0 ? '' : ` (${verdict.because.join(', ')})`;
  if (verdict.state === 'unknown')
    return bad(`doctor: unknown whether the next call to ${id} succeeds${because}`);
  const state = verdict.state === 'degraded' ? 'fails for some' : 'fails';
  return bad(`doctor: the next call to ${id} still ${state}${because}`);
}

const firstAidOf = ({ remedy }: Plan) =>
  remedyCatalogue.find(({ meta }) => meta.id === remedy)?.meta.firstAid;

/**
 * Verifies a plan that does not fix calls: no request is refused any more, or the finding no longer exists.
 */
function ofFinding(
  finding: FindingReport,
  plan: Plan,
  examined: Exclude<Examined, 'gone'>,
): ResultLine | undefined {
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

function resultLines(finding: FindingReport, plan: Plan, examined: Examined): readonly ResultLine[] {
  if (examined === 'gone') return [good(`doctor: ${finding.callout} no longer exists`)];
  const fixedCallouts = examined.callouts
    .filter((callout) => plan.fixes.includes(calloutId(callout)))
    .map(ofCallout);
  const isFixed = fixedCallouts.length > 0 && firstAidOf(plan) !== 'all-requests';
  const found = isFixed ? [] : [ofFinding(finding, plan, examined)];
  return [...fixedCallouts, ...found.flatMap((one) => one ?? [])];
}

/** Runs doctor repeatedly until the plan is verified, or the timeout is reached. */
export const examineFix =
  (look: DiagnoseAgain, finding: FindingReport, verifyFor: number, onStage: (text: string) => void) =>
  (plan: Plan): Examine | undefined => {
    const { callout } = finding;
    if (callout === undefined) return undefined;
    return async () => {
      const until = Date.now() + verifyFor;
      for (;;) {
        onStage(`waiting until ${callout} responds`);
        const found = await examineNow(look, callout).then(
          (examined) => resultLines(finding, plan, examined),
          (error: unknown) => {
            if (!(error instanceof ReadError)) throw error;
            return [bad(`doctor could not examine the cluster: ${error.message}`)];
          },
        );
        if (found.every((one) => one.good) || Date.now() > until) return found;
        await sleep(pause);
      }
    };
  };
