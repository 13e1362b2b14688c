import { mkdirSync, mkdtempSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { replaceProgram } from '../../scripts/replace-program.js';

describe('a build', () => {
  let folder = '';
  beforeEach(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'kubectl-webhook-build-')), 'program');
  });
  const build = (chunk: string, clean?: boolean) =>
    replaceProgram(folder, {
      entry: { name: 'main.js', content: `import './${chunk}';` },
      others: [{ name: chunk, content: chunk }],
      ...(clean === undefined ? {} : { clean }),
    });
  const entry = () => readFileSync(join(folder, 'main.js'), 'utf8');

  it('leaves what a running program may still load, and nothing half written', () => {
    build('a-1.js');
    build('a-2.js');
    expect(entry()).to.equal("import './a-2.js';");
    expect(readdirSync(folder).sort()).to.deep.equal(['a-1.js', 'a-2.js', 'main.js']);
  });

  it('puts the entry in its place last: one that fails leaves the old program', () => {
    build('a-1.js');
    mkdirSync(join(folder, 'a-2.js', 'in the way'), { recursive: true });
    expect(() => build('a-2.js')).to.throw();
    expect(entry()).to.equal("import './a-1.js';");
  });

  it('removes what no run can be loading any more', () => {
    build('a-1.js');
    const yesterday = Date.now() / 1000 - 86_400;
    utimesSync(join(folder, 'a-1.js'), yesterday, yesterday);
    build('a-2.js');
    expect(readdirSync(folder).sort()).to.deep.equal(['a-2.js', 'main.js']);
  });

  it('for a package holds nothing of former builds', () => {
    build('a-1.js');
    build('a-2.js', true);
    expect(readdirSync(folder).sort()).to.deep.equal(['a-2.js', 'main.js']);
  });
});
