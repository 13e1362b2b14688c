import type { ChainLink } from '../../checks/chain.ts';
import { isReadOf, type NotLookedAt } from '../../facts/unread.ts';
import type { CalloutReport, FindingReport, LinkState } from '../report.ts';

/** The links that a call passes, in order. Causes at others (scope, ownership …) are shown after them. */
const path = ['registration', 'routing', 'backend', 'replica', 'tls', 'response', 'network'] as const;
/** True for a link that a call passes; false for one of configuration: scope, ownership, practice. */
export const isPassed = (link: ChainLink): boolean => (path as readonly ChainLink[]).includes(link);

/** Links whose state no object shows: only a probe confirms them. */
const confirmedByProbes: readonly ChainLink[] = ['replica', 'tls', 'response', 'network'];

/** The resources that decide the state of a link. If a read of them failed, the state is unknown. */
const decidedBy: Partial<Record<ChainLink, readonly string[]>> = {
  routing: ['services', 'namespaces'],
  backend: ['endpointslices'],
};

/** True if a read that determines the link of a backend in this namespace failed. */
export type IsUnread = (link: ChainLink, namespace: string | undefined) => boolean;

/** Caches the result per link and namespace: there can be thousands of callouts and failed reads. */
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

/** Network errors occur before TLS, wherever the list shows them. */
const position = (link: ChainLink): number =>
  (path as readonly ChainLink[]).indexOf(link === 'network' ? 'tls' : link);

/** The position of the link at which calls end; of a cause outside the path, that of its consequences. */
function endOfCall(broken: ChainLink | undefined, findings: readonly FindingReport[]): number {
  if (broken !== undefined && isPassed(broken)) return position(broken);
  const errors = findings.filter(({ link, severity }) => severity === 'error' && isPassed(link));
  return Math.min(path.length, ...errors.map(({ link }) => position(link)));
}

/**
 * The findings whose remedy can let calls succeed: those at the first link with an error, and those outside the
 * path of a call.
 */
export function atFirstError(findings: readonly FindingReport[]): readonly FindingReport[] {
  const end = endOfCall(undefined, findings);
  return findings.filter(({ link }) => !isPassed(link) || position(link) <= end);
}

const brokenLinks = { unknown: 'unknown', degraded: 'warning', failing: 'bad', healthy: 'bad' } as const;

/** The state of every link of the chain. Links after the one at which calls end are `open`. */
export function chainStates(
  { verdict, backend, replicas }: Pick<CalloutReport, 'verdict' | 'backend' | 'replicas'>,
  findings: readonly FindingReport[],
  isUnread: IsUnread,
): CalloutReport['chain'] {
  const { link: broken, state, confidence } = verdict;
  const end = endOfCall(broken, findings);
  const stateOf = (link: ChainLink): LinkState => {
    if (link === broken) return brokenLinks[state];
    const here = findings.filter((finding) => finding.link === link).map(({ severity }) => severity);
    if (here.includes('error')) return 'bad';
    if (here.includes('warning')) return 'warning';
    if (link === 'backend' && replicas.length > 0 && !replicas.some(({ ready }) => ready)) return 'bad';
    if (link === 'network' || position(link) >= end) return 'open';
    if (isUnread(link, backend.service?.namespace)) return 'unknown';
    return state === 'healthy' && confidence === 'derived' && confirmedByProbes.includes(link)
      ? 'open'
      : 'good';
  };
  const links = broken === undefined || isPassed(broken) ? path : [...path, broken];
  return Object.fromEntries(links.map((link) => [link, stateOf(link)]));
}
