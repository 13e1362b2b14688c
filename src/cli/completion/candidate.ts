/** One word that may stand where the cursor is. */
export interface Candidate {
  readonly word: string;
  /** Shown beside it by shells that do so. Text of ours only, never of a cluster. */
  readonly description?: string;
}

// How the shell goes on (ShellCompDirective of github.com/spf13/cobra): bits of the number in the last line.
const noSpace = 2;
const noFiles = 4;

/** Words that no shell takes for anything but a word; completion scripts have expanded others. */
const plain = /^[\w.:/@+=%,-]+$/;

/**
 * What kubectl reads of a completion program: a word and its description in each line, then how to go on. Words of other
 * characters are left out. Without words the shell offers nothing, not even files.
 */
export function completionText(candidates: readonly Candidate[], typed: string): string {
  const fitting = candidates.filter(({ word }) => word.startsWith(typed) && plain.test(word));
  const goesOn = fitting.some(({ word }) => word.endsWith('/'));
  const lines = fitting.map(({ word, description }) =>
    description === undefined ? word : `${word}\t${description.replaceAll(/\s+/g, ' ')}`,
  );
  return `${[...lines, `:${goesOn ? noFiles + noSpace : noFiles}`].join('\n')}\n`;
}

/** What makes the shell complete names of files. */
export const filesText = ':0\n';
