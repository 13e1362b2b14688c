import stringWidth from 'string-width';
import type { EvidenceReport, ReplicaReport } from '../../diagnose/report.ts';
import { cut } from './cut.ts';
import type { Style } from './style.ts';
import { wrap } from './wrap.ts';

const indent = '    ';

/** Two columns: what was looked at, and what was seen there. A value of many lines stands below its name. */
function rows(pairs: readonly (readonly [name: string, value: string])[], style: Style): string[] {
  const widths = pairs.map(([name]) => stringWidth(name)).filter((width) => width <= style.width * 0.45);
  const column = Math.max(0, ...widths);
  return pairs.flatMap(([name, value]) => {
    const fits = indent.length + stringWidth(name) + 2 + stringWidth(value) <= style.width;
    const long = value.includes('\n') || (stringWidth(name) > column && !fits);
    const room = style.width - indent.length - column - 2;
    if (long || (room < 24 && !fits)) {
      return [`${indent}${style.paint.dim(name)}`, ...wrap(value, style.width, `${indent}  `)];
    }
    const [first = '', ...others] = fits ? [value] : wrap(value, room);
    const gap = ' '.repeat(Math.max(column - stringWidth(name), 0) + 2);
    return [
      `${indent}${style.paint.dim(name)}${gap}${first}`,
      ...others.map((line) => `${indent}${' '.repeat(column + 2)}${line}`),
    ];
  });
}

/** What anyone can look up with plain kubectl to agree. */
export function evidenceLines(evidence: readonly EvidenceReport[], style: Style, all: boolean): string[] {
  const shown = all || evidence.length <= 7 ? evidence : evidence.slice(0, 6);
  const hidden = evidence.length - shown.length;
  const lines = rows(
    shown.map(({ object, field, value }) => [field === undefined ? object : `${object} ${field}`, value]),
    style,
  );
  return hidden === 0 ? lines : [...lines, `${indent}and ${hidden} more (-o wide shows them)`];
}

const pace = ({ latencyMs }: ReplicaReport): string[] =>
  latencyMs === undefined ? [] : [`${latencyMs.toFixed(1)} ms`];

/** The replicas, those in trouble first. */
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
    return `${indent}${name}${' '.repeat(column - stringWidth(name) + 2)}${facts.join(` ${marks.dot} `)}`;
  });
  return [
    ...cut(lines, all ? undefined : 6, (rest) => `${indent}and ${rest} more replicas (-o wide shows them)`),
  ];
}
