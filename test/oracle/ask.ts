import { spawnSync } from 'node:child_process';
import { knownVersions } from '../cluster/kubernetes.ts';

// npm run oracle -- 1.31 [FILE...]: runs all oracle suites with an API server of that version, records the
// results and the
// agreement of the model, and updates the docs.
const [wanted = '', ...files] = process.argv.slice(2);
const version = knownVersions().findLast((known) => known === wanted || known.startsWith(`${wanted}.`));
if (version === undefined) {
  console.error(`no API server of version "${wanted}": there are ${knownVersions().join(', ')}`);
  process.exit(2);
}
const run = (args: readonly string[]): number =>
  spawnSync(process.execPath, args, {
    stdio: 'inherit',
    env: { ...process.env, E2E_KUBERNETES: version, RECORD: '1' },
  }).status ?? 1;
const asked = run(['test/e2e/run.ts', ...files]);
process.exitCode = run(['scripts/generate-docs.ts']) || asked;
