/** An end that the user can do something about: one sentence, what to do, exit code 2, nothing judged or changed. */
export class CannotStart extends Error {
  readonly exitCode = 2;
  constructor(sentence: string, advice?: string) {
    super(advice === undefined ? sentence : `${sentence}\n${advice}`);
    this.name = 'CannotStart';
  }
}
