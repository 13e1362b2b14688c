/**
 * The way to the cluster cannot be built: a kubeconfig that cannot be used, a credential plugin that fails, no cluster at
 * all. The message says what is wrong and where, `advice` what to do; neither ever holds a credential.
 */
export class ConnectionProblem extends Error {
  readonly advice: string;
  /** No cluster to talk to: nothing was judged. */
  readonly exitCode = 2;
  constructor(message: string, advice: string) {
    super(message);
    this.name = 'ConnectionProblem';
    this.advice = advice;
  }
}
