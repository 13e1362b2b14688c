import type { RemedyMeta } from '../src/remedies/remedy.ts';

const generated =
  '<!-- Generated from the text of the remedies by "npm run docs". Change the remedy, not this file. -->';

const risks = {
  safe: 'removes nothing',
  careful: 'it also affects running Pods or other requests: read what it does first',
  dangerous: 'requests are admitted unchecked, or objects are deleted',
};

/** The page of one remedy. `checks`: ids that have a page of their own. */
export function remedyPage(meta: RemedyMeta, checks: ReadonlySet<string>): string {
  const { id, title, risk, does, leaves, answers, firstAid } = meta;
  const linked = answers.map((check) =>
    checks.has(check) ? `[${check}](../checks/${check}.md)` : `\`${check}\``,
  );
  const aid = firstAid
    ? '\n\nThis remedy is a mitigation: `kubectl webhook fix` offers it for every finding that makes calls fail.'
    : '';
  return [
    `# ${id}\n\n${generated}\n\n**${title}.** Risk: ${risk}, ${risks[risk]}.\n`,
    `## What it does\n\n${does}\n`,
    `## What it does not fix\n\n${leaves}\n`,
    `## Fixes findings of\n\n${linked.join(', ')}${aid}\n`,
    `## Use\n\n\`\`\`\nkubectl webhook fix FINDING --remedy ${id} --dry-run=server\nkubectl webhook fix FINDING --remedy ${id}\nkubectl webhook undo\n\`\`\`\n\nFINDING is a check, a webhook, or CHECK:WEBHOOK: \`kubectl webhook doctor\` prints the whole command.\n`,
  ].join('\n');
}

/** The list of all remedies, in the order of their priority. */
function remedyIndex(remedies: readonly RemedyMeta[]): string {
  const rows = remedies.map(({ id, title, risk }) => `| [${id}](${id}.md) | ${risk} | ${title} |`);
  const intro =
    'Find out what `kubectl webhook fix` would change before you run it. Each remedy shows its diff and asks for confirmation. It is refused if it would do harm. It records the previous values, and verifies the result.';
  return `# Remedies\n\n${generated}\n\n${intro}\n\n| Remedy | Risk | Effect |\n|---|---|---|\n${rows.join('\n')}\n`;
}

/** Every page under `docs/remedies/`, by file name. */
export const remedyPages = (
  remedies: readonly RemedyMeta[],
  checks: ReadonlySet<string>,
): ReadonlyMap<string, string> =>
  new Map([
    ['README.md', remedyIndex(remedies)],
    ...remedies.map((meta) => [`${meta.id}.md`, remedyPage(meta, checks)] as const),
  ]);
