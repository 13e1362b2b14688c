import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

const src = join(import.meta.dirname, '..', '..', 'src');
const exported =
  /^export (?:declare )?(?:async )?(?:abstract )?(?:type|interface|class|const|function\*?|enum) (\w+)/gm;

describe('exported names', () => {
  it('have one meaning: none is defined in two files', () => {
    const definedIn = new Map<string, Set<string>>();
    for (const path of readdirSync(src, { recursive: true, encoding: 'utf8' })) {
      if (!path.endsWith('.ts')) continue;
      for (const [, name = ''] of readFileSync(join(src, path), 'utf8').matchAll(exported)) {
        definedIn.set(name, (definedIn.get(name) ?? new Set()).add(path));
      }
    }
    const shared = [...definedIn].filter(([, files]) => files.size > 1);
    expect(shared.map(([name, files]) => `${name}: ${[...files].join(', ')}`)).to.deep.equal([]);
  });
});
