import { expect } from 'chai';
import { attempts } from '../../src/collect/attempts.ts';
import type { ClusterReader } from '../../src/collect/cluster.ts';
import { resources } from '../../src/facts/resource.ts';

const metadata = { name: 'policy-1', namespace: 'shop' };

/** The result of a list of Pods that contains this one. */
const listed = (pod: object) =>
  attempts({ list: async () => ({ items: [pod] }) } as unknown as ClusterReader).list(resources.Pod);

describe('what is read', () => {
  it('has an empty status if the API server omits it', async () => {
    const spec = { containers: [{ name: 'webhook' }] };
    expect(await listed({ metadata, spec })).to.deep.equal({ value: [{ metadata, spec, status: {} }] });
    const status = { phase: 'Running' };
    expect(await listed({ metadata, spec, status })).to.deep.equal({ value: [{ metadata, spec, status }] });
  });

  it('is refused without the fields that every API server sends', async () => {
    const reading = await listed({ metadata });
    expect('unread' in reading && reading.unread.why).to.equal('malformed');
    expect('unread' in reading && reading.unread.detail).to.contain('`spec`');
  });
});
