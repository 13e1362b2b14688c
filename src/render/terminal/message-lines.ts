import stringWidth from 'string-width';
import type { FindingReport } from '../../diagnose/report.ts';
import { certainty } from '../text/labels.ts';
import { type Style, wrap } from './style.ts';

/** The message of a finding, with its certainty right-aligned on the last line. */
export function messageLines(
  message: string,
  confidence: FindingReport['confidence'],
  { paint, width }: Style,
): string[] {
  const sure = certainty[confidence];
  const isFull = (line = ''): boolean => stringWidth(line) + 2 + sure.length > width;
  const wrapped = wrap(message, width, '  ');
  const lines = isFull(wrapped.at(-1)) ? wrap(message, width - sure.length - 2, '  ') : wrapped;
  const last = lines.pop() ?? '';
  const gap = Math.max(width - stringWidth(last) - sure.length, 2);
  return [...lines, `${last}${' '.repeat(gap)}${paint.dim(sure)}`];
}
