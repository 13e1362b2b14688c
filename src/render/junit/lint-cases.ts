import { groupBy } from '../../basics/collections.ts';
import { refText } from '../../facts/object-ref.ts';
import type { LintFinding, LintReport } from '../../lint/lint-report.ts';
import { harmlessDocument } from '../text/harmless.ts';
import { type JunitCase, junitXml } from './junit-xml.ts';
import { caseOfUnread, findingText } from './report-cases.ts';

function caseOf(file: string, name: string, findings: readonly LintFinding[]): JunitCase {
  const worst = findings.find(({ severity }) => severity === 'error');
  return {
    classname: file,
    name,
    ...(worst === undefined
      ? {}
      : { outcome: { kind: 'failure', type: worst.check, message: `line ${worst.line}: ${worst.message}` } }),
    text: findings.map((finding) => `line ${finding.line}: ${findingText(finding)}`).join('\n\n'),
  };
}

/** JUnit XML: a case per object with findings, and one per failed read of the cluster. */
export function renderLintJunit(given: LintReport): string {
  const { findings, takenAt, notLookedAt = [] } = harmlessDocument(given, true);
  const objects = groupBy(findings, ({ file, subject }) => `${file} ${refText(subject)}`);
  return junitXml({
    name: 'kubectl webhook lint',
    timestamp: takenAt,
    cases: [
      ...[...objects.values()].map((found) => caseOf(found[0].file, refText(found[0].subject), found)),
      ...notLookedAt.map(caseOfUnread),
    ],
  });
}
