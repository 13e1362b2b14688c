import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from '../../scripts/bundle.js';

const pages = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(md|ya?ml)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));

/** Words of a line as a shell splits them, without pipes, redirections and comments. */
export const wordsOf = (line: string): readonly string[] => {
  const words = line.match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
  const end = words.findIndex((word) => /^(#|\||>|&&|;)/.test(word));
  return words.slice(0, end < 0 ? words.length : end).map((word) => word.replace(/^(["'])(.*)\1$/, '$2'));
};

/** The text after `kubectl webhook` in backticks, and in separate lines. */
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

/** A command line in the documentation: the words after `kubectl webhook`. */
export interface ToldLine {
  /** The page that contains it first, as a path in the checkout. */
  readonly file: string;
  readonly words: readonly string[];
}

/** Every command line of the documentation, once each. */
export const told: readonly ToldLine[] = [
  ...new Map(lines.toReversed().map((line) => [line.words.join(' '), line])).values(),
].toReversed();

/** Words in upper case are placeholders. */
export const hasPlaceholder = ({ words }: ToldLine): boolean =>
  words.some((word) => /(^|\/)[A-Z_]+$|^"?\$/.test(word));

/** Every kubectl command of a report's document. */
export function commandsIn(value: unknown): readonly string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(commandsIn);
  if (typeof value !== 'string') return [];
  const quoted = [...value.matchAll(/`(kubectl [^`]*)`/g)].map(([, line = '']) => line);
  return value.startsWith('kubectl ') ? [value, ...quoted] : quoted;
}
