import stringWidth from 'string-width';
import type { CalloutReport, FindingReport } from '../../diagnose/report.ts';
import type { NotLookedAt } from '../../facts/unread.ts';
import { chainOf } from '../chain.ts';
import type { Style } from './style.ts';

/**
 * Every link of the chain with its mark, as `registration ✔  routing ✖  backend ·`: where the call gets to, and what
 * nobody looked at because it does not get there.
 */
export function chainLine(
  callout: CalloutReport,
  findings: readonly FindingReport[],
  notLookedAt: readonly NotLookedAt[],
  { paint, marks, width }: Style,
): string[] {
  if (callout.verdict.link === undefined) return [];
  const paints = {
    good: paint.green,
    bad: paint.red,
    warning: paint.yellow,
    unknown: paint.magenta,
    open: paint.dim,
  };
  const words = chainOf(callout, findings, notLookedAt).map(({ link, standing, count }) => {
    const behind = count === undefined ? '' : ` ${count}`;
    return `${standing === 'open' ? paint.dim(link) : link} ${paints[standing](marks[standing])}${behind}`;
  });
  const indent = '    ';
  const [roomy, tight] = [words.join('  '), words.join(' ')];
  if (stringWidth(roomy) + indent.length <= width) return [indent + roomy];
  if (stringWidth(tight) + indent.length <= width) return [indent + tight];
  // A mark stays beside its link.
  const lines = [''];
  for (const word of words) {
    const line = lines.at(-1) ?? '';
    const longer = line === '' ? word : `${line}  ${word}`;
    if (stringWidth(longer) + indent.length <= width) lines.splice(-1, 1, longer);
    else lines.push(word);
  }
  return lines.map((line) => indent + line);
}
