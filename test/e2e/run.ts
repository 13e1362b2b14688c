import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
import { enterNetwork, isInside } from '../cluster/network.ts';
import { prepareSuites } from '../cluster/preparations.ts';
import { clusterVariable, wantedVersion, whyNoNode, whyNot } from '../cluster/ways-in.ts';
import {
  failedIn,
  failingFiles,
  lateIn,
  type Outcomes,
  outcomesVariable,
  passedIn,
  readOutcomes,
} from './outcomes.ts';

/**
 * Runs mocha over the suites for real clusters; arguments are passed to mocha. Suites that need a node run
 * inside the network namespace of one shared cluster; a cluster in the environment (`npm run cluster --
 * shell`, KUBECONFIG_E2E) is used instead. `--node` and `--no-node` select suites that need one, or the
 * others. With E2E_KUBERNETES, only suites for an API server alone run, with that version. With E2E_SECONDS, no
 * suite starts after that time; those that did not run are named.
 */
const name = `e2e-${process.pid}`;
/** In CI, a file with a failed case runs this many times at most. */
const mostRuns = process.env.CI === 'true' ? 3 : 1;
/** Where a repeated run writes its outcomes for the first one, which started it. */
const outcomesOfRepeat = process.env[outcomesVariable];
const options: ClusterOptions = { name, kind: 'node', owned: true };
const version = wantedVersion();
const given = process.argv.slice(2);
const wanted = ['--node', '--no-node'].find((flag) => given.includes(flag));
const flags = given.filter((argument) => !isFile(argument) && argument !== wanted);
const files = inOrder(given.some(isFile) ? given.filter(isFile) : allSuites()).filter(
  (file) => wanted === undefined || needsNode(file) === (wanted === '--node'),
);

process.exitCode = await (outcomesOfRepeat === undefined
  ? allRuns()
  : oneRun().then(({ code }) => code)
).catch((error: Error) => {
  console.error(error.stack);
  if (outcomesOfRepeat === undefined) console.log('0 passed, 1 failed');
  return 1;
});

/** The result of one run of mocha. */
interface Ran {
  readonly code: number;
  readonly printed: string;
  /** Undefined if mocha ended before its summary. */
  readonly outcomes: Outcomes | undefined;
}

