import { expect } from 'chai';
import type { ClusterProber } from '../../../../src/collect/cluster.ts';
import { firstObject } from '../../../../src/collect/probes/api-server/api-call.ts';

const none = { what: 'a stored object', why: 'no-sample' as const };

/** The response to the list, as the API server writes it. */
const first = (list: object) => {
  const body = Buffer.from(JSON.stringify(list));
  const get = async () => ({ status: 200, headers: {}, body });
  const prober = { get } as unknown as ClusterProber;
  const allow = { group: 'example.com', resource: 'widgets', verbs: ['list'] };
  return firstObject(
    prober,
    '/apis/example.com/v1/widgets',
    { what: none.what, allow, none } as never,
    AbortSignal.timeout(5000),
  );
};

describe('the first object of a list', () => {
  it('is none if the list is empty, also of metadata alone, if items is null', async () => {
    for (const items of [[], null]) expect(await first({ items }), `${items}`).to.deep.equal(none);
  });
  it('has its name', async () =>
    expect(await first({ items: [{ metadata: { name: 'one', namespace: 'shop' } }] })).to.deep.equal({
      name: 'one',
      namespace: 'shop',
    }));
});
