import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../basics/collections.ts';
import { type Edit, objectKey, type Plan } from '../../change/plan.ts';
import { refText } from '../../facts/object-ref.ts';
import { counted } from '../../phrases/lists.ts';
import { CannotStart } from '../cluster/cannot-start.ts';

/** Whether two edits change one field, or one field contains the other: only one can be applied. */
const overlap = (one: Edit, other: Edit): boolean => {
  if (objectKey(one.object) !== objectKey(other.object)) return false;
  const [a, b] = [`${one.path ?? ''}/`, `${other.path ?? ''}/`];
  // A restart writes its own annotation.
  const restarts = one.operation === 'restart' || other.operation === 'restart';
  return restarts ? one.operation === other.operation : a.startsWith(b) || b.startsWith(a);
};

function join(first: Plan, second: Plan): Plan {
  // What both change in the same way, such as a restart, is done once: after all that precedes it in both.
  const earlier = first.edits.filter((edit) => !second.edits.some((other) => isDeepStrictEqual(edit, other)));
  for (const edit of second.edits) {
    const same = earlier.find((other) => overlap(edit, other));
    if (same !== undefined)
      throw new CannotStart(
        `${first.remedy} and ${second.remedy} change the same field of ${refText(edit.object)}`,
        'Apply one of them, then the other.',
      );
  }
  const isPrinted = ({ print, edits }: Plan): boolean => print !== undefined && edits.length === 0;
  if (isPrinted(first) !== isPrinted(second))
    throw new CannotStart(
      `${first.remedy} and ${second.remedy} cannot be one change: only one of them can be applied here`,
    );
  const prints = [first.print, second.print].flatMap((print) => print ?? []);
  const typed = second.typed ?? first.typed;
  const needsFlag = first.needsFlag ?? second.needsFlag;
  return {
    remedy: first.remedy === second.remedy ? first.remedy : `${first.remedy},${second.remedy}`,
    summary: `${first.summary}. ${second.summary}`,
    edits: [...earlier, ...second.edits],
    fixes: [...new Set([...first.fixes, ...second.fixes])],
    warnings: [...new Set([...first.warnings, ...second.warnings])],
    ...defined({ typed, needsFlag, unsure: first.unsure ?? second.unsure }),
    ...(prints.length === 0 ? {} : { print: prints.join('---\n') }),
  };
}

/** Joins several plans to one change: one diff, question and undo. Throws {@link CannotStart}. */
export function joinedPlan(plans: readonly Plan[]): Plan {
  const [first, ...others] = plans;
  const joined = plans.reduce(join);
  // The same remedy for several webhooks: a sentence for each would be a long text.
  return first === undefined || others.length === 0 || joined.remedy !== first.remedy
    ? joined
    : { ...joined, summary: `${first.summary}; the same for ${counted(others.length, 'other webhook')}` };
}
