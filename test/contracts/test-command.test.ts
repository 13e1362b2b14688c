import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { root } from '../../scripts/bundle.js';

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const patterns = [...scripts.test.matchAll(/"(test\/[^"]+)"/g)].map(([, pattern]) => pattern as string);

describe('npm test', () => {
  it('runs each test file once: mocha repeats a file that two patterns match', () => {
    const run = patterns.flatMap((pattern) => globSync(pattern, { cwd: root }));
    expect(run.toSorted()).to.deep.equal(globSync('test/**/*.test.ts', { cwd: root }).toSorted());
  });
});
