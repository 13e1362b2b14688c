import { adviceFor, type Check, type Finding, messageText } from '../checks/check.ts';
import { applicableAdvice } from '../facts/advice.ts';
import type { Callout } from '../facts/callout.ts';
import { defined } from '../facts/defined.ts';
import type { Facts } from '../facts/snapshot.ts';
import type { Explained } from './cause.ts';
import { placeholderNames } from './command-names.ts';
import type { FindingReport } from './report.ts';

function messageOf({ messageId, data }: Finding, { meta }: Check): string {
  const text = messageText(meta.messages[messageId] ?? '');
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) => String(data[name] ?? placeholder));
}

/** The subject of findings: a webhook or APIService, or another object by its id. */
export interface ReportSubject {
  readonly id: string;
  readonly callout?: Callout;
}

/** Findings with all their texts filled in; those of one check about one subject are numbered. */
export function findingReports(
  { id: about, callout }: ReportSubject,
  explained: readonly Explained[],
  checks: ReadonlyMap<string, Check>,
  facts: Facts,
): readonly FindingReport[] {
  const timesFound = new Map<string, number>();
  return explained.flatMap(({ finding, causedBy }) => {
    const check = checks.get(finding.checkId);
    if (check === undefined) return [];
    const times = (timesFound.get(finding.checkId) ?? 0) + 1;
    timesFound.set(finding.checkId, times);
    return [
      {
        id: `${finding.checkId}:${about}${times > 1 ? `#${times}` : ''}`,
        check: finding.checkId,
        severity: finding.severity,
        confidence: finding.confidence,
        link: finding.link,
        subject: finding.subject,
        ...(callout === undefined ? {} : { callout: about }),
        title: check.meta.title,
        message: messageOf(finding, check),
        why: check.meta.why,
        advice: applicableAdvice({
          text: adviceFor(check.meta, finding.messageId),
          names: { ...placeholderNames(finding.subject, callout, facts), ...finding.names },
        }),
        evidence: finding.evidence,
        ...defined({ since: finding.since }),
        ...(causedBy === undefined ? {} : { causedBy }),
        remedies: [],
      },
    ];
  });
}
