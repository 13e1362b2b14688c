import { expect } from 'chai';
import { commonSelector, readTogether } from '../../../src/collect/collectors/common-selector.ts';

describe('common-selector', () => {
  it('is the selector of one Service as it stands', () => {
    expect(commonSelector([{ app: 'a', tier: 'web' }])).to.equal('app=a,tier=web');
  });

  it('lists the values in which several differ', () => {
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

  it('asks for Services of one namespace together when their selectors have the same labels', () => {
    const [a, b] = [service('shop', { app: 'a', x: '1' }), service('shop', { x: '2', app: 'b' })];
    expect(asked(a, b)).to.deep.equal([[a, b]]);
  });

  it('asks apart for other namespaces and other labels', () => {
    const apart = [service('shop', { app: 'a' }), service('bank', { app: 'a' }), service('shop', { x: 'a' })];
    expect(asked(...apart)).to.deep.equal(apart.map((one) => [one]));
  });

  it('keeps a query short however many there are', () => {
    const many = Array.from({ length: 45 }, (_, index) => service('shop', { app: `a${index}` }));
    expect(asked(...many).map(({ length }) => length)).to.deep.equal([20, 20, 5]);
    expect(asked(...many).flat()).to.deep.equal(many);
  });
});
