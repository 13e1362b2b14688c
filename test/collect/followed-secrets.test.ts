import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type ClusterReader, ReadError, type WatchRequest } from '../../src/collect/cluster.ts';
import { followedSecrets, mostWatchedSecrets } from '../../src/collect/followed-secrets.ts';
import type { WatchEnd } from '../../src/collect/resumed-watch.ts';
import { issued, pem } from '../checks/tls/serving.ts';

const pathOf = (name: string): string => `/api/v1/namespaces/shop/secrets/${name}`;

interface Opened {
  readonly of: WatchRequest;
  /** Writes an event with this resourceVersion. */
  readonly event: (type: string, resourceVersion?: string, more?: object) => void;
  readonly end: (error?: Error) => void;
}

/** A cluster with one version of all Secrets; `refuses`: it refuses watches. */
function cluster(refuses?: number) {
  const state = { version: '1' as string | undefined };
  const reads: string[] = [];
  const watches: Opened[] = [];
  const certificate = pem(issued().presented);
  const reader = {
    get: async (path: string) => {
      reads.push(path);
      const { version } = state;
      if (version === undefined) return undefined;
      const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': 'PRIVATE' };
      const data = { 'tls.crt': certificate, 'tls.key': 'PRIVATE KEY', password: 'PRIVATE' };
      return {
        metadata: { name: 'tls', namespace: 'shop', resourceVersion: version, annotations },
        type: 'kubernetes.io/tls',
        data: Object.fromEntries(
          Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
        ),
      };
    },
    watch: (of: WatchRequest, each: (line: string) => void, signal: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        signal.addEventListener('abort', () => resolve());
        watches.push({
          of,
          event: (type, resourceVersion, more) =>
            each(JSON.stringify({ type, object: { metadata: { name: 'tls', resourceVersion }, ...more } })),
          end: (error) => (error === undefined ? resolve() : reject(error)),
        });
        if (refuses !== undefined)
          reject(new ReadError('no', { reason: 'forbidden', path: of.path, status: refuses }));
      }),
  } as unknown as ClusterReader;
  return { state, reads, watches, reader };
}

const dropped = (status?: number): ReadError =>
  new ReadError('no', { reason: 'unreachable', path: '/', ...(status === undefined ? {} : { status }) });

describe('Secrets that are followed', function () {
  this.timeout(20_000);
  const over = new AbortController();
  after(() => over.abort());
  function following(refuses?: number) {
    const fake = cluster(refuses);
    const ends: WatchEnd[] = [];
    const count = { changes: 0 };
    const pace = {
      onChange: () => {
        count.changes += 1;
      },
      onWatchEnd: (why: WatchEnd) => ends.push(why),
    };
    const secrets = followedSecrets(fake.reader, pace, over.signal);
    const read = async (name = 'tls') => {
      secrets.refresh();
      return secrets.get(pathOf(name));
    };
    return { ...fake, ends, count, read };
  }
  const first = ({ watches }: { readonly watches: readonly Opened[] }, at = 0): Opened => {
    const found = watches[at];
    if (found === undefined) throw new Error('no watch');
    return found;
  };

  it('are watched by name, and only their metadata', async () => {
    const secret = following();
    await secret.read();
    expect(first(secret).of.path).to.equal('/api/v1/namespaces/shop/secrets');
    expect(first(secret).of.query).to.deep.include({ fieldSelector: 'metadata.name=tls', watch: true });
    expect(first(secret).of.query).to.deep.include({ resourceVersion: '0', allowWatchBookmarks: false });
    expect(first(secret).of.accept).to.equal('application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1');
  });

  it('are read again only after a change', async () => {
    const secret = following();
    await secret.read();
    first(secret).event('ADDED', '1');
    await secret.read();
    first(secret).event('BOOKMARK', '5');
    await secret.read();
    expect([secret.reads.length, secret.count.changes]).to.deep.equal([1, 0]);

    secret.state.version = '7';
    first(secret).event('MODIFIED', '7');
    expect(secret.count.changes).to.equal(1);
    expect((await secret.read())?.metadata).to.include({ resourceVersion: '7' });
    await secret.read();
    expect([secret.reads.length, secret.watches.length]).to.deep.equal([2, 1]);

    secret.state.version = undefined;
    first(secret).event('DELETED', '8');
    expect(await secret.read()).to.equal(undefined);
    await secret.read();
    secret.state.version = '9';
    first(secret).event('ADDED', '9');
    expect((await secret.read())?.metadata).to.include({ resourceVersion: '9' });
    expect([secret.reads.length, secret.count.changes]).to.deep.equal([4, 3]);
  });

  it('are read again if they changed between the read and its watch', async () => {
    const secret = following();
    await secret.read();
    secret.state.version = '2';
    first(secret).event('ADDED', '2');
    expect((await secret.read())?.metadata).to.include({ resourceVersion: '2' });
    expect(secret.count.changes).to.equal(1);
  });

  it('are kept without private data', async () => {
    const secret = following();
    const kept = await secret.read();
    expect(Object.keys(kept?.data ?? {})).to.deep.equal(['tls.crt', 'tls.key', 'password']);
    expect(Buffer.from(kept?.data?.['tls.crt'] ?? '', 'base64').toString()).to.contain('BEGIN CERTIFICATE');
    expect([kept?.data?.['tls.key'], kept?.data?.password, kept?.metadata.annotations]).to.deep.equal([
      '',
      '',
      undefined,
    ]);
  });

  it('continue from the last version after a dropped watch, and from the present object after a 410', async () => {
    const secret = following();
    await secret.read();
    first(secret).event('ADDED', '1');
    first(secret).event('BOOKMARK', '4');
    first(secret).end(dropped());
    await sleep(0);
    await secret.read();
    // Until the watch is back, nothing confirms what was read.
    expect(secret.reads).to.have.length(2);
    await sleep(1_200);
    expect(first(secret, 1).of.query).to.include({ resourceVersion: '4', allowWatchBookmarks: true });
    first(secret, 1).event('BOOKMARK', '6');
    await secret.read();
    expect(secret.reads).to.have.length(2);
    first(secret, 1).end();
    await sleep(1_200);
    // The transport reports an error of its own for one that is thrown while it reads.
    expect(() => first(secret, 2).event('ERROR', undefined, { object: { code: 410 } })).to.throw();
    first(secret, 2).end(dropped());
    await sleep(1_200);
    expect(first(secret, 3).of.query.resourceVersion).to.equal('0');
    secret.state.version = '9';
    first(secret, 3).event('ADDED', '9');
    expect((await secret.read())?.metadata).to.include({ resourceVersion: '9' });
    expect(secret.ends).to.deep.equal(['dropped', 'expired']);
    expect(secret.count.changes).to.equal(1);
  });

  it('are read each time if the user may not watch them, or gets no metadata alone', async () => {
    for (const status of [403, 405, 406]) {
      const secret = following(status);
      for (let turn = 0; turn < 3; turn += 1) await secret.read();
      expect([secret.reads.length, secret.watches.length, secret.ends]).to.deep.equal([3, 1, ['refused']]);
    }
  });

  it(`are read each time if ${mostWatchedSecrets} others are watched`, async () => {
    const secret = following();
    for (let at = 0; at < mostWatchedSecrets; at += 1) await secret.read(`n${at}`);
    secret.reads.length = 0;
    for (let turn = 0; turn < 3; turn += 1) await secret.read('one-more');
    expect(secret.reads).to.deep.equal(Array(3).fill(pathOf('one-more')));
    expect([secret.watches.length, secret.ends]).to.deep.equal([mostWatchedSecrets, ['limit']]);
  });
});
