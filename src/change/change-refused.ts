/** The error if nothing was changed, with the reason in one sentence. May contain text from the cluster. */
export class ChangeRefused extends Error {
  readonly exitCode = 1;
  /** True if the API server could not process the request: a retry may succeed. */
  readonly passing: boolean;
  constructor(message: string, passing = false) {
    super(message);
    this.passing = passing;
    this.name = 'ChangeRefused';
  }
}
