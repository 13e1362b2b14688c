import type { DoctorReport } from '../../diagnose/report.ts';
import { refText } from '../../facts/object-ref.ts';
import { counted, noneChosen } from '../../phrases/numbers.ts';
import { harmlessDocument } from '../harmless.ts';
import type { ReportLook } from '../look.ts';
import { storiesOf } from '../stories.ts';
import { contents } from './contents.ts';
import { header, stateCounts } from './header.ts';
import { healthyLines } from './healthy.ts';
import { notLookedAtLines } from './not-looked-at.ts';
import { otherFindings } from './other-findings.ts';
import { storyBlock } from './story-block.ts';
import { type Style, styleOf } from './style.ts';
import { wrap } from './wrap.ts';

/** More lines than a terminal shows at once: the tally is then told again at the end, where people look. */
const oneScreen = 40;

function nothing({ callouts, notLookedAt, withoutWebhooks = [], leftOut }: DoctorReport): string[] {
  const empty = withoutWebhooks.map((id) => `${id} holds no webhooks: nothing is called for it.`);
  if (callouts.length > 0 || empty.length > 0) return empty;
  if (leftOut !== undefined) return [noneChosen(leftOut)];
  return notLookedAt.length === 0
    ? ['Nothing is called: no webhook configurations, conversion webhooks or served APIServices.']
    : ['No webhook or APIService was seen, but not everything could be looked at.'];
}

/** The answer to `--from`, and the words that led to it. */
function fromLines({ from }: DoctorReport, { width }: Style): string[] {
  if (from === undefined) return [];
  const { message, missingPods = 0, words } = from;
  const lacks = missingPods === 0 ? '' : ` (it lacks ${counted(missingPods, 'Pod', 'Pods')})`;
  return [
    ...wrap(`${message}${lacks}.`, width, '', '  '),
    ...words.flatMap(({ object, field, value }) =>
      wrap(
        `${refText(object)}${field === undefined ? '' : `, ${field}`}: ${value}`,
        width,
        '  ',
        '    ',
        true,
      ),
    ),
  ];
}

/** The report for people. Ends with a line feed. */
export function renderTerminal(report: DoctorReport, look: ReportLook): string {
  const safe = harmlessDocument(report, look.unicode);
  const style = styleOf(look);
  const full = look.all || look.wide;
  const { stories, others } = storiesOf(safe);
  const sections = [
    header(safe, style, look.tookMs),
    fromLines(safe, style),
    safe.from === undefined ? nothing(safe) : [],
    contents(stories, style, full),
    ...stories.map((story) => storyBlock(story, style, look)),
    ...otherFindings(others, style, look),
    notLookedAtLines(safe.notLookedAt, style, full),
    healthyLines(safe, style, look),
  ].filter((lines) => lines.length > 0);
  const lines = sections.flatMap((section, at) => (at === 0 ? section : ['', ...section]));
  const again = lines.length > oneScreen ? ['', stateCounts(safe, style)] : [];
  return [...lines, ...again, ''].join('\n');
}
