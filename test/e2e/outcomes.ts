import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import Mocha from 'mocha';
import { patience } from '../cluster/wait.ts';

/** Where {@link OutcomesReporter} writes. */
export const outcomesVariable = 'KUBECTL_WEBHOOK_OUTCOMES';

/** No suite starts after that many seconds, counted from the start of a run of mocha; default: no limit. */
const secondsVariable = 'E2E_SECONDS';

/** The results of the suites of one file. */
export interface Outcome {
  readonly passed: number;
  /** Full titles of cases and hooks. */
  readonly failed: readonly string[];
  /** Titles of suites that did not start in time. */
  readonly late: readonly string[];
}

/** By the path of the file, as mocha takes it. */
export type Outcomes = Readonly<Record<string, Outcome>>;

/** Prints like mocha's `spec`, writes the results of each file, and ends a run that takes too long. */
export default class OutcomesReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const outcomes: Record<string, { passed: number; failed: string[]; late: string[] }> = {};
    const of = ({ file = '' }: { readonly file?: string | undefined }) => {
      const path = relative(process.cwd(), file);
      outcomes[path] ??= { passed: 0, failed: [], late: [] };
      return outcomes[path];
    };
    const until = performance.now() + Number(process.env[secondsVariable] ?? Number.POSITIVE_INFINITY) * 1000;
    const waiting = new Set(runner.suite.suites);
    runner.on('suite', (suite) => {
      if (waiting.has(suite) && performance.now() > until) runner.abort();
      else waiting.delete(suite);
    });
    // A repeated case is a copy with the same function, and the limit of the first.
    const limited = new WeakSet<object>();
    const limit = (one: Mocha.Runnable): void => {
      const key = one.fn ?? one;
      if (!limited.has(key)) one.timeout(one.timeout() * patience);
      limited.add(key);
    };
    runner.on('hook', limit);
    runner.on('test', limit);
    runner.on('pass', (test) => {
      of(test).passed += 1;
    });
    runner.on('fail', (test) => {
      of(test).failed.push(test.fullTitle());
    });
    runner.once('end', () => {
      // Suites without a selected case (`-g`) do not start, either.
      for (const suite of performance.now() > until ? waiting : []) of(suite).late.push(suite.title);
      const file = process.env[outcomesVariable];
      if (file !== undefined) writeFileSync(file, JSON.stringify(outcomes));
    });
  }
}

/** The results of a run of mocha; undefined if it ended before they were written. */
export function readOutcomes(file: string): Outcomes | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Outcomes;
  } catch {
    return undefined;
  }
}

/** The files with failures. */
export const failingFiles = (outcomes: Outcomes): readonly string[] =>
  Object.entries(outcomes).flatMap(([file, { failed }]) => (failed.length > 0 ? [file] : []));

export const passedIn = (outcomes: Outcomes): number =>
  Object.values(outcomes).reduce((sum, { passed }) => sum + passed, 0);

export const failedIn = (outcomes: Outcomes): readonly string[] =>
  Object.values(outcomes).flatMap(({ failed }) => failed);

/** Titles of the suites that did not start in time. */
export const lateIn = (outcomes: Outcomes): readonly string[] =>
  Object.values(outcomes).flatMap(({ late }) => late);
