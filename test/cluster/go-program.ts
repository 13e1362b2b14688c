import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cached, contentKey } from './cache.ts';
import { defaultVersion } from './kubernetes.ts';
import { run } from './run-command.ts';

/**
 * The program NAME, statically linked, from the Go module in the folder of that name. Built with the Go of
 * the default Kubernetes, or the installed one if its libraries require a newer one, unless it is cached.
 * `args` are for `go build`.
 */
export async function goProgram(
  name: string,
  args: readonly string[],
  go: 'of-kubernetes' | 'installed' = 'of-kubernetes',
): Promise<string> {
  const source = join(import.meta.dirname, name);
  const files = readdirSync(source).toSorted();
  const version = join(import.meta.dirname, 'kubernetes', defaultVersion, '.go-version');
  const toolchain = go === 'installed' ? 'local' : `go${readFileSync(version, 'utf8').trim()}`;
  const contents = files.map((file) => readFileSync(join(source, file)));
  const folder = await cached(
    name,
    contentKey(...contents, ...args, toolchain, process.arch),
    async (output) => {
      console.error(`Building ${name}: minutes the first time, seconds from Go's cache`);
      await run(
        'go',
        ['build', '-mod=readonly', '-trimpath', '-buildvcs=false', '-o', join(output, name), ...args],
        { cwd: source, env: { GOTOOLCHAIN: toolchain, CGO_ENABLED: '0' } },
      );
    },
  );
  return join(folder, name);
}
