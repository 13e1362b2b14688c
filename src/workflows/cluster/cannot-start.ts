import type { UnreadReason } from '../../facts/unread.ts';

/** An error that the user can fix: one sentence, what to do, exit code 2. Nothing was evaluated or changed. */
export class CannotStart extends Error {
  readonly exitCode: 2 | 3 = 2;
  readonly sentence: string;
  /** The read error that prevents the diagnosis of a cluster. */
  readonly why: UnreadReason | undefined;
  constructor(sentence: string, advice?: string, why?: UnreadReason) {
    super(advice === undefined ? sentence : `${sentence}\n${advice}`);
    this.sentence = sentence;
    this.why = why;
    this.name = 'CannotStart';
  }
}

/** The time limit was reached before there was any result. */
export class RunOutOfTime extends CannotStart {
  override readonly exitCode = 3;
  constructor(what: string) {
    super(`the time limit of the run was reached ${what}`, 'Raise --timeout.', 'timeout');
  }
}
