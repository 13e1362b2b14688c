import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cached, contentKey } from './cache.ts';
import { defaultVersion } from './kubernetes.ts';
import { run } from './run-command.ts';

const source = join(import.meta.dirname, 'kubectl');

/** kubectl, statically linked, built from Go modules where the cache lacks it: seconds to a minute the first time. */
export async function kubectlBinary(): Promise<string> {
  const files = readdirSync(source).toSorted();
  const toolchain = readFileSync(
    join(import.meta.dirname, 'kubernetes', defaultVersion, '.go-version'),
    'utf8',
  ).trim();
  const key = contentKey(...files.map((name) => readFileSync(join(source, name))), toolchain, process.arch);
  const folder = await cached('kubectl', key, async (output) => {
    const version = `k8s.io/component-base/version.gitVersion=v${defaultVersion}`;
    await run(
      'go',
      [
        'build',
        '-mod=readonly',
        '-trimpath',
        '-buildvcs=false',
        `-ldflags=-s -w -X ${version}`,
        '-o',
        join(output, 'kubectl'),
        '.',
      ],
      { cwd: source, env: { GOTOOLCHAIN: `go${toolchain}`, CGO_ENABLED: '0' } },
    );
  });
  return join(folder, 'kubectl');
}
