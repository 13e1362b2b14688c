/** The error if nothing was changed, with the reason in one sentence. May quote the cluster. */
export class ChangeRefused extends Error {
  readonly exitCode = 1;
  /** The API server could not respond: a retry may succeed. */
  readonly passing: boolean;
  constructor(message: string, passing = false) {
    super(message);
    this.passing = passing;
    this.name = 'ChangeRefused';
  }
}
