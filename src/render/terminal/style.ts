import { Ansis } from 'ansis';
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';
import type { Look } from '../text/look.ts';

/** The first `most` lines and a line with the number of others; all lines if that is not shorter. */
export const cut = (
  lines: readonly string[],
  most: number | undefined,
  rest: (hidden: number) => string,
): readonly string[] =>
  most === undefined || lines.length <= most + 1
    ? lines
    : [...lines.slice(0, most), rest(lines.length - most)];

/** Sections of lines as one text, with an empty line between them. Sections without lines are left out. */
export const joinedSections = (sections: readonly (readonly string[])[]): string =>
  `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;

/** Replaces a space inside text that must not be broken (U+E000, a private-use character). */
const glue = '\ue000';

/** Text that wrapping does not break. */
export const undivided = (text: string): string => text.replaceAll(' ', glue);

const isCommand = (line: string): boolean => /^\s*(\$ )?kubectl /.test(line);

/** Breaks a command with shell line continuations, never between a flag and its value. */
function folded(line: string, columns: number): string[] {
  const indent = line.slice(0, line.length - line.trimStart().length);
  const words = line.trim().match(/(?:--?[a-z][\w-]* (?=[^\s-]))?(?:'[^']*'|\\.|\S)+/g) ?? [];
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    const longer = last === undefined ? indent + word : `${last} ${word}`;
    if (last === undefined || stringWidth(longer) + 2 <= columns) lines.splice(-1, 1, longer);
    else lines.push(`${indent}  ${word}`);
  }
  return lines.map((one, at) => (at === lines.length - 1 ? one : `${one} \\`));
}

/**
 * Protects text that is copied: backticked text, and commands (also at the end, after a colon), which are broken
 * as a shell accepts it if they are too wide. Numbers stay with their units. Indentation is kept.
 */
const glued = (line: string, columns: number): string =>
  line.replace(
    /^ +|`[^`]+`|(?<=: )kubectl [^`]*$|(?<![\w.-]|\d,)(?:\u001b\[\d+m)?\d+ (?=[A-Za-z])/g,
    (text) => (/^`?kubectl /.test(text) ? folded(text, columns).map(undivided).join('\n') : undivided(text)),
  );

/**
 * Wraps text in lines of at most `width` columns. The first line starts with `first`, the others with `rest`.
 * Words longer than a line (names) are not broken, so that they can be copied. Commands can be pasted, even
 * over several lines.
 */
export const wrap = wrapping(false);

/** {@link wrap}, but breaks words that are longer than a line. */
export const wrapHard = wrapping(true);

function wrapping(hard: boolean) {
  return (text: string, width: number, first = '', rest = ' '.repeat(stringWidth(first))): string[] => {
    if (!text.includes('\n') && stringWidth(first + text) <= width)
      return [(first + text.replaceAll(glue, ' ')).trimEnd()];
    const widest = isCommand(text) ? Math.max(stringWidth(first), stringWidth(rest)) : stringWidth(rest);
    const columns = Math.max(width - widest, 20);
    // The first line may have less room: what its prefix takes of it is part of the text while that is wrapped.
    const used = Math.max(Math.min(stringWidth(first) - widest, columns - 20), 0);
    return `${glue.repeat(used)}${text}`
      .split('\n')
      .flatMap((line) => {
        if (!isCommand(line)) return wrapAnsi(glued(line, columns), columns, { hard }).split('\n');
        return stringWidth(line) <= columns ? [line] : folded(line, columns);
      })
      .map((line, at) =>
        `${at === 0 ? first + line.slice(used).replaceAll(glue, ' ') : rest + line.replaceAll(glue, ' ')}`.trimEnd(),
      );
  };
}

/**
 * Wraps lines that are too wide, and breaks long names. Commands and addresses are not broken, so that they
 * can be pasted: the terminal wraps them.
 */
export function narrowedText(text: string, width: number): string {
  const lines = text.split('\n');
  const fold = (line: string, at: number): string => {
    const continues = lines[at - 1]?.endsWith('\\') || line.endsWith('\\');
    if (stringWidth(line) <= width) return line;
    const isCopied = continues || /(?:^| )kubectl /.test(line);
    // Less indentation may be enough.
    if (isCopied) return line.replace(/^ +/, ' '.repeat(Math.max(width - stringWidth(line.trimStart()), 1)));
    const [indent = ''] = /^ */.exec(line) ?? [];
    const rest = indent.length + 2 < width / 2 ? `${indent}  ` : '';
    const first = rest === '' ? '' : indent;
    const columns = width - rest.length;
    return wrapAnsi(line.trimStart(), columns, { hard: !line.includes('://') })
      .split('\n')
      .map((one, number) => (number === 0 ? first : rest) + one)
      .join('\n');
  };
  return lines.map(fold).join('\n');
}

/** Marks for states. Each is printed with its word, so that no information depends on a mark or a colour. */
export interface Marks {
  readonly good: string;
  readonly bad: string;
  readonly warning: string;
  readonly info: string;
  readonly unknown: string;
  /** Not evaluated: an earlier link of the chain is broken. */
  readonly open: string;
  /** Separator of facts on one line. */
  readonly dot: string;
  readonly more: string;
}

const pictures: Marks = {
  good: '✔',
  bad: '✖',
  warning: '▲',
  info: 'ℹ',
  unknown: '?',
  open: '·',
  dot: '·',
  more: '…',
};
const letters: Marks = {
  good: 'ok',
  bad: 'X',
  warning: '!',
  info: 'i',
  unknown: '?',
  open: '-',
  dot: '-',
  more: '...',
};

/** The look of the output: colours (no-ops without colour support), marks, and width. */
export interface Style {
  readonly paint: Pick<Ansis, 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan' | 'magenta'>;
  readonly marks: Marks;
  /** Columns of prose: those of the terminal, up to a readable maximum. */
  readonly width: number;
}

const narrowest = 40;
const widest = 120;

/** Only the sixteen standard colours, whose look is set by the terminal's theme. */
export const styleOf = ({ colour, unicode, width }: Look): Style => ({
  paint: new Ansis(colour ? 1 : 0),
  marks: unicode ? pictures : letters,
  width: Math.min(Math.max(width, narrowest), widest),
});

/** The number of lines of these texts, which may contain line feeds. */
export const heightOf = (texts: readonly string[]): number => texts.join('\n').split('\n').length;
