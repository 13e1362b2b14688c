import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

const root = join(import.meta.dirname, '..', '..');

/** `x.known(key) ? x.get(key) …` and `x.known(key) && x.get(key) …`: Lookup has methods for both. */
const spelledOut = /(\b[\w.]+)\.known\(([^()]+(?:\([^()]*\))?)\)\s*(?:\?|&&)\s*\(*\1\.get\(\2\)/;

describe('partial knowledge', () => {
  it('is read with getIfKnown and isAbsent of Lookup', () => {
    const spelled = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .flatMap((path) => {
        const found = spelledOut.exec(readFileSync(join(root, 'src', path), 'utf8'));
        return found === null ? [] : [`${path}: ${found[0]}`];
      });
    expect(spelled).to.deep.equal([]);
  });
});
