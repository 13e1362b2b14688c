import { CannotTell } from './value.ts';

/** Steps that a match may cost; beyond that we do not try, for the expression and the text are anybody's. */
const mostSteps = 20_000_000;
const escapes: Readonly<Record<string, string>> = {
  d: '0-9',
  w: '0-9A-Za-z_',
  s: '\\t\\n\\f\\r ',
};
const controls = new Set(['t', 'n', 'r', 'f', 'v']);

interface Group {
  /** Repeating it again could cost more than the text is long. */
  complex: boolean;
}

const quoted = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** One escape behind a backslash, as part of a class or alone. */
function escaped(character: string | undefined, inClass: boolean): string {
  if (character === undefined) throw new CannotTell();
  const known = escapes[character];
  if (known !== undefined) return inClass ? known : `[${known}]`;
  const negated = escapes[character.toLowerCase()];
  if (negated !== undefined && !inClass) return `[^${negated}]`;
  if (controls.has(character)) return `\\${character}`;
  if (character === 'A' && !inClass) return '^';
  if (character === 'z' && !inClass) return '$';
  if (/[\p{L}\p{N}]/u.test(character)) throw new CannotTell();
  return quoted(character);
}

/** A class `[...]` from its opening bracket on: how JavaScript writes it, and where it ends. */
function characterClass(source: readonly string[], start: number): { text: string; end: number } {
  let at = start + 1;
  let text = '[';
  if (source[at] === '^') {
    text += '^';
    at += 1;
  }
  const first = at;
  for (; at < source.length && (source[at] !== ']' || at === first); at += 1) {
    const character = source[at] as string;
    if (character === '[' && source[at + 1] === ':') throw new CannotTell();
    if (character === '\\') {
      at += 1;
      text += escaped(source[at], true);
    } else if (character === '-' && at !== first && source[at + 1] !== ']') {
      if (source[at - 2] === '\\' && /[dws]/.test(source[at - 1] ?? '')) throw new CannotTell();
      text += '-';
    } else text += quoted(character);
  }
  if (source[at] !== ']') throw new CannotTell();
  return { text: `${text}]`, end: at };
}

/**
 * A regular expression of RE2 as one of JavaScript that finds the same. Throws {@link CannotTell} for what only RE2 has,
 * what only JavaScript has, and what could take JavaScript very long on this text: a repeated group in which there is a
 * choice or another repetition.
 *
 * @param length characters of the text that it will be run over.
 */
export function fromRe2(pattern: string, length: number): RegExp {
  const source = [...pattern];
  const groups: Group[] = [{ complex: false }];
  let text = '';
  let repetitions = 0;
  let repeatable = false;
  let closed: Group | undefined;
  for (let at = 0; at < source.length; at += 1) {
    const character = source[at] as string;
    const group = groups.at(-1) as Group;
    const counted =
      character === '{' ? /^\{(\d{1,3})(,(\d{0,3}))?\}/.exec(source.slice(at, at + 9).join('')) : null;
    if ('*+?'.includes(character) || counted !== null) {
      if (!repeatable) throw new CannotTell();
      if (character !== '?') {
        if (closed?.complex === true) throw new CannotTell();
        repetitions += 1;
      }
      group.complex = true;
      text += counted?.[0] ?? character;
      at += (counted?.[0].length ?? 1) - 1;
      if (source[at + 1] === '?') {
        text += '?';
        at += 1;
      }
      repeatable = false;
      continue;
    }
    closed = undefined;
    repeatable = true;
    switch (character) {
      case '(':
        if (source[at + 1] === '?') {
          if (source[at + 2] !== ':') throw new CannotTell();
          at += 2;
        }
        text += '(?:';
        groups.push({ complex: false });
        repeatable = false;
        break;
      case ')': {
        closed = groups.pop();
        const outer = groups.at(-1);
        if (closed === undefined || outer === undefined) throw new CannotTell();
        outer.complex ||= closed.complex;
        text += ')';
        break;
      }
      case '|':
        group.complex = true;
        text += '|';
        repeatable = false;
        break;
      case '^':
      case '$':
        text += character;
        repeatable = false;
        break;
      case '.':
        text += '[^\\n]';
        break;
      case '[': {
        const found = characterClass(source, at);
        text += found.text;
        at = found.end;
        break;
      }
      case '\\':
        at += 1;
        text += escaped(source[at], false);
        if (source[at] === 'A' || source[at] === 'z') repeatable = false;
        break;
      default:
        text += quoted(character);
    }
  }
  if (groups.length !== 1 || (length + 2) ** (repetitions + 1) > mostSteps) throw new CannotTell();
  return compiled(text);
}

function compiled(text: string): RegExp {
  try {
    return new RegExp(text, 'gu');
  } catch {
    throw new CannotTell();
  }
}
