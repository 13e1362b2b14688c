import type { FindingReport, Verdict } from '../../diagnose/report.ts';

/** Labels of terminal, Markdown and HTML, each spelled once. */
export const labels = {
  impact: 'Impact',
  blocks: 'Blocks',
  soFar: 'So far',
  selfRecovery: 'Self-recovery',
  mitigate: 'Mitigate',
  fix: 'Fix',
  manualFix: 'Manual fix',
  prevent: 'Prevent',
  alsoFix: 'Also fix',
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

/** Certainty of a finding or verdict, for people. JSON has `observed` and `derived`. */
export const certainty: Readonly<Record<FindingReport['confidence'], string>> = {
  observed: 'confirmed',
  derived: 'inferred',
};

/** Label of the error of a failed call. It names the API server only if that returned this error. */
export const errorLabel = ({ errorFrom }: Verdict): string =>
  errorFrom === 'observed' ? 'The API server says' : 'Expected error';

/** Label of a next command: for mitigation or for the fix. */
export const commandLabel: Readonly<Record<NonNullable<FindingReport['next']>[number]['when'], string>> = {
  now: labels.mitigate,
  fix: labels.fix,
};

/** The title of a fix, which states what the cluster has afterwards. */
export const asResult = (title: string): string => `Result: ${title}`;
