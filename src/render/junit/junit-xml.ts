import { create } from 'xmlbuilder';

/** A test case of JUnit XML. */
export interface JunitCase {
  readonly classname: string;
  readonly name: string;
  /** `failure`: a problem was found. `error`: it could not be examined, which never counts as passed. */
  readonly outcome?: { readonly kind: 'failure' | 'error'; readonly type: string; readonly message: string };
  /** Text after the outcome, or additional information about a case that passed. */
  readonly text: string;
}

interface JunitSuite {
  readonly name: string;
  /** RFC 3339. */
  readonly timestamp: string;
  readonly cases: readonly JunitCase[];
}

const count = (cases: readonly JunitCase[], kind: 'failure' | 'error'): number =>
  cases.filter(({ outcome }) => outcome?.kind === kind).length;

/** Prints XML for CI systems. Texts must be harmless already; characters that XML forbids are replaced. */
export function junitXml({ name, timestamp, cases }: JunitSuite): string {
  const root = create('testsuites', { encoding: 'UTF-8', invalidCharReplacement: '\uFFFD' });
  const suite = root.ele('testsuite', {
    name,
    timestamp: timestamp.replace(/(\.\d+)?Z$/, ''),
    tests: cases.length,
    failures: count(cases, 'failure'),
    errors: count(cases, 'error'),
    skipped: 0,
    time: 0,
  });
  for (const { classname, name: title, outcome, text } of cases) {
    const one = suite.ele('testcase', { classname, name: title, time: 0 });
    if (outcome !== undefined) one.ele(outcome.kind, { type: outcome.type, message: outcome.message }, text);
    else if (text !== '') one.ele('system-out', text);
  }
  return `${root.end({ pretty: true })}\n`;
}
