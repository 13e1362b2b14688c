import type { Command } from '@oclif/core';
import { CommandHelp } from '@oclif/core/help';
import type { CommandClass, CommandEntry } from './command-table.ts';
import { oclifConfig } from './oclif-config.ts';

type FlagDefinitions = CommandClass['flags'];
type ShownFlags = Command.Flag.Any[];

class PluginHelp extends CommandHelp {
  /** `doctor [WEBHOOK...] [flags]`: oclif's usage line would repeat all flags. */
  protected override defaultUsage(): string {
    const { id, args, strict } = this.command;
    const words = Object.values(args).map(({ name, required, multiple }) => {
      const word = multiple || !strict ? `${name.toUpperCase()}...` : name.toUpperCase();
      return required ? word : `[${word}]`;
    });
    return [id, ...words, '[flags]'].join(' ');
  }

  /** Joins the lines of paragraphs, which are wrapped to the terminal later. Lists keep their lines. */
  protected override description(): string | undefined {
    const { description } = this.command;
    return description && this.wrap(description.replace(/(\S)\n(?=[^\s\-*]|--)/g, '$1 '));
  }

  /** Sections in kubectl's order: description and examples before flags. */
  protected override sections() {
    const sections = super.sections();
    return ['USAGE', 'DESCRIPTION', 'EXAMPLES', 'ARGUMENTS', 'FLAGS'].flatMap((name) =>
      sections.filter(({ header }) => header === name),
    );
  }

  /** Flags in the order of declaration. oclif's list is misaligned if its first flag has no short form. */
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

/** Uses `defaultHelp` of a flag, if set, instead of the raw default: 80s, not 80000. */
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
