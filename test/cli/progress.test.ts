import { setTimeout as wait } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { expect } from 'chai';
import { startProgress } from '../../src/cli/progress.ts';

/** A terminal that records what is written to it. */
function terminal(over: object = {}) {
  const written: string[] = [];
  const stream = {
    ...{ isTTY: true, columns: 80, rows: 24 },
    write: (text: string) => written.push(text) > 0,
    ...{ cursorTo: () => true, clearLine: () => written.push('<clear>'), moveCursor: () => true },
    ...{ on: () => stream, once: () => stream, off: () => stream, removeListener: () => stream },
    ...over,
  };
  return { stream: stream as unknown as NodeJS.WriteStream, written };
}

describe('progress', () => {
  const { CI, TERM } = process.env;
  before(() => {
    delete process.env.CI;
    process.env.TERM = 'xterm';
  });
  after(() => {
    delete process.env.TERM;
    Object.assign(process.env, { ...(CI && { CI }), ...(TERM && { TERM }) });
  });

  it('stays in one row of 40 to 200 columns: a wrapped row would remain', () => {
    for (let columns = 40; columns <= 200; columns += 1) {
      const { stream, written } = terminal({ columns });
      const progress = startProgress(stream);
      progress.stage('reading webhooks, Services and EndpointSlices of all the namespaces of this cluster');
      progress.stop();
      const rows = written.map((text) => stripVTControlCharacters(text).trim().length);
      expect(Math.max(...rows))
        .to.be.lessThan(columns)
        .and.greaterThan(columns / 3);
    }
  });

  it('prints the stage at once, and clears it', () => {
    const { stream, written } = terminal();
    const progress = startProgress(stream);
    progress.stage('reading \u001b[31mPods');
    progress.stop();
    progress.stop();
    expect(written[0]).to.include('reading the cluster');
    expect(written[1]).to.include('reading \\u{1b}[31mPods');
    expect(written.at(-1)).to.equal('\r\u001b[K');
    expect(written).to.have.length(3);
  });

  it('spins until it is stopped', async () => {
    const { stream, written } = terminal();
    const progress = startProgress(stream);
    for (let tries = 0; written.length < 6 && tries < 100; tries++) await wait(20);
    progress.stage('asking the replicas');
    for (let tries = 0; !written.join('').includes('asking') && tries < 100; tries++) await wait(20);
    progress.stop();
    const count = written.length;
    await wait(200);
    expect(stripVTControlCharacters(written.join(''))).to.include('asking the replicas');
    expect(written.length).to.equal(count);
  });

  it('writes nothing without a terminal, or if a terminal has no columns', () => {
    for (const over of [{ isTTY: false }, { columns: 0 }]) {
      const { stream, written } = terminal(over);
      const progress = startProgress(stream);
      progress.stage('reading');
      progress.stop();
      expect(written).to.deep.equal([]);
    }
  });
});
