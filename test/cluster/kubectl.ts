import { goProgram } from './go-program.ts';
import { defaultVersion } from './kubernetes.ts';

/** kubectl, built from Go modules: seconds to a minute the first time. */
export const kubectlBinary = (): Promise<string> =>
  goProgram('kubectl', [
    `-ldflags=-s -w -X k8s.io/component-base/version.gitVersion=v${defaultVersion}`,
    '.',
  ]);
