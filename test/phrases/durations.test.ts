import { expect } from 'chai';
import { countdownText, durationText, shortDuration, spanText } from '../../src/phrases/durations.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

describe('durations', () => {
  for (const [milliseconds, text] of [
    [0, '0 seconds'],
    [minute, '1 minute'],
    [119 * minute, '119 minutes'],
    [2 * hour, '2 hours'],
    [47 * hour, '47 hours'],
    [2 * day, '2 days'],
    [400 * day, '400 days'],
  ] as const)
    it(`${text}`, () => expect(durationText(milliseconds)).to.equal(text));

  it('before and after a moment', () => {
    expect(spanText('2026-01-01T00:00:00Z', '2026-01-11T00:00:00Z')).to.equal('in 10 days');
    expect(spanText('2026-01-01T05:00:00Z', '2026-01-01T00:00:00Z')).to.equal('5 hours ago');
    expect(spanText('2026-01-01T00:00:00.9Z', '2026-01-01T00:00:00Z')).to.equal('just now');
  });

  it('in a narrow column', () => {
    expect([119, 120, 7169, 7170, 7200].map(shortDuration)).to.deep.equal([
      ...['119 s', '2 min', '119 min', '2 h', '2 h'],
    ]);
  });

  it('counted down', () => {
    expect([-5, 29_001, 750_000].map(countdownText)).to.deep.equal(['0 s', '30 s', '12 min 30 s']);
  });
});
