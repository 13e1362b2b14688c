import type { CalloutReport } from '../../diagnose/report.ts';
import { labels } from '../labels.ts';
import { logsOf } from '../log-text.ts';
import type { Style } from './style.ts';
import { wrap, wrapHard } from './wrap.ts';

const indent = '    ';

/** Log lines of containers that explain why they do not serve, with their meaning if it is known. */
export const logLines = (callout: Pick<CalloutReport, 'replicas'>, style: Style): string[] =>
  logsOf(callout).flatMap(({ of, lines, means }) => [
    ...wrap(`${of}:`, style.width, indent),
    ...lines.flatMap((line) => wrapHard(line, style.width, `${indent}  `, `${indent}    `)),
    ...(means === undefined
      ? []
      : wrap(`${labels.means}: ${means}`, style.width, `${indent}  `, `${indent}    `)),
  ]);
