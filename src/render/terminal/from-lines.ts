import type { DoctorReport } from '../../diagnose/report.ts';
import type { Style } from './style.ts';
import { wrap } from './wrap.ts';

/** The answer to `--from`, and the words that led to it. */
export function fromLines({ from }: DoctorReport, style: Style): string[] {
  if (from === undefined) return [];
  const { message, missingPods = 0, words } = from;
  const lacks = missingPods === 0 ? '' : ` (it lacks ${missingPods === 1 ? '1 Pod' : `${missingPods} Pods`})`;
  return [
    ...wrap(`${message}${lacks}.`, style.width, '', '  '),
    ...words.flatMap(({ object, field, value }) =>
      wrap(`${object}${field === undefined ? '' : `, ${field}`}: ${value}`, style.width, '  ', '    ', true),
    ),
  ];
}
