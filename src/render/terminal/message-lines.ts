import stringWidth from 'string-width';
import type { FindingReport } from '../../diagnose/report.ts';
import { certainty } from '../labels.ts';
import type { Style } from './style.ts';
import { wrap } from './wrap.ts';

/** Messages begin small when they begin with a word, not a name. */
export const sentence = (message: string): string =>
  message.replace(/^[a-z](?=[a-z]* )/, (letter) => letter.toUpperCase());

/** The sentence of a finding, with how sure we are at the right edge of its first line. */
export function messageLines(
  message: string,
  confidence: FindingReport['confidence'],
  { paint, width }: Style,
): string[] {
  const sure = certainty[confidence];
  const [first = '', ...others] = wrap(sentence(message), width - sure.length - 2, '  ');
  const gap = Math.max(width - stringWidth(first) - sure.length, 2);
  return [`${first}${' '.repeat(gap)}${paint.dim(sure)}`, ...others];
}
