import type { CommandClass } from '../command-table.ts';

type Flags = CommandClass['flags'];
type Flag = Flags[string];

/** The flags and arguments of a command, from its class. */
export interface Grammar {
  readonly flags: Flags;
  readonly args: CommandClass['args'];
  /** The last argument may be repeated. */
  readonly open: boolean;
}

/** The kind of word at the cursor. */
export type CompletionContext =
  /** The name of a flag. */
  | { readonly what: 'flag'; readonly typed: string }
  /** A flag's value or an argument: one of `options`, or a name of this `kind`. */
  | {
      readonly what: 'value';
      readonly typed: string;
      readonly kind: string;
      readonly options: readonly string[];
    };

/** A command line up to the cursor. */
export interface Line {
  readonly asked: CompletionContext;
  /** Values of the flags before the cursor, by name. If one is repeated: the last. */
  readonly given: Readonly<Record<string, string>>;
}

/** The flags and arguments that a command accepts. */
export const grammarOf = ({ flags, baseFlags, args, strict }: CommandClass): Grammar => ({
  flags: { ...baseFlags, ...flags },
  args,
  open: !strict,
});

/** The kind of a flag's value: its placeholder in the help (`ID`, `FILE`), or its name for `NAME`. */
function kindOf(name: string, flag: Flag): string {
  const helpValue = flag.type === 'option' ? flag.helpValue : undefined;
  const word = Array.isArray(helpValue) ? helpValue[0] : helpValue;
  return (word === undefined || word === 'NAME' ? name : word).toUpperCase();
}

const value = (typed: string, kind: string, options: readonly string[] = []): CompletionContext => ({
  what: 'value',
  typed,
  kind,
  options,
});

/** Parses the words after a command; the last one, possibly empty, is at the cursor. */
export function readLine(words: readonly string[], { flags, args, open }: Grammar): Line {
  const typed = words.at(-1) ?? '';
  const given: Record<string, string> = {};
  let positions = 0;
  let pending: readonly [name: string, flag: Flag] | undefined;
  let flagsOver = false;

  const found = (word: string): readonly [name: string, flag: Flag] | undefined =>
    Object.entries(flags).find(([name, flag]) =>
      word.startsWith('--') ? word === `--${name}` : word === `-${flag.char}`,
    );
  for (const word of words.slice(0, -1)) {
    if (pending !== undefined) {
      given[pending[0]] = word;
      pending = undefined;
    } else if (flagsOver || !word.startsWith('-') || word === '-') positions += 1;
    else if (word === '--') flagsOver = true;
    else {
      const [, name = word, glued] = /^(--[^=]+|-[^-])=?([\s\S]+)?$/.exec(word) ?? [];
      const flag = found(name);
      if (flag?.[1].type !== 'option') continue;
      if (glued === undefined) pending = flag;
      else given[flag[0]] = glued;
    }
  }

  const valueOfFlag = ([name, flag]: readonly [string, Flag], text: string): CompletionContext =>
    value(text, kindOf(name, flag), flag.type === 'option' ? flag.options : []);
  if (pending !== undefined) return { asked: valueOfFlag(pending, typed), given };
  if (!flagsOver && typed.startsWith('-')) {
    const [, name = '', text] = /^(--[^=]+)=([\s\S]*)$/.exec(typed) ?? [];
    const flag = text === undefined ? undefined : found(name);
    // The shell adds the flag to the value itself.
    if (flag !== undefined && text !== undefined) return { asked: valueOfFlag(flag, text), given };
    return { asked: { what: 'flag', typed }, given };
  }
  const names = Object.entries(args);
  const at = open ? Math.min(positions, names.length - 1) : positions;
  const [name, argument] = names[at] ?? [];
  return {
    asked: value(typed, argument?.name?.toUpperCase() ?? name?.toUpperCase() ?? '', argument?.options),
    given,
  };
}
