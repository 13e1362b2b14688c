import { type Severity, severities } from '../../checks/chain.ts';

/** Filters for the findings that are shown and counted. Default: all. */
export interface ShownFindings {
  /** Only findings of these checks; empty for all. */
  readonly check?: readonly string[];
  readonly skip?: readonly string[];
  readonly severity?: Severity;
}

/** Returns true if a finding is shown and counted. Verdicts use all findings. */
export type ShowsFinding = (check: string, severity: Severity) => boolean;

/** The filter of these options; without options it shows every finding. */
export const findingFilter =
  ({ check = [], skip = [], severity: least = 'info' }: ShownFindings): ShowsFinding =>
  (id, severity) =>
    (check.length === 0 || check.includes(id)) &&
    !skip.includes(id) &&
    severities.indexOf(severity) <= severities.indexOf(least);
