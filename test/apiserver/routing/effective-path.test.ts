import { expect } from 'chai';
import { effectivePath } from '../../../src/apiserver/routing/effective-path.ts';

describe('effectivePath', () => {
  for (const [path, requested] of [
    [undefined, '/'],
    [null, '/'],
    ['', '/'],
    ['/mutate/', '/mutate'],
    ['null', '/null'],
  ] as const)
    it(`of ${JSON.stringify(path)} is ${requested}`, () => expect(effectivePath(path)).to.equal(requested));
});
