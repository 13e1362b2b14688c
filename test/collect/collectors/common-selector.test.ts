import { expect } from 'chai';
import { commonSelector, readTogether } from '../../../src/collect/collectors/workloads/pods.ts';

describe('common-selector', () => {
  it('is the unchanged selector if there is one Service', () => {
    expect(commonSelector([{ app: 'a', tier: 'web' }])).to.equal('app=a,tier=web');
  });

  it('lists the values that differ', () => {
    expect(
      commonSelector([
        { app: 'b', tier: 'web' },
        { tier: 'web', app: 'a' },
      ]),
    ).to.equal('app in (a,b),tier=web');
  });

  it('keeps an empty value', () => {
    expect(commonSelector([{ app: 'a' }, { app: '' }])).to.equal('app in (,a)');
  });

  const service = (namespace: string, selector: Readonly<Record<string, string>>) => ({
    namespace,
    selector,
  });
  const asked = (...services: ReturnType<typeof service>[]) => readTogether(services, (item) => item);

  it('requests Services of one namespace together if their selectors have the same labels', () => {
    const [a, b] = [service('shop', { app: 'a', x: '1' }), service('shop', { x: '2', app: 'b' })];
    expect(asked(a, b)).to.deep.equal([[a, b]]);
  });

  it('requests other namespaces and other labels separately', () => {
    const apart = [service('shop', { app: 'a' }), service('bank', { app: 'a' }), service('shop', { x: 'a' })];
    expect(asked(...apart)).to.deep.equal(apart.map((one) => [one]));
  });

  it('limits the length of a query, whatever the number of Services', () => {
    const many = Array.from({ length: 90 }, (_, index) => service('shop', { app: `a${index}` }));
    expect(asked(...many).map(({ length }) => length)).to.deep.equal([40, 40, 10]);
    expect(asked(...many).flat()).to.deep.equal(many);
  });
});
