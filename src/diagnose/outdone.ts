import type { NextCall } from '../apiserver/next-call/call-fate.ts';
import type { ChainLink, Finding } from '../checks/check.ts';

/** Links that a connection passes, so that probes see what is made of them. */
const passed: readonly ChainLink[] = ['routing', 'backend', 'replica', 'tls', 'response', 'network'];

/** Derived about a link that probes have gone through: what they saw decides. */
export const isOutdone = ({ confidence, link }: Finding, { observed }: NextCall): boolean =>
  observed === true && confidence === 'derived' && passed.includes(link);

/**
 * A break that objects speak of, while every call that could meet it was seen to succeed, is no break of calls. It stays
 * a warning, since something is not as it should be.
 */
export function outdone(finding: Finding, next: NextCall): Finding {
  if (next.fate !== 'succeeds' || finding.consequence === undefined || !isOutdone(finding, next))
    return finding;
  const { consequence: _, ...rest } = finding;
  return { ...rest, severity: finding.severity === 'error' ? 'warning' : finding.severity };
}
