import stringWidth from 'string-width';
import type { FindingReport } from '../../diagnose/report.ts';
import type { Style } from './style.ts';
import { wrap } from './wrap.ts';

/** The sentence of a finding, with how sure we are at the right edge of its first line. */
export function messageLines(
  message: string,
  confidence: FindingReport['confidence'],
  { paint, width }: Style,
): string[] {
  const [first = '', ...others] = wrap(message, width - confidence.length - 2, '  ');
  const gap = Math.max(width - stringWidth(first) - confidence.length, 2);
  return [`${first}${' '.repeat(gap)}${paint.dim(confidence)}`, ...others];
}
