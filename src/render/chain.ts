import type { CalloutReport, FindingReport } from '../diagnose/report.ts';
import { isReadOf, type NotLookedAt } from '../facts/unread.ts';

type Link = FindingReport['link'];
export type Standing = 'good' | 'bad' | 'warning' | 'unknown' | 'open';

/** The links that a call passes, in order. A cause elsewhere (scope, ownership …) is shown behind them. */
const path: readonly Link[] = ['registration', 'routing', 'backend', 'replica', 'tls', 'response', 'network'];

/** Which reads decide a link. One that failed means that nobody knows, not that it is good. */
const decidedBy: Partial<Record<Link, readonly string[]>> = {
  routing: ['services', 'namespaces'],
  backend: ['endpointslices'],
};

function unread(link: Link, callout: CalloutReport, notLookedAt: readonly NotLookedAt[]): boolean {
  const namespace = callout.backend.service?.namespace;
  return notLookedAt.some((item) => isReadOf(item, decidedBy[link] ?? [], namespace));
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

/** One link of a callout's chain. */
export interface ChainPart {
  readonly link: Link;
  readonly standing: Standing;
  /** `2/3`: ready replicas and all, at the backend. */
  readonly count?: string;
}

/** Links that no object tells of: they are known where a probe has passed them. */
const onlySeen: readonly Link[] = ['replica', 'tls', 'response', 'network'];

/** Every link of the chain: where the call gets to, and what nobody looked at because it does not get there. */
export function chainOf(
  callout: CalloutReport,
  findings: readonly FindingReport[],
  notLookedAt: readonly NotLookedAt[],
): readonly ChainPart[] {
  const { link: broken, state, confidence } = callout.verdict;
  const ready = callout.replicas.filter((replica) => replica.ready).length;
  const links = broken === undefined || path.includes(broken) ? path : [...path, broken];
  return links.map((link) => {
    const how = standing(link, callout, findings, notLookedAt);
    const unseen = state === 'healthy' && confidence === 'derived' && onlySeen.includes(link);
    const counted = link === 'backend' && how !== 'open' && callout.replicas.length > 0;
    return {
      link,
      standing: unseen && how === 'good' ? 'open' : how,
      ...(counted ? { count: `${ready}/${callout.replicas.length}` } : {}),
    };
  });
}
