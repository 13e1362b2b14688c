import packageJson from '../../package.json' with { type: 'json' };

/** The command as users type it: kubectl finds `kubectl-webhook` on PATH, runs it for `kubectl webhook`. */
export const programName: string = packageJson.oclif.bin;

/** Semantic version of this build, without a `v` prefix. */
export const programVersion: string = packageJson.version;
