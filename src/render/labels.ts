import type { FindingReport, Verdict } from '../diagnose/report.ts';

/** Labels of terminal, Markdown and HTML, each spelled once. */
export const labels = {
  impact: 'Impact',
  blocks: 'Blocks',
  soFar: 'So far',
  selfRecovery: 'Self-recovery',
  mitigate: 'Mitigate',
  fix: 'Fix',
  manualFix: 'Manual fix',
  docs: 'Docs',
  details: 'Details',
  consequences: 'Consequences',
  otherFindings: 'Other findings',
  inconclusive: 'inconclusive',
  warning: 'Warning',
  notCovered: 'Not covered',
  log: 'Log',
  means: 'Means',
  next: 'Next',
} as const;

/** How sure a finding or a verdict is, for people; JSON says `observed` and `derived`. */
export const certainty: Readonly<Record<FindingReport['confidence'], string>> = {
  observed: 'confirmed',
  derived: 'inferred',
};

/** What stands before the words of a failed call: speech only where the API server did say them. */
export const errorLabel = ({ errorFrom }: Verdict): string =>
  errorFrom === 'observed' ? 'The API server says' : 'Expected error';

/** The label of a command that helps next: at once, or for good. */
export const commandLabel: Readonly<Record<NonNullable<FindingReport['next']>[number]['when'], string>> = {
  now: labels.mitigate,
  fix: labels.fix,
};
