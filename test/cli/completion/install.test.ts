import { mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';
import { installCompletion } from '../../../src/cli/completion/install.ts';

describe('completion install', () => {
  before(function () {
    if (process.platform === 'win32') this.skip(); // another file there
  });

  function folders() {
    const root = mkdtempSync(join(tmpdir(), 'kubectl-webhook-test-'));
    const [plugin = '', other = ''] = ['krew', 'bin'].map((name) => join(root, name));
    for (const folder of [plugin, other]) mkdirSync(folder);
    writeFileSync(join(plugin, 'kubectl-webhook'), '', { mode: 0o755 });
    return { plugin, other, env: { PATH: [other, plugin].join(delimiter) } };
  }

  it('writes the executable program next to kubectl-webhook, and can be repeated', () => {
    const { plugin, env } = folders();
    const file = join(plugin, 'kubectl_complete-webhook');
    expect([installCompletion(undefined, env), installCompletion(undefined, env)]).to.deep.equal([
      file,
      file,
    ]);
    expect(statSync(file).mode & 0o777).to.equal(0o755);
    expect(readFileSync(file, 'utf8')).to.match(/^#!\/bin\/sh\n/);
  });

  it('writes it to the given folder', () => {
    const { other, env } = folders();
    expect(installCompletion(other, env)).to.equal(join(other, 'kubectl_complete-webhook'));
  });

  it('refuses a folder that is not on PATH, and one with another file of that name', () => {
    const { other, plugin, env } = folders();
    expect(() => installCompletion(other, { PATH: plugin })).to.throw('is not on PATH');
    expect(() => installCompletion(undefined, { PATH: other })).to.throw(
      'kubectl-webhook itself is not on PATH',
    );
    const foreign = join(other, 'kubectl_complete-webhook');
    writeFileSync(foreign, 'somebody else');
    expect(() => installCompletion(other, env)).to.throw('is not from this program');
    expect(readFileSync(foreign, 'utf8')).to.equal('somebody else');
  });
});
