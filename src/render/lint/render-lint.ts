import { groupBy } from '../../basics/collections.ts';
import { keyOf, refText } from '../../facts/object-ref.ts';
import type { LintFinding, LintReport } from '../../lint/lint-report.ts';
import { counted, firstOf } from '../../phrases/lists.ts';
import { notLookedAtLines } from '../terminal/not-looked-at.ts';
import { type Style, styleOf, wrap } from '../terminal/style.ts';
import { harmlessDocument } from '../text/harmless.ts';
import type { Look } from '../text/look.ts';

const indent = '  ';

/** Several webhooks of one configuration often have the same fault: they share a message. */
const groupOf = ({ severity, check, message, subject }: LintFinding): string =>
  JSON.stringify([severity, check, message, subject.kind, keyOf(subject), subject.webhook !== undefined]);

/** `12 error  ValidatingWebhookConfiguration policy (a.example.com and 3 more)`, with the message below it. */
function findingLines(
  [{ line, severity, subject, message, check }, ...others]: readonly [LintFinding, ...LintFinding[]],
  style: Style,
): string[] {
  const { paint, width } = style;
  const painted = { error: paint.red, warning: paint.yellow, info: paint.cyan }[severity](severity);
  const webhooks = [subject, ...others.map((other) => other.subject)].flatMap(({ webhook }) => webhook ?? []);
  const about = webhooks.length === 0 ? subject : { ...subject, webhook: firstOf(webhooks) };
  return [
    ...wrap(`${line} ${painted}  ${refText(about)}`, width, indent, `${indent}  `),
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
    ...[...groupBy(found, groupOf).values()].flatMap((alike) => findingLines(alike, style)),
    '',
  ]);
  const of = `${counted(summary.objects, 'object')} in ${counted(summary.files, 'file')}`;
  const there = cluster === undefined ? '' : `, applied to ${cluster.context ?? cluster.server}`;
  return [...files, ...notLookedAtLines(notLookedAt, style, false), `${of}${there}: ${count}`, ''].join('\n');
}
