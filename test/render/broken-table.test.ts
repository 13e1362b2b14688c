import { expect } from 'chai';
import { type BrokenRow, brokenLines } from '../../src/render/terminal/broken-table.ts';
import { styleOf } from '../../src/render/terminal/style.ts';

const style = styleOf({ width: 120, colour: false, unicode: true });
const rows = Array.from(
  { length: 20 },
  (_, at): BrokenRow => ({
    before: ['open'],
    name: `w${at}.example.com`,
    after: ['Ignore', '-'],
    cause: at === 0 ? 'Workload is scaled to zero' : 'same cause',
    ...(at === 0 ? { others: 19 } : {}),
    below: `failed open by you: kubectl webhook undo ${at < 12 ? 'one' : 'two'}`,
  }),
);

describe('the table of broken webhooks', () => {
  it('has the command to undo of each change, also if one row stands for many webhooks', () => {
    const lines = brokenLines(rows, style, false)
      .join('\n')
      .split('\n')
      .map((line) => line.trim());
    expect(lines.filter((line) => line.includes('undo'))).to.deep.equal([
      'failed open by you: kubectl webhook undo one',
      'failed open by you: kubectl webhook undo two',
    ]);
    expect(lines.some((line) => line.includes('w0.example.com and 19 more'))).to.equal(true);
  });
});