/** Runs the suites in one cluster, which is removed afterwards. */
async function oneRun(): Promise<Ran> {
  const withoutNode = version !== undefined || !files.some(needsNode);
  if (withoutNode || whyNot('node') === undefined || whyNoNode() !== undefined) {
    if (whyNot('api-server') === undefined) await prepareParts('api-server', version);
    if (version === undefined && whyNot('api-server') === undefined) await prepareSuites(files);
    return runMocha({}, () => '');
  }
  const parts = await prepareParts('node');
  await prepareSuites(files);
  if (!isInside(`kw-${name}`)) {
    const { networkNamespace } = await createCluster(options);
    // From here on this process, with the same id, runs inside the namespace.
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

async function runMocha(environment: Readonly<Record<string, string>>, logs: () => string): Promise<Ran> {
  const ran = await mocha(environment);
  if (ran.code !== 0) {
    console.log(logs());
    // Repeated below the logs, where readers look for it.
    console.log(/^\s*\d+ passing[\s\S]*/m.exec(ran.printed)?.[0] ?? 'mocha ended without a summary');
  }
  return ran;
}

/**
 * Runs the suites, and those with a failed case again: as a whole, because their cases share one state, and in a new cluster,
 * because they may have left something in the old one. Returns the exit code; ends with one line for scripts.
 */
async function allRuns(): Promise<number> {
  const runs: Pick<Ran, 'code' | 'outcomes'>[] = [await oneRun()];
  const failing = () => failingFiles(runs.at(-1)?.outcomes ?? {});
  while (runs.length < mostRuns && failing().length > 0) {
    console.log(`Again, in a new cluster: ${failing().join(' ')}`);
    runs.push(await repeat(failing()));
  }
  const code = runs.at(-1)?.code ?? 1;
  const outcomes: Outcomes | undefined = runs.every((run) => run.outcomes !== undefined)
    ? Object.assign({}, ...runs.map((run) => run.outcomes))
    : undefined;
  const failed = failedIn(outcomes ?? {});
  for (const run of runs.slice(0, -1))
    for (const title of failedIn(run.outcomes ?? {})) console.log(`Failed at first: ${title}`);
  const bad = Math.max(failed.length, code === 0 ? 0 : 1);
  for (const title of lateIn(outcomes ?? {})) console.log(`Not run, the time was over: ${title}`);
  console.log(`${passedIn(outcomes ?? {})} passed, ${bad} failed`);
  return code;
}

/** Runs these suites in another process, which has a cluster of its own. */
async function repeat(suites: readonly string[]): Promise<Pick<Ran, 'code' | 'outcomes'>> {
  return collectingOutcomes(async (file) => {
    const [command, ...args] = bound(...process.argv.slice(1, 2), ...flags, ...suites);
    const child = spawn(command, args, {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, [outcomesVariable]: file },
    });
    return new Promise<number>((resolve) => child.once('close', (status) => resolve(status ?? 1)));
  });
}

/** Reads the outcomes that a run writes to the file. */
async function collectingOutcomes(
  run: (file: string) => Promise<number>,
): Promise<Pick<Ran, 'code' | 'outcomes'>> {
  if (outcomesOfRepeat !== undefined) return { code: await run(outcomesOfRepeat), outcomes: undefined };
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-webhook-outcomes-'));
  const file = join(folder, 'outcomes.json');
  const code = await run(file);
  const outcomes = readOutcomes(file);
  rmSync(folder, { recursive: true });
  return { code, outcomes };
}

async function mocha(environment: Readonly<Record<string, string>>): Promise<Ran> {
  const program = createRequire(import.meta.url).resolve('mocha/bin/mocha.js');
  const [command, ...args] = bound(program, ...mochaArguments(files));
  let output = '';
  const ended = await collectingOutcomes(async (file) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}),
        ...environment,
        [outcomesVariable]: file,
      },
    });
    const passOn = (signal: NodeJS.Signals) => child.kill(signal);
    process.on('SIGINT', passOn).on('SIGTERM', passOn);
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      process.stdout.write(chunk);
      output += chunk;
    });
    const code = await new Promise<number>((resolve) =>
      child.once('close', (status) => resolve(status ?? 1)),
    );
    process.off('SIGINT', passOn).off('SIGTERM', passOn);
    return code;
  });
  return { ...ended, printed: stripVTControlCharacters(output) };
}

/** A command for a script of Node that ends with this process: tests would continue without their cluster. */
function bound(...script: readonly string[]): readonly [string, ...string[]] {
  const setpriv = findProgram('setpriv');
  const command = [process.execPath, ...process.execArgv, ...script] as const;
  return setpriv === undefined ? command : [setpriv, '--pdeathsig', 'KILL', ...command];
}

// Declarations, not constants: the first run starts before the end of this file is reached.
function isFile(argument: string): boolean {
  return /^[^-].*\.ts$/.test(argument);
}

function allSuites(): readonly string[] {
  return globSync(`test/e2e/**/${version === undefined ? '' : 'oracle-'}*.e2e.ts`);
}

/** Last come recorded answers, and pairs of what other suites do alone: first what only a cluster can show. */
function inOrder(found: readonly string[]): readonly string[] {
  const isLast = (file: string): boolean => /\/(?:oracle-|pairs\.)/.test(file);
  return found.toSorted().toSorted((a, b) => Number(isLast(a)) - Number(isLast(b)));
}

/** Suites declare it at their start; see test/cluster/suite.ts. */
function needsNode(file: string): boolean {
  return /\bneeds\('(own-)?node'/.test(readFileSync(file, 'utf8'));
}

function mochaArguments(suites: readonly string[]): string[] {
  // A case without a body also counts as skipped.
  const strict = process.env.CI === 'true' ? ['--forbid-pending', '--forbid-only'] : [];
  const reporter = ['--reporter', './test/e2e/outcomes.ts'];
  return ['--config', '.mocharc.e2e.json', ...reporter, ...strict, ...flags, ...suites];
}
