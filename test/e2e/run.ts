import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { stripVTControlCharacters } from 'node:util';
import {
  type ClusterOptions,
  componentLogs,
  createCluster,
  findCluster,
  prepareParts,
  removeCluster,
  startCluster,
  sweep,
} from '../cluster/clusters.ts';
import { findProgram } from '../cluster/component.ts';
import { kubectlBinary } from '../cluster/kubectl.ts';
import { enterNetwork, isInside } from '../cluster/network.ts';
import { clusterVariable, wantedVersion, whyNoNode, whyNot } from '../cluster/ways-in.ts';

/**
 * Runs mocha over the real-cluster suites inside the network namespace of one cluster that all of them share; arguments
 * go to mocha. A cluster that the environment names (`npm run cluster -- shell`, KUBECONFIG_E2E) is used instead. With
 * E2E_KUBERNETES, only what asks an API server alone, of that version.
 */
const name = `e2e-${process.pid}`;
const options: ClusterOptions = { name, kind: 'node', owned: true };

process.exitCode = await main().catch((error: Error) => {
  console.error(error.stack);
  console.log('0 passed, 1 failed');
  return 1;
});

async function main(): Promise<number> {
  const version = wantedVersion();
  if (version !== undefined || whyNot('node') === undefined || whyNoNode() !== undefined) {
    // Built here, because there may be no way to the module proxy from inside.
    if (whyNot('api-server') === undefined) await prepareParts('api-server', version);
    if (version === undefined && whyNot('api-server') === undefined) await kubectlBinary();
    return runMocha({}, () => '');
  }
  const parts = await prepareParts('node');
  await kubectlBinary();
  if (!isInside(`kw-${name}`)) {
    const { networkNamespace } = await createCluster(options);
    // From here on as the same process, with the same id, inside the namespace.
    if (networkNamespace !== undefined) enterNetwork(networkNamespace);
  }
  const created = findCluster(name);
  if (!created) throw new Error(`Cluster ${name} has vanished`);
  const cluster = await startCluster(created, parts, options);
  try {
    return await runMocha({ [clusterVariable]: name }, () => componentLogs(cluster.folder));
  } finally {
    await removeCluster(cluster);
    await sweep();
  }
}

/** Exit code of mocha; ends with one line that a script can read. */
async function runMocha(environment: Readonly<Record<string, string>>, logs: () => string): Promise<number> {
  const mocha = createRequire(import.meta.url).resolve('mocha/bin/mocha.js');
  const setpriv = findProgram('setpriv');
  // Killed together with us: nobody would clear up behind tests that go on without their cluster.
  const bound = setpriv === undefined ? [] : [setpriv, '--pdeathsig', 'KILL'];
  const [program = process.execPath, ...args] = [
    ...bound,
    process.execPath,
    mocha,
    ...mochaArguments(process.argv.slice(2)),
  ];
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}), ...environment },
  });
  const passOn = (signal: NodeJS.Signals) => child.kill(signal);
  process.on('SIGINT', passOn).on('SIGTERM', passOn);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    process.stdout.write(chunk);
    output += chunk;
  });
  const code = await new Promise<number>((resolve) => child.once('close', (status) => resolve(status ?? 1)));
  const plain = stripVTControlCharacters(output);
  const count = (word: string) => Number(new RegExp(`^\\s*(\\d+) ${word}`, 'm').exec(plain)?.[1] ?? 0);
  const failed = Math.max(count('failing'), code === 0 ? 0 : 1);
  if (failed > 0) {
    console.log(logs());
    // Again, below the logs: this is what one looks for.
    console.log(/^\s*\d+ passing[\s\S]*/m.exec(plain)?.[0] ?? 'mocha ended without a summary');
  }
  console.log(`${count('passing')} passed, ${failed} failed`);
  return code;
}

/** Files on the command line replace the pattern of all suites. */
function mochaArguments(given: readonly string[]): string[] {
  const named = given.some((argument) => /^[^-].*\.ts$/.test(argument));
  // A case without a body counts as skipped, too.
  const strict = process.env.CI === 'true' ? ['--forbid-pending', '--forbid-only'] : [];
  const all = wantedVersion() === undefined ? 'test/e2e/**/*.e2e.ts' : 'test/e2e/**/oracle-*.e2e.ts';
  return ['--config', '.mocharc.e2e.json', ...strict, ...(named ? [] : [all]), ...given];
}
