import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type ClusterReader, ReadError, type WatchRequest } from '../../src/collect/cluster.ts';
import { liveReader } from '../../src/collect/live-reader.ts';
import type { WatchEnd } from '../../src/collect/resumed-watch.ts';

const path = '/api/v1/things';
const thing = (name: string, resourceVersion: string) => ({ metadata: { name, uid: name, resourceVersion } });
const event = (type: string, object: object): string => JSON.stringify({ type, object });

/** A cluster with scripted watches, one after the other; the last one stays open. */
function scripted(watches: readonly ((each: (line: string) => void) => void)[]) {
  const lists: string[] = [];
  const from: unknown[] = [];
  const reader = {
    list: async (asked: string) => {
      lists.push(asked);
      return { items: [thing('a', '1')], resourceVersion: '1' };
    },
    watch: async (
      { query: { resourceVersion } }: WatchRequest,
      each: (line: string) => void,
      ended: AbortSignal,
    ) => {
      from.push(resourceVersion);
      const next = watches[from.length - 1];
      if (next !== undefined) return next(each);
      await new Promise((resolve) => ended.addEventListener('abort', resolve));
    },
  } as unknown as ClusterReader;
  return { reader, lists, from };
}

const failing = (status?: number) => (): never => {
  throw new ReadError('no', { reason: 'unreachable', path, ...(status === undefined ? {} : { status }) });
};

describe('watched lists', function () {
  this.timeout(20_000);
  const over = new AbortController();
  after(() => over.abort());
  const live = (reader: ClusterReader, ends: WatchEnd[] = []) =>
    liveReader(reader, { counts: () => true, settling: 1, onWatchEnd: (why) => ends.push(why) }, over.signal);
  const never = new AbortController().signal;
  const names = async (reader: ClusterReader): Promise<readonly string[]> =>
    (await reader.list<ReturnType<typeof thing>>(path)).items.map(({ metadata }) => metadata.name);

  it('continue after a dropped watch, also from bookmarks', async () => {
    const { reader, lists, from } = scripted([
      (each) => {
        each(event('ADDED', thing('b', '5')));
        each(event('BOOKMARK', { metadata: { resourceVersion: '9' } }));
        failing()();
      },
    ]);
    const ends: WatchEnd[] = [];
    const watched = live(reader, ends);
    await names(watched);
    await watched.changed(3_000, never);
    expect(await names(watched)).to.deep.equal(['a', 'b']);
    await sleep(1_200);
    expect(from).to.deep.equal(['1', '9']);
    expect(lists).to.have.length(1);
    expect(ends).to.deep.equal(['dropped']);
  });

  it('are listed again if the version is too old (410), or two watches get no response', async () => {
    for (const watches of [
      [failing(410)],
      [(each: (line: string) => void) => each(event('ERROR', { metadata: {} }))],
      [failing(), failing()],
    ]) {
      const { reader, lists } = scripted(watches);
      const watched = live(reader);
      await names(watched);
      await watched.changed(5_000, never);
      await names(watched);
      expect(lists).to.have.length(2);
    }
  });

  it('are listed each time if the user may not watch them', async () => {
    const { reader, lists, from } = scripted([failing(403)]);
    const ends: WatchEnd[] = [];
    const watched = live(reader, ends);
    for (let look = 0; look < 3; look += 1) {
      await names(watched);
      await watched.changed(50, never);
    }
    expect([lists.length, from.length, ends]).to.deep.equal([3, 1, ['refused']]);
  });

  it('are not watched with a limit: a watch would send all objects', async () => {
    const { reader, lists, from } = scripted([]);
    const watched = live(reader);
    await watched.list(path, { limit: 500 });
    await watched.list(path, { limit: 500 });
    expect(lists).to.have.length(1);
    expect(from).to.deep.equal([]);
  });

  it('are released without readers', async () => {
    const ended: string[] = [];
    const watched = live({
      list: async () => ({ items: [], resourceVersion: '1' }),
      watch: ({ path: asked }: WatchRequest, _each: unknown, signal: AbortSignal) =>
        new Promise<void>((resolve) =>
          signal.addEventListener('abort', () => {
            ended.push(asked);
            resolve();
          }),
        ),
    } as unknown as ClusterReader);
    await watched.list('/kept');
    await watched.list('/gone');
    await watched.changed(10, never);
    await watched.list('/kept');
    await watched.changed(10, never);
    expect(ended).to.deep.equal(['/gone']);
  });
});
