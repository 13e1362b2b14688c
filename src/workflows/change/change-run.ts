import type { ChangeTools } from '../../change/apply.ts';
import type { ChangeEntry } from '../../change/change-report.ts';

/** The error if a question cannot be answered: nothing was changed. */
class NeedsAnswer extends Error {
  readonly exitCode = 2;
  constructor(sentence: string) {
    super(`${sentence}\nNothing was changed.`);
    this.name = 'NeedsAnswer';
  }
}

/** The interaction with the user in a workflow that changes something. Implemented in `cli/`. */
export interface ChangePrompts {
  /** Prints the planned change before the question. */
  readonly show: (entry: ChangeEntry) => void;
  readonly stage: (text: string) => void;
  /** Prints a line that stays, also without a terminal. */
  readonly warn: (text: string) => void;
  /** Asks a yes-or-no question; `typed` is the text to type for yes. Absent if there is no terminal. */
  readonly confirm?: (question: string, typed?: string) => Promise<boolean>;
  /**
   * Runs work that only a second Ctrl-C interrupts. `interrupted`: Ctrl-C was pressed meanwhile.
   *
   * @param undo the command to print if the work does not finish.
   */
  readonly uninterruptible: <T>(
    work: () => Promise<T>,
    undo?: string,
  ) => Promise<{ readonly result: T; readonly interrupted: boolean }>;
  /** Runs work that Ctrl-C interrupts; the result is then undefined. */
  readonly interruptible: <T>(work: () => Promise<T>) => Promise<T | undefined>;
}

/** The error if Ctrl-C ended the run after the change was applied. */
export class InterruptedAfter extends Error {
  readonly exitCode = 130;
  readonly entry: ChangeEntry;
  constructor(entry: ChangeEntry) {
    const unverified = entry.state === 'verified' ? '' : ' but not verified';
    super(`interrupted; the change was made${unverified}\nTo undo it: ${entry.undo}`);
    this.name = 'InterruptedAfter';
    this.entry = entry;
  }
}

/** The error if Ctrl-C ended the run after a change was undone. */
export class UndoneAfter extends Error {
  readonly exitCode = 130;
  constructor() {
    super('interrupted; the change was undone but not verified');
    this.name = 'UndoneAfter';
  }
}

/**
 * True for --yes or a confirmed question. Throws {@link NeedsAnswer} if there is no terminal.
 *
 * @param typed the text to type for yes.
 */
export async function agreed(
  { options: { yes }, prompts: { confirm } }: Pick<ChangeRun<'yes'>, 'options' | 'prompts'>,
  question: string,
  hint = 'use --yes to confirm',
  typed?: string,
): Promise<boolean> {
  if (yes) return true;
  if (confirm === undefined) throw new NeedsAnswer(`no terminal to confirm on: ${hint}`);
  return confirm(question, typed);
}

/** Options of a change. */
export interface ChangeOptions {
  /** Kept in the record. */
  readonly reason?: string | undefined;
  /** Do not ask for confirmation. */
  readonly yes: boolean;
  /** `client`: only read and print. `server`: also a server-side dry run. */
  readonly dryRun?: 'client' | 'server' | undefined;
  /** Flags on the command line that a plan may require: `--i-accept-unchecked-admission`. */
  readonly accepted: readonly string[];
  /** The namespace of `service/NAME`; default: all namespaces. */
  readonly namespace?: string | undefined;
  /** Id of the change, if the plan contains it. */
  readonly id?: string;
  /** The planned time of the undo. */
  readonly until?: Date | undefined;
  /** This process does not wait for that time. */
  readonly detached?: boolean;
  /** Milliseconds to verify that the change is not reverted at once. */
  readonly watchFor: number;
}

/** A run that changes the cluster: what it writes with, its options, and the user. */
export interface ChangeRun<Option extends keyof ChangeOptions = keyof ChangeOptions> {
  readonly tools: ChangeTools;
  readonly options: Pick<ChangeOptions, Option>;
  readonly prompts: ChangePrompts;
}
