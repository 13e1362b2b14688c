import type { ChangeEntry } from '../../change/change-report.ts';

/** Something was not answered: nothing was changed. */
class NeedsAnswer extends Error {
  readonly exitCode = 2;
  constructor(sentence: string) {
    super(`${sentence}\nNothing was changed.`);
    this.name = 'NeedsAnswer';
  }
}

/** What a workflow that changes something says to people, and asks them. `cli/` holds it. */
export interface Conversation {
  /** Shows what is about to happen, before the question. */
  readonly show: (entry: ChangeEntry) => void;
  /** What is being waited for. */
  readonly stage: (text: string) => void;
  /** A yes or no; `typed` is what has to be typed for a yes. Absent: there is no terminal to ask on. */
  readonly confirm?: (question: string, typed?: string) => Promise<boolean>;
  /** Work that Ctrl-C does not cut in two: it ends first. `interrupted`: somebody pressed it meanwhile. */
  readonly uninterruptible: <T>(
    work: () => Promise<T>,
  ) => Promise<{ readonly result: T; readonly interrupted: boolean }>;
  /** Work that Ctrl-C ends, as nothing depends on it: undefined then. */
  readonly looking: <T>(work: () => Promise<T>) => Promise<T | undefined>;
}

/** A person ended the run after the change was made: it stands, and was not looked at. */
export class InterruptedAfter extends Error {
  readonly exitCode = 130;
  readonly entry: ChangeEntry;
  constructor(entry: ChangeEntry) {
    super(`interrupted; the change was made but not verified\nTo undo it: ${entry.undo}`);
    this.name = 'InterruptedAfter';
    this.entry = entry;
  }
}

/** A person ended the run after a change was taken back: nothing is left to do. */
export class UndoneAfter extends Error {
  readonly exitCode = 130;
  constructor() {
    super('interrupted; the change was undone but not verified');
    this.name = 'UndoneAfter';
  }
}

/** True for a yes, on the command line or to the question. Throws {@link NeedsAnswer} where nobody can be asked. */
export async function agreed(
  question: string,
  { yes }: Pick<ChangeWay, 'yes'>,
  { confirm }: Conversation,
  hint = 'use --yes to confirm',
  typed?: string,
): Promise<boolean> {
  if (yes) return true;
  if (confirm === undefined) throw new NeedsAnswer(`no terminal to confirm on: ${hint}`);
  return confirm(question, typed);
}

/** How far a change shall go. */
export interface ChangeWay {
  /** Kept in the record. */
  readonly reason?: string | undefined;
  /** The question is answered with yes. */
  readonly yes: boolean;
  /** `client`: read and show. `server`: the API server does everything but store it, too. */
  readonly dryRun?: 'client' | 'server' | undefined;
  /** Flags that were given of those that a plan may need: `--i-accept-unchecked-admission`. */
  readonly accepted: readonly string[];
  /** Where `service/NAME` is; in whichever namespace unless told. */
  readonly namespace?: string | undefined;
  /** Id of the change, where the plan itself names it. */
  readonly id?: string;
  /** When it is meant to be taken back. */
  readonly until?: Date | undefined;
  /** No process of ours waits for that moment. */
  readonly detached?: boolean;
  /** Milliseconds to look whether somebody takes it back at once. */
  readonly watchFor: number;
}
