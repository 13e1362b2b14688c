import { expect } from 'chai';
import { changedStates, statesOf } from '../../src/render/transitions.ts';
import { calloutReport, reportOf } from '../support/report.ts';

const failing = {
  verdict: { state: 'failing', because: ['service-missing'], effect: 'blocks' },
} as const;
const reportWith = (more: Parameters<typeof calloutReport>[0]) => reportOf([calloutReport(more)], []);

describe('what a watch prints in a pipe', () => {
  it('is a line when a webhook changes, and when it is failed open by this program', () => {
    const before = reportWith(failing);
    const opened = { change: 'c', at: before.takenAt, undo: 'kubectl webhook undo c' };
    const after = reportWith({ ...failing, opened });
    expect(changedStates(before, statesOf(before), statesOf(before))).to.equal('');
    const line = changedStates(after, statesOf(before), statesOf(after));
    expect(line).to.match(/: failing \(service-missing\) -> failing \(service-missing\), failed open\n$/);
    expect(changedStates(before, statesOf(after), statesOf(before))).to.match(
      /open -> failing \(service-missing\)\n$/,
    );
  });
});
