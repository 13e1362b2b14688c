import { commandNamed } from '../cli/cli.ts';
import type { CommandEntry } from '../cli/command-table.ts';
import { type Grammar, grammarOf, type Line, readLine } from '../cli/completion/line.ts';
import { valueSources } from '../workflows/completion/values.ts';

interface Candidate {
  readonly word: string;
  /** Shown beside the word by some shells. Text of this program, never from a cluster. */
  readonly description?: string;
}

// Bits of the number in the last line, which instruct the shell (ShellCompDirective of
// github.com/spf13/cobra).
const noSpace = 2;
const noFiles = 4;

/** Words without special characters in any shell; completion scripts have expanded others. */
const plain = /^[\w.:/@+=%,-]+$/;

/**
 * Prints the output that kubectl expects of a completion program: a word and its description per line, then
 * the directive. Words with other characters are omitted. Without words the shell suggests nothing, not even
 * files.
 */
function completionText(candidates: readonly Candidate[], typed: string): string {
  const fitting = candidates.filter(({ word }) => word.startsWith(typed) && plain.test(word));
  const continues = fitting.some(({ word }) => word.endsWith('/'));
  const lines = fitting.map(({ word, description }) =>
    description === undefined ? word : `${word}\t${description.replaceAll(/\s+/g, ' ')}`,
  );
  return `${[...lines, `:${continues ? noFiles + noSpace : noFiles}`].join('\n')}\n`;
}

/** The directive that makes the shell complete file names. */
const filesText = ':0\n';

/** Maximum duration in milliseconds; later suggestions are of no use. */
const deadline = 1300;

const nothing = completionText([], '');

/** Kinds of values that are local files. */
const fileKinds = ['FILE', 'FOLDER'];

function flagNames({ flags }: Grammar): readonly Candidate[] {
  const shown = Object.entries(flags).filter(([, flag]) => !flag.hidden);
  return [...shown, ['help', { description: 'explain the command' }] as const].flatMap(([name, flag]) => {
    const description = flag.description ?? '';
    const negative = 'allowNo' in flag && flag.allowNo ? [{ word: `--no-${name}`, description }] : [];
    return [{ word: `--${name}`, description }, ...negative];
  });
}

async function answerTo({ asked, given }: Line, grammar: Grammar): Promise<string> {
  if (asked.what === 'flag') return completionText(flagNames(grammar), asked.typed);
  const { typed, kind, options } = asked;
  if (options.length > 0)
    return completionText(
      options.map((word) => ({ word })),
      typed,
    );
  if (fileKinds.includes(kind)) return filesText;
  const signal = AbortSignal.timeout(deadline);
  const values = await valueSources[kind]?.({ typed, flags: given, signal });
  return completionText(values ?? [], typed);
}

async function answer(words: readonly string[], table: readonly CommandEntry[]): Promise<string> {
  const [name = '', ...rest] = words;
  const commands = table.map((entry) => ({ word: entry.name, description: entry.summary }));
  if (rest.length === 0) {
    const own = name.startsWith('-') ? ['--help', '--version'] : ['help'];
    return completionText([...commands, ...own.map((word) => ({ word }))], name);
  }
  if (name === 'help') return completionText(rest.length === 1 ? commands : [], rest[0] ?? '');
  const entry = commandNamed(table, name);
  if (entry === undefined) return nothing;
  const { default: command } = await entry.load();
  const grammar = grammarOf(command);
  return answerTo(readLine(rest, grammar), grammar);
}

/**
 * `kubectl webhook __complete`: called by kubectl's completion with the words after `kubectl webhook`, of
 * which the last is incomplete. Prints suggestions for it. Never fails and never waits long: then there are
 * no suggestions.
 */
export async function completeLine(words: readonly string[], table: readonly CommandEntry[]): Promise<void> {
  const late = new Promise<string>((resolve) => {
    setTimeout(() => resolve(nothing), deadline).unref();
  });
  process.stdout.write(await Promise.race([answer(words, table).catch(() => nothing), late]));
}
