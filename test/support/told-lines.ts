import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from '../../scripts/bundle.js';

const pages = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(md|ya?ml)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));

/** Words of a line as a shell splits them, without what pipes, redirects and comments add. */
export const wordsOf = (line: string): readonly string[] => {
  const words = line.match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
  const end = words.findIndex((word) => /^(#|\||>|&&|;)/.test(word));
  return words.slice(0, end < 0 ? words.length : end).map((word) => word.replace(/^(["'])(.*)\1$/, '$2'));
};

/** Everything behind `kubectl webhook` in backticks, and in lines of their own. */
function commandLines(text: string): readonly string[] {
  const inText = [...text.matchAll(/`kubectl webhook ([^`\n]+)`/g)];
  const alone = [...text.matchAll(/^(?:\$ |PATH=\S+ | +)?kubectl webhook (.+)$/gm)];
  return [...inText, ...alone].map(([, line = '']) => line.trim());
}

const lines = [
  ...['README.md', 'CONTRIBUTING.md', 'SKILL.md'].map((name) => join(root, name)),
  ...pages(join(root, 'docs')),
].flatMap((file) =>
  commandLines(readFileSync(file, 'utf8')).map((line) => ({
    file: relative(root, file),
    words: wordsOf(line),
  })),
);

/** A command line of ours that the documentation shows: words behind `kubectl webhook`. */
export interface ToldLine {
  /** The page that shows it first, below the checkout. */
  readonly file: string;
  readonly words: readonly string[];
}

/** Every command line of the documentation, once each. */
export const told: readonly ToldLine[] = [
  ...new Map(lines.toReversed().map((line) => [line.words.join(' '), line])).values(),
].toReversed();

/** Upper case stands for what a reader puts there. */
export const hasPlaceholder = ({ words }: ToldLine): boolean =>
  words.some((word) => /(^|\/)[A-Z_]+$|^"?\$/.test(word));

/** Every kubectl command of a report's document, in prose or alone. */
export function commandsIn(value: unknown): readonly string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(commandsIn);
  if (typeof value !== 'string') return [];
  const quoted = [...value.matchAll(/`(kubectl [^`]*)`/g)].map(([, line = '']) => line);
  return value.startsWith('kubectl ') ? [value, ...quoted] : quoted;
}
