import { expect } from 'chai';
import { behaves, minorVersion } from '../../src/apiserver/server-version.ts';
import type { RequestTrace } from '../../src/diagnose/report.ts';
import { defaultVersion } from '../cluster/kubernetes.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { apiServer, needs } from '../cluster/suite.ts';
import { wantedVersion } from '../cluster/ways-in.ts';
import { fileWith, plugin } from '../support/plugin.ts';
import { accountKubeconfig, grant } from './account-kubeconfig.ts';

const version = wantedVersion() ?? defaultVersion;
const minor = Number(minorVersion(version));
const isDefault = behaves(version, 'constrained-impersonation');
const gate = (on: boolean): readonly string[] => [`--feature-gates=ConstrainedImpersonation=${on}`];
/** The feature gate exists since 1.35. */
const positions = [
  { title: 'by default', flags: [], isConstrained: isDefault },
  ...(minor >= 35
    ? [
        {
          title: 'with the other setting of ConstrainedImpersonation',
          flags: gate(!isDefault),
          isConstrained: !isDefault,
        },
      ]
    : []),
];

/** The permissions for `--as` of docs/trace.md. */
const narrow = (mode: string, resource: string, names: readonly string[]): readonly object[] => [
  {
    apiGroups: ['authentication.k8s.io'],
    resources: [resource],
    resourceNames: names,
    verbs: [`impersonate:${mode}`],
  },
  {
    apiGroups: ['authentication.k8s.io', 'authorization.k8s.io'],
    resources: ['selfsubjectreviews', 'selfsubjectaccessreviews'],
    verbs: [`impersonate-on:${mode}:create`],
  },
  {
    apiGroups: [''],
    resources: ['configmaps'],
    verbs: [`impersonate-on:${mode}:create`, `impersonate-on:${mode}:patch`],
  },
];
const reading = { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list'] };
const writing = { apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'patch', 'delete'] };

for (const { title, flags, isConstrained } of positions)
  describe(`trace --as with the permissions of constrained impersonation, ${title}`, function () {
    needs('api-server');
    this.timeout(120_000);
    let scene: Scene;
    let caller = '';
    let account = '';
    let files: Readonly<Record<'new' | 'stored', string>>;

    before(async () => {
      const { client, kubeconfig } = await apiServer({ arguments: flags });
      scene = await openScene(client);
      const { namespace } = scene;
      account = `system:serviceaccount:${namespace}:robot`;
      await scene.create({
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'robot', namespace },
      });
      const ofUsers = narrow('user-info', 'users', ['jane', 'reader']);
      const ofAccounts = narrow('serviceaccount', 'serviceaccounts', ['robot']);
      caller = await accountKubeconfig(scene, 'caller', [reading, ...ofUsers, ...ofAccounts], kubeconfig);
      for (const name of ['jane', account])
        await grant(scene, name, [writing], { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name });
      const configMap = (name: string) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace },
      });
      await scene.create(configMap('stored'));
      files = {
        new: fileWith(JSON.stringify(configMap('new')), 'object.json'),
        stored: fileWith(JSON.stringify(configMap('stored')), 'object.json'),
      };
    });

    after(() => scene?.leave());

    const trace = async (
      as: string,
      file: string,
      operation: string,
      ...more: readonly string[]
    ): Promise<RequestTrace> => {
      const args = ['trace', '-f', file, '--operation', operation, '--as', as, ...more];
      const { stdout, stderr } = await plugin([...args, '--kubeconfig', caller, '-o', 'json']);
      expect(stdout, stderr).to.match(/^\{/);
      return JSON.parse(stdout) as RequestTrace;
    };

    for (const who of ['jane', 'a ServiceAccount'])
      for (const [operation, which] of [
        ['CREATE', 'new'],
        ['UPDATE', 'stored'],
      ] as const)
        it(`${operation} as ${who}: ${isConstrained ? 'the API server runs the dry run' : 'no dry run'}`, async () => {
          const as = who === 'jane' ? who : account;
          const { dryRun, noDryRun, user: found } = await trace(as, files[which], operation);
          if (isConstrained) expect(dryRun, noDryRun).to.deep.equal({ result: 'admitted', agrees: true });
          else expect(noDryRun).to.match(/ cannot impersonate resource "(users|serviceaccounts)"/);
          const accounts = ['system:serviceaccounts', `system:serviceaccounts:${scene.namespace}`];
          expect(found?.groups).to.have.members([
            ...(who === 'jane' ? [] : accounts),
            'system:authenticated',
          ]);
        });

    it(`a deletion without permission: ${isConstrained ? 'reported' : 'not known'}`, async () => {
      const { result, messages } = await trace('reader', files.stored, 'DELETE');
      expect(result).to.equal(isConstrained ? 'failed' : 'admitted');
      expect(messages.join()).to.match(
        isConstrained ? /User "reader" cannot delete resource "configmaps"/ : /^$/,
      );
    });

    it('other groups of a ServiceAccount need the verb impersonate', async () => {
      const { noDryRun } = await trace(account, files.new, 'CREATE', '--as-group', 'operators');
      expect(noDryRun).to.match(/ cannot impersonate resource "serviceaccounts"/);
    });

    it('a user who is not named: the trace contains the error', async () => {
      const { noDryRun } = await trace('joe', files.new, 'CREATE');
      expect(noDryRun).to.match(
        isConstrained
          ? / cannot impersonate:user-info resource "users"/
          : / cannot impersonate resource "users"/,
      );
    });
  });
