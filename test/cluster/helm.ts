import { goProgram } from './go-program.ts';

/** Helm itself, for the chart. */
export const helmBinary = (): Promise<string> =>
  goProgram('helm', ['-ldflags=-s -w', 'helm.sh/helm/v3/cmd/helm'], 'installed');
