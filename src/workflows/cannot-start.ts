import type { UnreadReason } from '../facts/unread.ts';

/** An end that the user can do something about: one sentence, what to do, exit code 2, nothing judged or changed. */
export class CannotStart extends Error {
  readonly exitCode: 2 | 3 = 2;
  readonly sentence: string;
  /** What kept a whole cluster from being read. */
  readonly why: UnreadReason | undefined;
  constructor(sentence: string, advice?: string, why?: UnreadReason) {
    super(advice === undefined ? sentence : `${sentence}\n${advice}`);
    this.sentence = sentence;
    this.why = why;
    this.name = 'CannotStart';
  }
}

/** The time of the run was over before anything came of it. */
export class RunOutOfTime extends CannotStart {
  override readonly exitCode = 3;
  constructor(what: string) {
    super(`the time limit of the run was reached ${what}`, 'Raise --timeout.', 'timeout');
  }
}
