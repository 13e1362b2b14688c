import type { ChangeTools } from '../../change/apply.ts';
import type { ChangeEntry } from '../../change/change-report.ts';
import { changeId } from '../../change/journal.ts';
import type { Plan } from '../../change/plan.ts';
import type { FindingReport } from '../../diagnose/report.ts';
import { carryOut } from '../change/carry-out.ts';
import type { Conversation } from '../change/conversation.ts';
import type { FixQuestion, Look } from './fix.ts';
import { judgeBy } from './judge-by.ts';

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

/** Carries a plan out, or prints what is to be done elsewhere. */
export async function treat(
  tools: ChangeTools,
  look: Look,
  finding: FindingReport,
  plan: Plan,
  question: FixQuestion,
  conversation: Conversation,
): Promise<ChangeEntry> {
  if (plan.print !== undefined && plan.edits.length === 0) return printed(tools, plan, plan.print);
  const judge = judgeBy(look, finding, question.verifyFor, conversation.stage);
  return carryOut(tools, plan, question.way, conversation, judge(plan));
}
