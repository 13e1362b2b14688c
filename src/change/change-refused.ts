/** Nothing was changed, and why: one sentence for people. May quote the cluster. */
export class ChangeRefused extends Error {
  readonly exitCode = 1;
  constructor(message: string) {
    super(message);
    this.name = 'ChangeRefused';
  }
}
