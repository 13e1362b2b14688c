import type { ChainLink } from '../checks/check.ts';
import { isReadOf, type NotLookedAt } from '../facts/unread.ts';
import type { CalloutReport, FindingReport, LinkState } from './report.ts';

/** The links that a call passes, in order. A cause elsewhere (scope, ownership …) is shown behind them. */
const path = ['registration', 'routing', 'backend', 'replica', 'tls', 'response', 'network'] as const;
export const isPassed = (link: ChainLink): boolean => (path as readonly ChainLink[]).includes(link);

/** Links that no object tells of: they are known where a probe has passed them. */
const onlySeen: readonly ChainLink[] = ['replica', 'tls', 'response', 'network'];

/** Which reads decide a link. One that failed means that nobody knows, not that it is good. */
const decidedBy: Partial<Record<ChainLink, readonly string[]>> = {
  routing: ['services', 'namespaces'],
  backend: ['endpointslices'],
};

/** Whether a link of a backend in a namespace was not looked at. */
export type IsUnread = (link: ChainLink, namespace: string | undefined) => boolean;

/** Found out once per namespace: there are thousands of callouts, and may be as many reads that failed. */
export function unreadLinks(notLookedAt: readonly NotLookedAt[]): IsUnread {
  const known = new Map<string, boolean>();
  return (link, namespace) => {
    const resources = decidedBy[link];
    if (resources === undefined || notLookedAt.length === 0) return false;
    const key = `${link} ${namespace}`;
    const unread = known.get(key) ?? notLookedAt.some((item) => isReadOf(item, resources, namespace));
    known.set(key, unread);
    return unread;
  };
}

/** Packets come before TLS, wherever the list shows them. */
const position = (link: ChainLink): number =>
  (path as readonly ChainLink[]).indexOf(link === 'network' ? 'tls' : link);

/** How far a call gets: to the broken link. A cause outside the path shows on it where its consequences do. */
function reaches(broken: ChainLink | undefined, findings: readonly FindingReport[]): number {
  if (broken !== undefined && isPassed(broken)) return position(broken);
  const errors = findings.filter(({ link, severity }) => severity === 'error' && isPassed(link));
  return Math.min(path.length, ...errors.map(({ link }) => position(link)));
}

/** Every link of the chain: where the call gets to, and what nobody looked at because it does not get there. */
export function chainStates(
  { verdict, backend, replicas }: Pick<CalloutReport, 'verdict' | 'backend' | 'replicas'>,
  findings: readonly FindingReport[],
  isUnread: IsUnread,
): CalloutReport['chain'] {
  const { link: broken, state, confidence } = verdict;
  const end = reaches(broken, findings);
  const stateOf = (link: ChainLink): LinkState => {
    if (link === broken) return state === 'unknown' ? 'unknown' : state === 'degraded' ? 'warning' : 'bad';
    const here = findings.filter((finding) => finding.link === link).map(({ severity }) => severity);
    if (here.includes('error')) return 'bad';
    if (here.includes('warning')) return 'warning';
    if (link === 'backend' && replicas.length > 0 && !replicas.some(({ ready }) => ready)) return 'bad';
    if (link === 'network' || position(link) >= end) return 'open';
    if (isUnread(link, backend.service?.namespace)) return 'unknown';
    return state === 'healthy' && confidence === 'derived' && onlySeen.includes(link) ? 'open' : 'good';
  };
  const links = broken === undefined || isPassed(broken) ? path : [...path, broken];
  return Object.fromEntries(links.map((link) => [link, stateOf(link)]));
}
