import stringWidth from 'string-width';
import type { CalloutReport, FindingReport, NotLookedAt } from '../../diagnose/report.ts';
import { namespaceOf } from './namespace-of.ts';
import type { Style } from './style.ts';

type Link = FindingReport['link'];
type Standing = 'good' | 'bad' | 'warning' | 'unknown' | 'open';

/** The links that a call passes, in order. A cause elsewhere (scope, ownership …) is shown behind them. */
const path: readonly Link[] = ['registration', 'routing', 'backend', 'replica', 'tls', 'response', 'network'];

/** Which reads decide a link. One that failed means that nobody knows, not that it is good. */
const decidedBy: Partial<Record<Link, RegExp>> = {
  routing: /^(services|namespaces)\b/i,
  backend: /^endpoint ?slices\b/i,
};

function unread(link: Link, callout: CalloutReport, notLookedAt: readonly NotLookedAt[]): boolean {
  const reads = decidedBy[link];
  const namespace = callout.backend.service?.namespace;
  return notLookedAt.some((item) => {
    const where = namespaceOf(item);
    const names = [item.what, ...(item.allow?.resources ?? [])];
    return names.some((name) => reads?.test(name)) && (where === undefined || where === namespace);
  });
}

/** Packets come before TLS, wherever the list shows them. */
const position = (link: Link): number => path.indexOf(link === 'network' ? 'tls' : link);

/** How far a call gets: to the broken link. A cause outside the path shows on it where its consequences do. */
function reaches(broken: Link | undefined, findings: readonly FindingReport[]): number {
  if (broken !== undefined && path.includes(broken)) return position(broken);
  const errors = findings.filter(({ link, severity }) => severity === 'error' && path.includes(link));
  return Math.min(path.length, ...errors.map(({ link }) => position(link)));
}

function standing(
  link: Link,
  callout: CalloutReport,
  findings: readonly FindingReport[],
  notLookedAt: readonly NotLookedAt[],
): Standing {
  const { state, link: broken } = callout.verdict;
  if (link === broken) return state === 'unknown' ? 'unknown' : state === 'degraded' ? 'warning' : 'bad';
  const here = findings.filter((finding) => finding.link === link).map(({ severity }) => severity);
  if (here.includes('error')) return 'bad';
  if (here.includes('warning')) return 'warning';
  if (link === 'network' || position(link) >= reaches(broken, findings)) return 'open';
  return unread(link, callout, notLookedAt) ? 'unknown' : 'good';
}

/**
 * Every link of the chain with its mark, as `registration ✔  routing ✖  backend ·`: where the call gets to, and what
 * nobody looked at because it does not get there.
 */
export function chainLine(
  callout: CalloutReport,
  findings: readonly FindingReport[],
  notLookedAt: readonly NotLookedAt[],
  { paint, marks, width }: Style,
): string[] {
  const { link: broken } = callout.verdict;
  if (broken === undefined) return [];
  const paints = {
    good: paint.green,
    bad: paint.red,
    warning: paint.yellow,
    unknown: paint.magenta,
    open: paint.dim,
  };
  const ready = callout.replicas.filter((replica) => replica.ready).length;
  const links = path.includes(broken) ? path : [...path, broken];
  const words = links.map((link) => {
    const how = standing(link, callout, findings, notLookedAt);
    const count =
      link === 'backend' && how !== 'open' && callout.replicas.length > 0
        ? ` ${ready}/${callout.replicas.length}`
        : '';
    return `${how === 'open' ? paint.dim(link) : link} ${paints[how](marks[how])}${count}`;
  });
  const indent = '    ';
  const [roomy, tight] = [words.join('  '), words.join(' ')];
  if (stringWidth(roomy) + indent.length <= width) return [indent + roomy];
  if (stringWidth(tight) + indent.length <= width) return [indent + tight];
  // A mark stays beside its link.
  const lines = [''];
  for (const word of words) {
    const line = lines.at(-1) ?? '';
    const longer = line === '' ? word : `${line}  ${word}`;
    if (stringWidth(longer) + indent.length <= width) lines.splice(-1, 1, longer);
    else lines.push(word);
  }
  return lines.map((line) => indent + line);
}
