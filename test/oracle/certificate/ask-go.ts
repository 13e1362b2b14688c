import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cached, contentKey } from '../../cluster/cache.ts';
import { run } from '../../cluster/run-command.ts';
import { type CertificateCase, questionLine } from './oracle-case.ts';

const program = join(import.meta.dirname, 'verify.go');

const moduleOf = (kubernetes: string, file: string): string =>
  readFileSync(join(import.meta.dirname, '../../cluster/kubernetes', kubernetes, file), 'utf8').trim();

/** The Go version of a release of Kubernetes, `1.25.9`. */
export const goOfRelease = (kubernetes: string): string => moduleOf(kubernetes, '.go-version');

/**
 * The result of crypto/x509 of a Kubernetes release for each case; empty: accepted. The `go` and `godebug`
 * lines of the release count as much as its compiler: Go 1.24 with `go 1.22` accepts what Go 1.22 accepted.
 */
export async function askGo(
  cases: readonly CertificateCase[],
  kubernetes: string,
): Promise<readonly string[]> {
  const go = goOfRelease(kubernetes);
  const lines = moduleOf(kubernetes, 'go.mod').match(/^(go|godebug) .*$/gm) ?? [];
  const goMod = ['module verify.test/verify', ...lines, ''].join('\n');
  const key = contentKey(go, goMod, readFileSync(program));
  const folder = await cached('certificate-oracle', key, async (empty) => {
    const source = mkdtempSync(join(tmpdir(), 'certificate-oracle-'));
    copyFileSync(program, join(source, 'verify.go'));
    writeFileSync(join(source, 'go.mod'), goMod);
    await run('go', ['build', '-o', join(empty, 'verify'), '.'], {
      cwd: source,
      env: { GOTOOLCHAIN: `go${go}` },
    });
    rmSync(source, { recursive: true });
  });
  const { stdout, stderr, status } = spawnSync(join(folder, 'verify'), {
    input: cases.map(questionLine).join('\n'),
    maxBuffer: 1 << 28,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as string);
}
