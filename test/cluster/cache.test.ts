import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { cached, cacheRoot, contentKey } from './cache.ts';

// The lock is util-linux's flock.
if (process.platform === 'linux') {
  describe('the cache of binaries and images', () => {
    const before = process.env.XDG_CACHE_HOME;
    let home: string;
    beforeEach(() => {
      home = mkdtempSync(join(tmpdir(), 'cache-'));
      process.env.XDG_CACHE_HOME = home;
    });
    afterEach(() => {
      if (before === undefined) delete process.env.XDG_CACHE_HOME;
      else process.env.XDG_CACHE_HOME = before;
      rmSync(home, { recursive: true });
    });
    const write = (content: string) => (folder: string) => writeFileSync(join(folder, 'file'), content);

    it('builds once for two concurrent requests', async () => {
      let builds = 0;
      const build = async (folder: string) => {
        builds++;
        await new Promise((resolve) => setTimeout(resolve, 20));
        write('x')(folder);
      };
      const [one, two] = await Promise.all([cached('thing', 'a', build), cached('thing', 'a', build)]);
      expect(one).to.equal(two);
      expect(builds).to.equal(1);
      expect(readFileSync(join(one, 'file'), 'utf8')).to.equal('x');
    });

    it('keeps nothing of a failed build, and starts the next one in an empty folder', async () => {
      const half = (folder: string) => {
        write('half')(folder);
        throw new Error('killed');
      };
      const error = await cached('thing', 'a', half).catch((e: Error) => e);
      expect(error).to.have.property('message', 'killed');
      expect(existsSync(join(cacheRoot(), 'thing-a'))).to.equal(false);
      const entry = await cached('thing', 'a', (folder) => {
        expect(readdirSync(folder)).to.deep.equal([]);
        write('whole')(folder);
      });
      expect(readFileSync(join(entry, 'file'), 'utf8')).to.equal('whole');
    });

    it('deletes entries of the same name that were not used for a week', async () => {
      const keys = ['old', 'fresh', 'new'].map((word) => contentKey(word));
      const [old = '', fresh = '', next = ''] = keys;
      const long = new Date(Date.now() - 8 * 24 * 60 * 60 * 1000);
      utimesSync(await cached('thing', old, write('1')), long, long);
      utimesSync(await cached('thing-else', old, write('1')), long, long);
      await cached('thing', fresh, write('2'));
      await cached('thing', next, write('3'));
      const entries = readdirSync(cacheRoot()).filter((name) => !name.endsWith('.lock'));
      expect(entries).to.have.members([`thing-${fresh}`, `thing-${next}`, `thing-else-${old}`]);
    });
  });
}

describe('contentKey', () => {
  it('changes with every part and its length', () => {
    const keys = [contentKey('ab', 'c'), contentKey('a', 'bc'), contentKey('abc'), contentKey('abd')];
    expect(new Set(keys)).to.have.lengthOf(4);
    expect(contentKey(Buffer.from('ab'), 'c')).to.equal(keys[0]);
    expect(keys[0]).to.match(/^[0-9a-f]{12}$/);
  });
});
