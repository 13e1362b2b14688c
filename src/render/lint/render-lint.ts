import { groupBy } from '../../facts/collections.ts';
import { refText } from '../../facts/objects.ts';
import type { LintFinding, LintReport } from '../../lint/lint-report.ts';
import { counted } from '../../phrases/lists.ts';
import { harmlessDocument } from '../harmless.ts';
import type { Look } from '../look.ts';
import { notLookedAtLines } from '../terminal/not-looked-at.ts';
import { type Style, styleOf, wrap } from '../terminal/style.ts';

const indent = '  ';

/** `12 error  ValidatingWebhookConfiguration policy`, with the messages below it. */
function findingLines({ line, severity, subject, message, check }: LintFinding, style: Style): string[] {
  const { paint, width } = style;
  const painted = { error: paint.red, warning: paint.yellow, info: paint.cyan }[severity](severity);
  return [
    ...wrap(`${line} ${painted}  ${refText(subject)}`, width, indent, `${indent}  `),
    ...wrap(`${message} (${check})`, width, `${indent}  `),
  ];
}

/** Renders findings in manifests by file and line, and their count. */
export function renderLint(given: LintReport, look: Look): string {
  const { findings, summary, cluster, notLookedAt = [] } = harmlessDocument(given, look.unicode);
  const style = styleOf(look);
  const { error, warning, info } = summary.findings;
  const count =
    findings.length === 0
      ? 'no findings'
      : [counted(error, 'error'), counted(warning, 'warning'), `${info} info`].join(', ');
  const files = [...groupBy(findings, ({ file }) => file)].flatMap(([file, found]) => [
    style.paint.bold(file),
    ...found.flatMap((finding) => findingLines(finding, style)),
    '',
  ]);
  const of = `${counted(summary.objects, 'object')} in ${counted(summary.files, 'file')}`;
  const there = cluster === undefined ? '' : `, applied to ${cluster.context ?? cluster.server}`;
  return [...files, ...notLookedAtLines(notLookedAt, style, false), `${of}${there}: ${count}`, ''].join('\n');
}
