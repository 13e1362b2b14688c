import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { CannotStart } from '../../../src/workflows/cluster/cannot-start.ts';
import { eachCluster } from '../../../src/workflows/cluster/each-cluster.ts';
import type { UnreachedCluster } from '../../../src/workflows/cluster/unreached.ts';
import type { ClusterOptions } from '../../../src/workflows/cluster/with-cluster.ts';
import { fileWith } from '../../support/plugin.ts';

const names = Array.from({ length: 40 }, (_, at) => `c${String(at).padStart(2, '0')}`);
const kubeconfig = fileWith(
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: names.map((name) => ({ name, cluster: { server: `https://${name}.example` } })),
    users: [{ name: 'me', user: {} }],
    contexts: names.map((name) => ({ name, context: { cluster: name, user: 'me' } })),
  }),
);

/** Clusters that end only when the test says so; counts those that are read at the same time. */
function heldClusters() {
  const open = new Map<string, (error?: Error) => void>();
  const ended: string[] = [];
  let most = 0;
  const look = ({ flags: { context = '' } }: ClusterOptions) =>
    new Promise<string>((resolve, reject) => {
      open.set(context, (error) => {
        open.delete(context);
        ended.push(context);
        if (error === undefined) resolve(context);
        else reject(error);
      });
      most = Math.max(most, open.size);
    });
  const end = async (name: string, error?: Error): Promise<void> => {
    open.get(name)?.(error);
    for (let turns = 0; turns < 5; turns += 1) await turn();
  };
  return { open, ended, look, end, most: () => most };
}

const run = (look: ReturnType<typeof heldClusters>['look'], probes: boolean, contexts = ['*']) =>
  eachCluster<string | UnreachedCluster>({
    options: { flags: { kubeconfig }, milliseconds: 60_000 },
    contexts,
    probes,
    look,
    unreached: (cluster) => cluster,
  });

describe('many clusters', () => {
  for (const [probes, limit] of [
    [false, 16],
    [true, 8],
  ] as const)
    it(`are read ${limit} at a time ${probes ? 'with' : 'without'} probes`, async () => {
      const { open, look, end, most } = heldClusters();
      const reading = run(look, probes);
      await turn();
      expect([...open.keys()]).to.deep.equal(names.slice(0, limit));
      for (const name of names) {
        await end(name);
        expect(open.size).to.be.at.most(limit);
      }
      expect(await reading).to.deep.equal(names);
      expect(most()).to.equal(limit);
    });

  it('are all read while one of them hangs, which then has its own reason', async () => {
    const { ended, look, end } = heldClusters();
    const reading = run(look, true);
    await turn();
    // If another cluster waited for the first one, it would never be open, and `end` would do nothing.
    for (const name of names.slice(1)) await end(name);
    expect(ended).to.deep.equal(names.slice(1));
    await end('c00', new CannotStart('c00 does not respond', undefined, 'timeout'));
    const [first, ...others] = await reading;
    expect(first).to.deep.equal({
      context: 'c00',
      server: 'https://c00.example',
      why: 'timeout',
      error: 'c00 does not respond',
    });
    expect(others).to.deep.equal(names.slice(1));
  });

  it('have the whole time limit each, and few connections only if they are many', async () => {
    const given: unknown[] = [];
    const look = async ({ milliseconds, connections, flags: { context = '' } }: ClusterOptions) => {
      given.push([milliseconds, connections]);
      return context;
    };
    await run(look, false);
    expect(new Set(given.map((one) => JSON.stringify(one)))).to.deep.equal(new Set(['[60000,3]']));
    given.length = 0;
    await run(look, false, ['c00', 'c01']);
    expect(given).to.deep.equal([
      [60_000, undefined],
      [60_000, undefined],
    ]);
  });
});
