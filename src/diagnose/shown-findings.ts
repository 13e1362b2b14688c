import { type Severity, severities } from '../checks/check.ts';

/** Which findings are shown and counted: all, unless told. */
export interface ShownFindings {
  /** Only those of these checks; empty for all. */
  readonly check?: readonly string[];
  readonly skip?: readonly string[];
  /** The least severity. */
  readonly severity?: Severity;
}

/** Which findings to show and to count. Verdicts rest on all of them. */
export type Show = (check: string, severity: Severity) => boolean;

export const showing =
  ({ check = [], skip = [], severity: least = 'info' }: ShownFindings): Show =>
  (id, severity) =>
    (check.length === 0 || check.includes(id)) &&
    !skip.includes(id) &&
    severities.indexOf(severity) <= severities.indexOf(least);
