import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/walk.md', root), 'utf8');
const [tour = ''] = page.split('\n## Where to change what');
const files = [...tour.matchAll(/\]\(\.\.\/(src\/[^)]+)\)/g)].map(([, file = '']) => file);

/**
 * The allowed order of folders: data flows in one direction. workflows/ connects them and may be anywhere.
 */
const rooms = ['commands', 'collect', 'facts', 'apiserver', 'checks', 'remedies', 'render'];
const sameRoom: Readonly<Record<string, string>> = {
  diagnose: 'checks',
  phrases: 'checks',
  pods: 'checks',
};

describe('docs/walk.md', () => {
  it('follows one diagnosis through at most 40 files, each of which exists', () => {
    expect(files.filter((file) => !existsSync(new URL(file, root)))).to.deep.equal([]);
    expect(files.length).to.be.within(20, 40);
    expect(page).to.include(`${files.length} files`);
  });
  it('goes in one direction', () => {
    const order = files
      .map((file) => file.split('/')[1] ?? '')
      .filter((room) => room !== 'workflows')
      .map((room) => rooms.indexOf(sameRoom[room] ?? room));
    expect(order).to.deep.equal(order.toSorted((a, b) => a - b));
  });
});
