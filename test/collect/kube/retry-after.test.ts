import { expect } from 'chai';
import { pauseBeforeRetry } from '../../../src/collect/kube/http/transport.ts';

describe('the pause before a retry', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  const cases: readonly (readonly [number, string | undefined, number, number | undefined])[] = [
    [429, '3', 1, 3000],
    [503, '0', 1, 0],
    [500, '60', 5, 60_000],
    [429, 'Thu, 01 Jan 2026 00:00:07 GMT', 1, 7000],
    [429, 'Wed, 31 Dec 2025 00:00:00 GMT', 1, 0],
    [429, undefined, 1, undefined],
    [503, undefined, 1, undefined],
    [429, 'soon', 1, undefined],
    [429, '-1', 1, undefined],
    [429, '61', 1, undefined],
    [429, '1', 6, undefined],
    [404, '1', 1, undefined],
    [200, '1', 1, undefined],
  ];
  for (const [status, asked, tries, pause] of cases)
    it(`HTTP ${status}, Retry-After ${asked}, try ${tries}: ${pause ?? 'none'}`, () => {
      const headers = asked === undefined ? {} : { 'retry-after': asked };
      const answer = { status, headers, body: Buffer.alloc(0), bytes: 0 };
      expect(pauseBeforeRetry(answer, tries, now)).to.equal(pause);
    });
});
