import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cached, contentKey } from '../../cluster/cache.ts';
import { run } from '../../cluster/run-command.ts';
import { type CertificateCase, questionLine } from './oracle-case.ts';

const program = join(import.meta.dirname, 'verify.go');

/** The Go that a release of Kubernetes is built with, `1.25.9`. */
export const goOfRelease = (kubernetes: string): string =>
  readFileSync(
    join(import.meta.dirname, '../../cluster/kubernetes', kubernetes, '.go-version'),
    'utf8',
  ).trim();

/**
 * What Go's crypto/x509 says to each case; the empty text means accepted.
 *
 * @param go a version, `1.25.9`; fetched as a toolchain where it is not the one installed.
 */
export async function askGo(cases: readonly CertificateCase[], go: string): Promise<readonly string[]> {
  const folder = await cached('certificate-oracle', contentKey(go, readFileSync(program)), async (empty) => {
    await run('go', ['build', '-o', join(empty, 'verify'), program], { env: { GOTOOLCHAIN: `go${go}` } });
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
