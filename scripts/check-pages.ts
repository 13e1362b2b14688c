import { groupBy } from '../src/basics/collections.ts';
import { adviceText } from '../src/phrases/advice.ts';
import { type CheckEntry, linkTitles } from '../src/render/checks/check-document.ts';

const consequences = {
  failing: 'the next call fails',
  degraded: 'some calls fail',
  unknown: 'unknown whether calls fail',
};

const generated =
  '<!-- Generated from the text of the checks by "npm run docs". Change the check, not this file. -->';

/** Escapes text for a table cell. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** Formats `{placeholders}` as code. */
const sentence = (text: string): string => cell(text).replace(/(?<!`)\{(\w+)\}(?!`)/g, '`{$1}`');

/** Links to checks; long lists are shortened to a count. */
const linked = (ids: readonly string[]): string =>
  ids.length > 50
    ? 'Every check of a cause of failed calls: see [all checks](README.md).'
    : ids.map((id) => `[${id}](${id}.md)`).join(', ');

const section = (title: string, text: string): string => (text === '' ? '' : `\n## ${title}\n\n${text}\n`);

/** A list of the messages with other advice than the check, by their advice; empty if there are none. */
function adviceOfMessages({ messages }: CheckEntry): readonly string[] {
  const steps = messages.flatMap(({ text, advice }) => (advice === undefined ? [] : { text, advice }));
  const own = [...groupBy(steps, ({ advice }) => adviceText(advice))].map(([advice, all]) => {
    const texts = new Set(all.map(({ text }) => `"${sentence(text)}"`));
    return `- ${[...texts].join(', or ')}: ${advice}`;
  });
  return own.length === 0 ? [] : [`For some messages, do this instead:\n\n${own.join('\n')}`];
}

/** The page of one check. */
export function checkPage(check: CheckEntry): string {
  const { id, link, title, severity, why, advice, messages, explainedBy, explains, reads } = check;
  const says = messages
    .map(({ text, severity: grade, consequence }) => {
      const means = consequence === undefined ? 'calls are not affected' : consequences[consequence];
      return `| ${grade} | ${sentence(text)} | ${means} |`;
    })
    .join('\n');
  return [
    `# ${id}\n\n${generated}\n\n**${title}.** Severity: ${severity}. Link: ${link}, ${linkTitles[link]}.\n`,
    section('Why', why),
    section('What to do', [adviceText(advice), ...adviceOfMessages(check)].join('\n\n')),
    section('Messages', `| Severity | Message | Meaning |\n|---|---|---|\n${says}`),
    section('Possible causes', linked(explainedBy)),
    section('Possible consequences', linked(explains)),
    section('Reads', reads.map((name) => `\`${name}\``).join(', ')),
    section('References', check.references.map((reference) => `- ${autolink(reference)}`).join('\n')),
    section('Former names', check.aliases.map((alias) => `\`${alias}\``).join(', ')),
  ].join('');
}

/** Formats addresses as links, and keeps anything else (a KEP, a file). */
const autolink = (reference: string): string =>
  reference.replace(/https?:\/\/[^\s)]+/g, (address) => `<${address}>`);

/** The list of all checks, link by link. */
export function checkIndex(checks: readonly CheckEntry[]): string {
  const links = [...new Set(checks.map(({ link }) => link))];
  const parts = links.map((link) => {
    const rows = checks
      .filter((check) => check.link === link)
      .map(({ id, severity, title }) => `| [${id}](${id}.md) | ${severity} | ${cell(title)} |`);
    return `## ${link}: ${linkTitles[link]}\n\n| Check | Severity | Title |\n|---|---|---|\n${rows.join('\n')}\n`;
  });
  const intro =
    'Find out what a finding of `kubectl webhook doctor` means and how to fix it. The checks are in the order in which a call passes the links of the chain. ' +
    '`kubectl webhook checks` prints the same.';
  return `# Checks\n\n${generated}\n\n${intro}\n\n${parts.join('\n')}`;
}

/** Every page under `docs/checks/`, by file name. */
export const checkPages = (checks: readonly CheckEntry[]): ReadonlyMap<string, string> =>
  new Map([
    ['README.md', checkIndex(checks)],
    ...checks.map((check) => [`${check.id}.md`, checkPage(check)] as const),
  ]);
