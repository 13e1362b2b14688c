import { expect } from 'chai';
import { kubeFlagLines } from '../../src/cli/kube-flags.ts';
import { type DemoApiServer, startApiServer } from '../../src/demo/api-server/server.ts';
import { clusterContent } from '../../src/demo/cluster/cluster-content.ts';
import { scenarios } from '../../src/demo/scenarios/catalogue.ts';
import { inProcess } from '../support/in-process.ts';
import { fileWith } from '../support/plugin.ts';
import { wrapperFlags } from '../support/wrapper-flags.ts';

/** These flags select another cluster, or cannot be combined with others. */
const alone =
  /^--(context|cluster|user|server|token|username|password|certificate-authority|client-.*|insecure-.*)$/;

describe('flags that a wrapper passes to every plugin', function () {
  this.timeout(60_000);
  let server: DemoApiServer;
  before(async () => {
    const parts = scenarios.find(({ slug }) => slug === 'own-namespace-excluded')?.parts ?? [];
    server = await startApiServer(clusterContent(parts, new Date()));
  });
  after(() => server.stop());

  it('are all of them', () => {
    const known = [...kubeFlagLines().matchAll(/^ +(--[a-z-]+)/gm)].map(([, name = '']) => name);
    const passed = wrapperFlags('x').join(' ');
    const short = { '--namespace': '-n ' };
    const left = known.filter(
      (name) => !alone.test(name) && !passed.includes(name) && !passed.includes(Object(short)[name] ?? name),
    );
    expect(left).to.deep.equal([]);
  });

  for (const command of ['doctor', 'list', 'cert-check'])
    it(`do not change exit code or output of ${command}`, async () => {
      const kubeconfig = fileWith(server.kubeconfig());
      const plain = ['--kubeconfig', kubeconfig];
      const [without, all] = await Promise.all(
        [plain, wrapperFlags(kubeconfig)].map((flags) => inProcess([command, '-o', 'name', ...flags])),
      );
      expect(all).to.deep.equal(without);
      expect(without).to.deep.include({ code: 0, stderr: '' });
    });

  it('accept boolean values like kubectl', async () => {
    const flags = ['--kubeconfig', fileWith(server.kubeconfig()), '-o', 'name'];
    const [all, none] = await Promise.all(
      ['true', 'F'].map((value) => inProcess(['doctor', `--all=${value}`, ...flags])),
    );
    expect([all?.code, none?.code]).to.deep.equal([0, 0]);
    expect((await inProcess(['doctor', '--all=maybe', ...flags])).code).to.equal(2);
  });
});
