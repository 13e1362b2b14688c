import type { DoctorReport } from '../../diagnose/report.ts';
import { harmlessDocument } from '../harmless.ts';
import type { ReportLook } from '../look.ts';
import { stories } from '../stories.ts';
import { contents } from './contents.ts';
import { fromLines } from './from-lines.ts';
import { header, tally } from './header.ts';
import { healthyLines } from './healthy.ts';
import { notLookedAtLines } from './not-looked-at.ts';
import { otherFindings } from './other-findings.ts';
import { storyBlock } from './story-block.ts';
import { styleOf } from './style.ts';

/** More lines than a terminal shows at once: the tally is then told again at the end, where people look. */
const oneScreen = 40;

function nothing({ callouts, notLookedAt, withoutWebhooks = [] }: DoctorReport): string[] {
  const empty = withoutWebhooks.map((id) => `${id} holds no webhooks: nothing is called for it.`);
  if (callouts.length > 0 || empty.length > 0) return empty;
  return notLookedAt.length === 0
    ? ['Nothing is called: no webhook configurations, conversion webhooks or served APIServices.']
    : ['No callout was seen, but not everything could be looked at.'];
}

/** The report for people. Ends with a line feed. */
export function renderTerminal(report: DoctorReport, look: ReportLook): string {
  const safe = harmlessDocument(report, look.unicode);
  const style = styleOf(look);
  const full = look.all || look.wide;
  const told = stories(safe);
  const others = safe.findings.filter((finding) => !told.some((story) => story.told.has(finding)));
  const sections = [
    header(safe, style, look.tookMs),
    fromLines(safe, style),
    safe.from === undefined ? nothing(safe) : [],
    contents(told, style, full),
    ...told.map((story) => storyBlock(story, safe, style, look)),
    ...otherFindings(others, safe, style, look),
    notLookedAtLines(safe.notLookedAt, style, full),
    healthyLines(safe, style, look),
  ].filter((lines) => lines.length > 0);
  const lines = sections.flatMap((section, at) => (at === 0 ? section : ['', ...section]));
  const again = lines.length > oneScreen ? ['', tally(safe, style)] : [];
  return [...lines, ...again, ''].join('\n');
}
