import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cached, contentKey } from '../../cluster/cache.ts';
import { run } from '../../cluster/run-command.ts';
import { goOfRelease } from '../certificate/ask-go.ts';

const program = join(import.meta.dirname, 'cost.go');

/** The cost and the result of an expression in an API server. */
export interface GoCost {
  readonly cost: number;
  readonly value?: string;
  readonly error?: string;
}

/**
 * The cost of each expression with these variables, by the libraries of a release of Kubernetes, `1.35.4`.
 */
export async function askCosts(
  kubernetes: string,
  expressions: readonly string[],
  variables: object,
): Promise<readonly GoCost[]> {
  const module = join(import.meta.dirname, '../../cluster/kubernetes', kubernetes);
  const [sums, source] = [readFileSync(join(module, 'go.sum')), readFileSync(program)];
  const folder = await cached('condition-cost', contentKey(kubernetes, sums, source), async (empty) => {
    const args = [
      'build',
      '-mod=readonly',
      '-trimpath',
      '-buildvcs=false',
      '-o',
      join(empty, 'cost'),
      program,
    ];
    await run('go', args, { cwd: module, env: { GOTOOLCHAIN: `go${goOfRelease(kubernetes)}` } });
  });
  const { stdout, stderr, status } = spawnSync(join(folder, 'cost'), {
    input: expressions.map((expression) => JSON.stringify({ expression, variables })).join('\n'),
    maxBuffer: 1 << 28,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as GoCost);
}
