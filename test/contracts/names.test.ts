import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

const src = join(import.meta.dirname, '..', '..', 'src');
const definition =
  /^(export )?(?:declare )?(?:async )?(?:abstract )?(?:type|interface|class|const|function\*?|enum) (\w+)/gm;

/** Maximum number of files that define a name for themselves which another file exports. */
const mostHomonyms = 2;

/** The files that define each name at their top level: those that export it, and those that do not. */
function definitions() {
  const found = { exported: new Map<string, Set<string>>(), local: new Map<string, Set<string>>() };
  for (const path of readdirSync(src, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.ts')) continue;
    for (const [, isExported, name = ''] of readFileSync(join(src, path), 'utf8').matchAll(definition)) {
      const files = isExported === undefined ? found.local : found.exported;
      files.set(name, (files.get(name) ?? new Set()).add(path));
    }
  }
  return found;
}

describe('exported names', () => {
  const { exported, local } = definitions();

  it('have one meaning: none is defined in two files', () => {
    const shared = [...exported].filter(([, files]) => files.size > 1);
    expect(shared.map(([name, files]) => `${name}: ${[...files].join(', ')}`)).to.deep.equal([]);
  });

  it('are not used for something else in many files', () => {
    const homonyms = [...exported].filter(
      ([name, [file = '']]) =>
        // A collector has the name of its fact, and only the catalogue imports it.
        !file.startsWith('collect/collectors/') && (local.get(name)?.size ?? 0) > mostHomonyms,
    );
    expect(homonyms.map(([name]) => `${name}: ${[...(local.get(name) ?? [])].join(', ')}`)).to.deep.equal([]);
  });
});
