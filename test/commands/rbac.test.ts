import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import { startApiServer } from '../../src/demo/api-server/server.ts';
import { clusterContent } from '../../src/demo/cluster/cluster-content.ts';
import { validating, webhook } from '../../src/demo/cluster/webhook-manifests.ts';
import { inProcess } from '../support/in-process.ts';
import { fileWith, plugin } from '../support/plugin.ts';

const documents = (text: string): readonly { readonly kind: string; readonly rules?: readonly object[] }[] =>
  parseAllDocuments(text).map((document) => document.toJS());

describe('kubectl webhook rbac', () => {
  it('prints manifests with the reason for each rule', async () => {
    const { code, stdout, stderr } = await plugin(['rbac', 'cert-check', '--serviceaccount', 'a:b']);
    expect(stderr).to.equal('');
    expect(code).to.equal(0);
    expect(documents(stdout).map(({ kind }) => kind)).to.deep.equal(['ClusterRole', 'ClusterRoleBinding']);
    expect(stdout).to.match(
      /# serving certificates.*\n {2}- apiGroups: \[""\]\n {4}resources: \[secrets\]\n {4}verbs: \[get\]\n/,
    );
  });

  it('prints one List as JSON', async () => {
    const { stdout } = await inProcess(['rbac', 'doctor', '--probe', 'none', '-n', 'shop', '-o', 'json']);
    const list = JSON.parse(stdout);
    expect(list).to.include({ apiVersion: 'v1', kind: 'List' });
    expect(list.items.map(({ kind }: { kind: string }) => kind)).to.deep.equal(['ClusterRole', 'Role']);
    expect(stdout).to.not.include('"uses"');
  });

  it('gives fix only what the named remedies change', async () => {
    const args = ['rbac', 'fix', '--probe', 'none', '--remedy', 'fix-target-port', '-o', 'json'];
    const [role] = JSON.parse((await inProcess(args)).stdout).items;
    const writing = role.rules.filter(({ verbs }: { verbs: readonly string[] }) => verbs.includes('patch'));
    expect(writing.map(({ resources }: { resources: readonly string[] }) => resources)).to.deep.equal([
      ['services'],
    ]);
  });

  it('gives doctor and list the permission to watch what they list, for --watch', async () => {
    const permissionsOf = async (...args: readonly string[]) => {
      const { stdout } = await inProcess(['rbac', ...args, '--probe', 'none', '-o', 'json']);
      const rules: readonly { verbs: readonly string[]; resources?: readonly string[] }[] = JSON.parse(
        stdout,
      ).items.flatMap((role: { readonly rules?: readonly object[] }) => role.rules ?? []);
      return (verb: string) =>
        rules.flatMap(({ verbs, resources = [] }) => (verbs.includes(verb) ? resources : [])).sort();
    };
    for (const command of ['doctor', 'list']) {
      const watching = await permissionsOf(command, '--watch');
      expect(watching('watch'), command).to.include('services').and.deep.equal(watching('list'));
      expect((await permissionsOf(command))('watch'), command).to.deep.equal([]);
    }
    expect((await permissionsOf('cert-check', '--watch'))('watch')).to.deep.equal([]);
  });

  it('gives serve the permission to watch the named Secrets, in a Role of their namespace', async () => {
    const args = ['rbac', 'serve', '--probe', 'none', '--serviceaccount', 'monitoring:serve'];
    const named = ['shop/a', 'shop/b', 'monitoring/c'].flatMap((name) => ['--secret', name]);
    const rolesWith = async (...more: readonly string[]) => {
      const { stdout } = await inProcess([...args, ...more, '-o', 'json']);
      const items: readonly {
        readonly metadata: { readonly namespace?: string };
        readonly rules?: readonly {
          readonly resources?: readonly string[];
          readonly verbs: readonly string[];
          readonly resourceNames?: readonly string[];
        }[];
      }[] = JSON.parse(stdout).items;
      return items.flatMap(({ metadata, rules = [] }) =>
        rules.flatMap(({ resources, resourceNames, verbs }) =>
          resources?.includes('secrets') ? [[metadata.namespace, resourceNames, verbs]] : [],
        ),
      );
    };
    const everywhere = [undefined, undefined, ['get']];
    expect(await rolesWith()).to.deep.equal([everywhere]);
    expect(await rolesWith(...named)).to.have.deep.members([
      everywhere,
      ['shop', ['a', 'b'], ['watch']],
      ['monitoring', ['c'], ['watch']],
    ]);
    // Permissions for backends in the same namespace are another rule.
    expect(await rolesWith('-n', 'shop', '--secret', 'shop/a')).to.have.deep.members([
      ['shop', undefined, ['get']],
      ['shop', ['a'], ['watch']],
    ]);
    const { code, stderr } = await inProcess([...args, '--secret', 'policy-tls']);
    expect(code).to.equal(2);
    expect(stderr).to.contain('invalid --secret "policy-tls": must be NAMESPACE/NAME');
  });

  it('names the commands that exist', async () => {
    const { code, stderr } = await inProcess(['rbac', 'certcheck']);
    expect(code).to.equal(2);
    expect(stderr).to.match(/doctor, .*cert-check/s);
  });

  it('refuses a remedy that does not exist', async () => {
    const { code, stdout, stderr } = await inProcess(['rbac', 'fix', '--remedy', 'x', '--probe', 'connect']);
    expect({ code, stdout, stderr }).to.deep.equal({
      code: 2,
      stdout: '',
      stderr: 'error: there is no remedy "x"\n',
    });
  });

  it('gives wait the permission to dry runs of webhooks that are not applied yet', async () => {
    const server = await startApiServer(clusterContent([], new Date()));
    const kubeconfig = fileWith(server.kubeconfig());
    const guard = validating('guard', [webhook('guard.example.com', { service: 'shop/guard' })]);
    const created = async (...args: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await inProcess(['rbac', 'wait', ...args, '--kubeconfig', kubeconfig]);
      expect(code, stderr).to.equal(0);
      return stdout;
    };
    try {
      expect(await created()).to.not.match(/server-side dry runs/);
      expect(await created('-f', fileWith(JSON.stringify(guard)))).to.match(
        /# server-side dry runs.*\n {2}- apiGroups: \[""\]\n {4}resources: \[configmaps\]\n {4}verbs: \[create\]\n/,
      );
    } finally {
      await server.stop();
    }
  });

  it('reports that trace --as needs other permissions', async () => {
    const { stdout } = await inProcess(['rbac', 'trace', '--probe', 'none']);
    expect(stdout).to.match(/^# trace --as is not included: .*docs\/trace\.md/m);
  });

  it('reports how to work without a cluster if there is none', async () => {
    const { code, stderr } = await inProcess(['rbac']);
    expect(code).to.equal(2);
    expect(stderr).to.match(/--probe connect/);
  });
});
