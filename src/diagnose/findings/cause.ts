import { byRank } from '../../basics/collections.ts';
import { chainLinks, severities } from '../../checks/chain.ts';
import { type Check, explainsOthers, type Finding, isExplainedBy } from '../../checks/check.ts';

/** Orders findings, worst first: by consequence, then by severity, then by link of the chain. */
const consequences = ['failing', 'degraded', 'unknown', undefined];

const rank = (finding: Finding): readonly number[] => [
  consequences.indexOf(finding.consequence),
  severities.indexOf(finding.severity),
  chainLinks.indexOf(finding.link),
  finding.place ?? 0,
];

/** A finding, and the check whose finding about the same subject explains it. */
export interface ExplainedFinding {
  readonly finding: Finding;
  /** Check id of the root cause; undefined for a cause itself. */
  readonly causedBy: string | undefined;
}

const lastResort =
  (checks: ReadonlyMap<string, Check>) =>
  ({ checkId }: Finding): boolean =>
    checks.get(checkId)?.meta.lastResort === true;

/** Removes a finding of a last-resort check if another finding has the same or a worse consequence. */
function withoutRedundantLastResorts(
  findings: readonly Finding[],
  checks: ReadonlyMap<string, Check>,
): Finding[] {
  const isLast = lastResort(checks);
  const worst = Math.min(
    ...findings.filter((one) => !isLast(one)).map(({ consequence }) => consequences.indexOf(consequence)),
  );
  return findings.filter((one) => !isLast(one) || consequences.indexOf(one.consequence) < worst);
}

/**
 * Groups the findings about one subject by cause: a finding whose check `follows` the check of another
 * finding is a consequence of it. Chains are followed to their root. Causes come first, worst first, then
 * their consequences.
 */
export function joinByCause(
  findings: readonly Finding[],
  checks: ReadonlyMap<string, Check>,
): readonly ExplainedFinding[] {
  if (findings.length === 0) return [];
  const sorted = withoutRedundantLastResorts(findings, checks).sort(byRank(rank));
  const explaining = sorted.filter(({ checkId, messageId }) => {
    const check = checks.get(checkId);
    return check === undefined || explainsOthers(check, messageId);
  });
  // A finding that a probe confirmed, and that affects calls, has a cause that affects calls.
  const mayExplain = (cause: Finding, { confidence, consequence }: Finding): boolean =>
    confidence !== 'observed' || consequence === undefined || cause.consequence !== undefined;
  const follows = (finding: Finding, cause: Finding): boolean => {
    const [check, other] = [checks.get(finding.checkId), checks.get(cause.checkId)];
    return check !== undefined && other !== undefined && isExplainedBy(check, other, finding.messageId);
  };
  const direct = (finding: Finding): Finding | undefined =>
    explaining.find((cause) => follows(finding, cause) && mayExplain(cause, finding));
  const root = (finding: Finding, seen: readonly Finding[] = []): Finding => {
    const cause = direct(finding);
    return cause === undefined || seen.includes(cause) ? finding : root(cause, [...seen, finding]);
  };
  const isLast = lastResort(checks);
  // The first finding with a consequence, even if not all calls fail; else one that the last-resort check
  // follows.
  const causeOfLastResort = (last: Finding): Finding =>
    sorted.find((finding) => !isLast(finding) && finding.consequence !== undefined) ??
    sorted.find((finding) => follows(last, finding)) ??
    last;
  const explained = sorted.map((finding): ExplainedFinding => {
    const cause = root(isLast(finding) ? causeOfLastResort(finding) : finding).checkId;
    return { finding, causedBy: cause === finding.checkId ? undefined : cause };
  });
  return [
    ...explained.filter(({ causedBy }) => causedBy === undefined),
    ...explained.filter(({ causedBy }) => causedBy !== undefined),
  ];
}
