import packageJson from '../../package.json' with { type: 'json' };

/** What people type: kubectl finds `kubectl-webhook` on PATH and runs it for `kubectl webhook`. */
export const programName: string = packageJson.oclif.bin;

/** Semantic version of this build, without a leading v. */
export const version: string = packageJson.version;
