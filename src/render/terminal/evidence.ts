import stringWidth from 'string-width';
import { groupBy } from '../../basics/collections.ts';
import type { FindingReport, NotTried, ReplicaReport } from '../../diagnose/report.ts';
import type { Evidence } from '../../facts/evidence.ts';
import { refText, sameObject } from '../../facts/object-ref.ts';
import { andMore } from '../../phrases/lists.ts';
import { labels } from '../text/labels.ts';
import { cut, type Style, wrap, wrapHard } from './style.ts';

const indent = '    ';

/** A row of two columns. A value that is too wide or has several lines starts on the line below its name. */
function row(name: string, value: string, column: number, style: Style): string[] {
  const { paint, width } = style;
  const used = indent.length + Math.max(stringWidth(name), column) + 2;
  const isShort = used + stringWidth(value) <= width;
  // A long word in a narrow column would be broken.
  const isBroken = value.split(' ').some((word) => used + stringWidth(word) > width);
  if (!value.includes('\n') && (isShort || (stringWidth(name) <= column && !isBroken))) {
    const first = `${indent}${paint.dim(name)}${' '.repeat(used - indent.length - stringWidth(name))}`;
    return wrapHard(value, width, first, ' '.repeat(used));
  }
  return [`${indent}${paint.dim(name)}`, ...wrapHard(value, width, `${indent}  `, `${indent}  `)];
}

/** Key of evidence: equal evidence of several Pods is printed once. */
const likeness = ({ object: { kind, namespace }, field, value }: Evidence): string =>
  JSON.stringify([kind, namespace, field, value.replace(/\bdial tcp \S+(?=: )/, 'dial tcp')]);

/**
 * Evidence that can be verified with plain kubectl, the lines of each. Fields of the subject are printed
 * without its name.
 */
export function evidenceRows(
  { evidence, subject }: Pick<FindingReport, 'evidence' | 'subject'>,
  style: Style,
  all: boolean,
): string[][] {
  const own = refText(subject);
  const alike = all ? evidence.map((one) => [one] as const) : [...groupBy(evidence, likeness).values()];
  const shown = alike.length <= 7 || all ? alike : alike.slice(0, 6);
  const hidden = alike.length - shown.length;
  const objectText = ({ object }: Evidence, others: number): string =>
    others === 0 ? refText(object) : `${refText(object)} (${andMore(others)})`;
  const name = ([one, ...others]: readonly [Evidence, ...Evidence[]]): string => {
    const text = objectText(one, others.length);
    if (one.field === undefined) return text;
    return text === own ? one.field : `${text} ${one.field}`;
  };
  const widths = shown.map((one) => stringWidth(name(one))).filter((width) => width <= style.width * 0.45);
  const column = Math.max(0, ...widths);
  const rows = shown.map((those, at) => {
    const [one] = those;
    const { object, field, value } = one;
    if (field === undefined || indent.length + stringWidth(name(those)) <= style.width)
      return row(name(those), value, column, style);
    const before = shown[at - 1]?.[0].object;
    const same = before !== undefined && sameObject(before, object);
    return [
      ...(same ? [] : [`${indent}${style.paint.dim(objectText(one, those.length - 1))}`]),
      ...row(`  ${field}`, value, 0, style),
    ];
  });
  return hidden === 0 ? rows : [...rows, [indent + andMore(hidden, '-o wide shows them')]];
}

const pace = ({ latencyMs }: ReplicaReport): string[] =>
  latencyMs === undefined ? [] : [`${latencyMs.toFixed(1)} ms`];

/** The Pods, those with problems first. */
export function replicaLines(replicas: readonly ReplicaReport[], style: Style, all: boolean): string[] {
  const { paint, marks } = style;
  const sorted = [
    ...replicas.filter(({ state }) => state !== 'ready'),
    ...replicas.filter(({ state }) => state === 'ready'),
  ];
  const names = sorted.map(({ pod, endpoint }) => [pod, endpoint].filter(Boolean).join('  '));
  const column = Math.max(0, ...names.map((name) => stringWidth(name)));
  const lines = sorted.map((replica, at) => {
    const name = names[at] ?? '';
    const state = replica.state === 'ready' ? paint.green(replica.state) : paint.red(replica.state);
    const facts = [
      state,
      ...(replica.leader ? ['leader'] : []),
      ...pace(replica),
      ...(replica.error ? [replica.error] : []),
    ];
    const front = `${indent}${name}${' '.repeat(column - stringWidth(name) + 2)}`;
    return wrapHard(facts.join(` ${marks.dot} `), style.width, front, `${indent}  `).join('\n');
  });
  return [...cut(lines, all ? undefined : 6, (rest) => indent + andMore(rest, '-o wide shows them'))];
}

/** What probes skipped: it must not be read as healthy. */
export const notTriedLines = (notTried: readonly NotTried[] | undefined, style: Style): string[] =>
  (notTried ?? []).flatMap(({ what, why }) =>
    wrap(`${labels.inconclusive}: ${what} (${why})`, style.width, indent, `${indent}  `).map((line) =>
      style.paint.dim(line),
    ),
  );
