/** Nothing was changed, and why: one sentence for people. May quote the cluster. */
export class ChangeRefused extends Error {
  readonly exitCode = 1;
  /** The API server could not answer just now: asking again may help. */
  readonly passing: boolean;
  constructor(message: string, passing = false) {
    super(message);
    this.passing = passing;
    this.name = 'ChangeRefused';
  }
}
