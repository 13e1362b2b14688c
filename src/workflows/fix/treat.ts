import { setTimeout as sleep } from 'node:timers/promises';
import type { ChangeTools } from '../../change/apply.ts';
import type { ChangeEntry } from '../../change/change-report.ts';
import { changeId } from '../../change/journal.ts';
import type { Plan } from '../../change/plan.ts';
import type { FindingReport } from '../../diagnose/report.ts';
import { carryOut } from '../change/carry-out.ts';
import type { ChangeWay, Conversation } from '../change/conversation.ts';
import type { FixQuestion, Look } from './fix.ts';
import { judgeBy } from './judge-by.ts';

/** Milliseconds: the API server hears of a changed configuration from its own watch, within a second as a rule. */
const settling = 15_000;

/** A patch for somebody else's repository: nothing is changed here. */
const printed = (tools: ChangeTools, plan: Plan, print: string): ChangeEntry => ({
  id: changeId(tools.now()),
  remedy: plan.remedy,
  summary: plan.summary,
  steps: [],
  state: 'planned',
  why: 'the object is declared elsewhere: put this there',
  at: tools.now().toISOString(),
  warnings: plan.warnings,
  print,
});

/** Tries the second change until the first has taken effect. */
async function afterwards(
  tools: ChangeTools,
  plan: Plan,
  way: ChangeWay,
  conversation: Conversation,
  judge: Parameters<typeof carryOut>[4],
): Promise<ChangeEntry> {
  const until = Date.now() + settling;
  for (;;) {
    const entry = await carryOut(tools, plan, { ...way, yes: true }, conversation, judge);
    if (entry.state !== 'refused' || Date.now() > until) return entry;
    await sleep(500);
  }
}

/** Carries a plan out, and what comes after it. Every change that was tried comes back, in order. */
export async function treat(
  tools: ChangeTools,
  look: Look,
  finding: FindingReport,
  plan: Plan,
  question: FixQuestion,
  conversation: Conversation,
): Promise<readonly ChangeEntry[]> {
  if (plan.print !== undefined && plan.edits.length === 0) return [printed(tools, plan, plan.print)];
  const { way } = question;
  const judge = judgeBy(look, finding, question.verifyFor, conversation.stage);
  const { afterwards: next } = plan;
  if (next === undefined) return [await carryOut(tools, plan, way, conversation, judge(plan))];
  const entry = await carryOut(tools, plan, way, conversation, judge(plan));
  if (entry.state === 'planned') {
    // Nobody would let it through before the first has taken effect: it can be shown, not tried.
    return [entry, await carryOut(tools, next, { ...way, dryRun: 'client' }, conversation)];
  }
  if (entry.state !== 'verified') return [entry];
  return [entry, await afterwards(tools, next, way, conversation, judge(next))];
}
