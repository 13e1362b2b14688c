import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import {
  parseCallError,
  parseErrorEnding,
} from '../../../src/apiserver/sentences/call-error/parse-call-error.ts';

/**
 * An error quoted in public. `kind` null: not the error of a call of the API server (a webhook's own log, a
 * crash, a title). `lastWords`: only the end was quoted.
 */
interface Recorded {
  readonly source: string;
  readonly text: string;
  readonly kind?: string | null;
  readonly lastWords?: true;
  readonly cause?: string;
}

const recorded = readFileSync(new URL('../recorded/incidents.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Recorded);

describe('parseCallError on 220 errors of public reports', () => {
  it('returns kind and cause of each, and finds no call in other texts', () => {
    const seen = recorded.map(({ source, text, lastWords }) => {
      const parsed = lastWords ? parseErrorEnding(text) : parseCallError(text);
      const kind = lastWords ? { lastWords } : { kind: parsed?.kind ?? null };
      return { source, ...kind, ...(parsed?.cause === undefined ? {} : { cause: parsed.cause.kind }), text };
    });
    expect(seen).to.deep.equal(recorded);
  });

  it('finds the cause of every call failure, except truncated ones and two titles', () => {
    const failures = recorded.filter(({ kind }) => kind === 'call-failure' || kind === 'conversion');
    const without = failures.filter(({ cause }) => cause === undefined || cause === 'other');
    expect({ failures: failures.length, without: without.length }).to.deep.equal({
      failures: 133,
      without: 18,
    });
    for (const { text } of without) {
      expect(text).to.match(
        /webhook"?(?: "[^"]+")?$|Post$|timeout=10s"$|\.\.\.$|failed:$|webhook$|->|despite/,
      );
    }
  });

  it('never recognizes a line of a webhook’s own log as a call of the API server', () => {
    const logs = recorded.filter(({ text }) => text.includes('TLS handshake error'));
    expect(logs).to.have.lengthOf(9);
    for (const { text } of logs) expect(parseErrorEnding(text), text).to.equal(undefined);
  });
});
