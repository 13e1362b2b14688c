import packageJson from '../../../package.json' with { type: 'json' };
import type { DoctorReport, FindingReport } from '../../diagnose/report.ts';
import { refText } from '../../facts/object-ref.ts';
import { type NotLookedAt, unreadText } from '../../facts/unread.ts';
import { adviceText } from '../../phrases/advice.ts';
import { harmlessDocument } from '../text/harmless.ts';
import { renderJson } from './json.ts';

const levels = { error: 'error', warning: 'warning', info: 'note' } as const;

/** A finding in a manifest has a file and line, and may have another documentation page than its check. */
type Located = FindingReport & { readonly file?: string; readonly line?: number; readonly page?: string };

function ruleOf(finding: Located) {
  const { check, title, checkTitle = title, why, advice, severity, link } = finding;
  const { page = `docs/checks/${check}.md` } = finding;
  return {
    id: check,
    shortDescription: { text: checkTitle },
    fullDescription: { text: why },
    help: { text: adviceText({ ...advice, names: {} }) },
    helpUri: `${packageJson.homepage}/blob/main/${page}`,
    defaultConfiguration: { level: levels[severity] },
    properties: { tags: [link] },
  };
}

/** The result of a finding. For an object of a cluster, its API path is used as the file. */
function resultOf(finding: Located, ruleIndex: number) {
  const { file, line } = finding;
  const { subject, evidence, confidence, causedBy } = finding;
  const path = [subject.kind, subject.namespace, subject.name].filter((part) => part !== undefined);
  const name = [...path, ...(subject.webhook === undefined ? [] : [subject.webhook])].join('/');
  const shown = evidence.map(
    ({ object, field, value }) => `${[refText(object), field].filter(Boolean).join(' ')}: ${value}`,
  );
  return {
    ruleId: finding.check,
    ruleIndex,
    kind: 'fail',
    level: levels[finding.severity],
    message: { text: [finding.message, ...shown].join('\n') },
    locations: [
      {
        physicalLocation: {
          artifactLocation: {
            uri: (file?.split(/[\\/]/) ?? path).map(encodeURIComponent).join('/'),
          },
          ...(line === undefined ? {} : { region: { startLine: line } }),
        },
        logicalLocations: [{ fullyQualifiedName: name, kind: 'resource' }],
      },
    ],
    partialFingerprints: { 'finding/v1': finding.id },
    properties: { confidence, ...(causedBy === undefined ? {} : { causedBy }) },
  };
}

const unreadOf = ({ why, detail, ...unread }: NotLookedAt) => ({
  level: 'warning' as const,
  message: {
    text: `Not examined: ${unreadText(unread)} (${why})${detail === undefined ? '' : `: ${detail}`}`,
  },
});

/** SARIF 2.1.0: a rule per check with findings, a result per finding, a notification per failed read. */
export function renderSarif(
  given: Pick<DoctorReport, 'takenAt'> &
    Partial<Pick<DoctorReport, 'notLookedAt' | 'cluster'>> & { readonly findings: readonly Located[] },
): string {
  const { findings, notLookedAt = [], cluster, takenAt } = harmlessDocument(given, true);
  const rules = [...new Map(findings.map((finding) => [finding.check, ruleOf(finding)])).values()];
  const log = {
    version: '2.1.0',
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    runs: [
      {
        tool: {
          driver: {
            name: 'kubectl-webhook',
            semanticVersion: packageJson.version,
            informationUri: packageJson.homepage,
            rules,
          },
        },
        invocations: [
          {
            executionSuccessful: notLookedAt.length === 0,
            endTimeUtc: takenAt,
            toolExecutionNotifications: notLookedAt.map(unreadOf),
          },
        ],
        results: findings.map((finding) =>
          resultOf(
            finding,
            rules.findIndex(({ id }) => id === finding.check),
          ),
        ),
        properties: { ...cluster },
      },
    ],
  };
  return renderJson(log);
}
