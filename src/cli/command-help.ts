import { CommandHelp } from '@oclif/core/help';
import type { CommandClass, CommandEntry } from './command-table.ts';
import { oclifConfig } from './oclif-config.ts';

type FlagDefinitions = CommandClass['flags'];

/** The text of `kubectl webhook COMMAND --help`, `columns` wide. */
export async function commandHelp(
  entry: CommandEntry,
  command: CommandClass,
  columns: number,
): Promise<string> {
  const { description, examples, strict } = command;
  const args = Object.fromEntries(
    Object.entries(command.args).map(([name, arg]) => [name, { ...arg, name }]),
  );
  const described = {
    ...{ id: entry.name, aliases: [], hiddenAliases: [], args, strict, examples },
    description: description && flowing(description),
    flags: shortOnesFirst(await withShownDefaults({ ...command.flags, ...command.baseFlags })),
    usage: command.usage ?? usage(entry.name, command),
  };
  const help = new CommandHelp(described as never, oclifConfig(), {
    maxWidth: columns,
    flagSortOrder: 'none',
  });
  return `${entry.summary}\n\n${help.generate()}\n`;
}

/** `doctor [CALLOUT...] [flags]`: oclif's own line repeats all flags. */
function usage(id: string, { args, strict }: CommandClass): string {
  const words = Object.entries(args).map(([name, { required, multiple }]) => {
    const word = multiple || !strict ? `${name.toUpperCase()}...` : name.toUpperCase();
    return required ? word : `[${word}]`;
  });
  return [id, ...words, '[flags]'].join(' ');
}

/** Paragraphs without the line ends of the source: the terminal decides where a line ends. Lists keep theirs. */
function flowing(text: string): string {
  return text.replace(/(\S)\n(?=[^\s\-*])/g, '$1 ');
}

/** oclif shows `default` even where a flag says how its default reads (`defaultHelp`: 80s, not 80000). */
async function withShownDefaults(flags: FlagDefinitions): Promise<FlagDefinitions> {
  const shown = Object.entries(flags).map(async ([name, flag]) => {
    if (flag.type !== 'option' || flag.defaultHelp === undefined) return [name, flag];
    const { defaultHelp } = flag;
    const text =
      typeof defaultHelp === 'function' ? await defaultHelp({ options: flag, flags: {} }) : defaultHelp;
    return [name, { ...flag, default: text }];
  });
  return Object.fromEntries(await Promise.all(shown));
}

/** Otherwise in the order in which they are declared. oclif's list is out of line when its first flag has no letter. */
function shortOnesFirst(flags: FlagDefinitions): FlagDefinitions {
  const all = Object.entries(flags);
  return Object.fromEntries([
    ...all.filter(([, flag]) => flag.char),
    ...all.filter(([, flag]) => !flag.char),
  ]);
}
