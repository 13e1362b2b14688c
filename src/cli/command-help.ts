import type { Command } from '@oclif/core';
import { CommandHelp } from '@oclif/core/help';
import type { CommandClass, CommandEntry } from './command-table.ts';
import { oclifConfig } from './oclif-config.ts';

type FlagDefinitions = CommandClass['flags'];
type ShownFlags = Command.Flag.Any[];

/** oclif's help of one command, in kubectl's manner. */
class PluginHelp extends CommandHelp {
  /** `doctor [WEBHOOK...] [flags]`: oclif's own line repeats all flags. */
  protected override defaultUsage(): string {
    const { id, args, strict } = this.command;
    const words = Object.values(args).map(({ name, required, multiple }) => {
      const word = multiple || !strict ? `${name.toUpperCase()}...` : name.toUpperCase();
      return required ? word : `[${word}]`;
    });
    return [id, ...words, '[flags]'].join(' ');
  }

  /** Paragraphs without the line ends of the source: the terminal decides where a line ends. Lists keep theirs. */
  protected override description(): string | undefined {
    const { description } = this.command;
    return description && this.wrap(description.replace(/(\S)\n(?=[^\s\-*])/g, '$1 '));
  }

  /** kubectl's order: what it does and examples come before what can be set. */
  protected override sections() {
    const sections = super.sections();
    return ['USAGE', 'DESCRIPTION', 'EXAMPLES', 'ARGUMENTS', 'FLAGS'].flatMap((name) =>
      sections.filter(({ header }) => header === name),
    );
  }

  /** Otherwise in the order in which they are declared. oclif's list is out of line when its first flag has no letter. */
  protected override flags(flags: ShownFlags): [string, string | undefined][] | undefined {
    return super.flags([...flags.filter(({ char }) => char), ...flags.filter(({ char }) => !char)]);
  }
}

/** The text of `kubectl webhook COMMAND --help`, `columns` wide. */
export async function commandHelp(
  { name: id, summary }: CommandEntry,
  command: CommandClass,
  columns: number,
): Promise<string> {
  const { description, examples, strict, usage } = command;
  const args = Object.fromEntries(
    Object.entries(command.args).map(([name, arg]) => [name, { ...arg, name }]),
  );
  const all = Object.entries(await withShownDefaults({ ...command.flags, ...command.baseFlags }));
  const own = all.filter(([, { helpGroup }]) => helpGroup === undefined);
  const flags = Object.fromEntries(own);
  const shown = { id, aliases: [], hiddenAliases: [], args, flags, strict, examples, description, usage };
  const help = new PluginHelp(shown as never, oclifConfig(), { maxWidth: columns, flagSortOrder: 'none' });
  const kubectls =
    own.length < all.length ? '\nkubectl\'s own flags work, too: see "kubectl webhook options".\n' : '';
  return `${summary}\n\n${help.generate()}\n${kubectls}`;
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
