import type { Server } from 'node:https';
import { expect } from 'chai';
import type { RequestTrace } from '../../src/diagnose/report.ts';
import { traced } from '../apiserver/trace/recorded-trace.ts';
import type { KubeObject } from '../cluster/client.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { apiServer, needs } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { fileWith, plugin } from '../support/plugin.ts';
import { traceSchemaErrors } from '../support/schema.ts';
import { accountKubeconfig, grant } from './account-kubeconfig.ts';
import { ownAddress } from './oracle-facts.ts';
import { backends } from './scripted-backends.ts';
import { configurations, definition, group, namespaces, requests, type TracedObject } from './trace-cases.ts';

const creations = requests.filter(({ request: { operation } }) => operation === 'CREATE').slice(0, 14);
/** Not loopback, which is the API server's own host. */
const host = ownAddress();
const dead = 'service "policy" not found';

/** A custom resource with a conversion webhook without a backend, and a webhook for its other version. */
const gadgets: KubeObject = {
  ...definition,
  metadata: { name: 'gadgets.dead.example.com' },
  spec: {
    ...definition.spec,
    group: 'dead.example.com',
    names: { plural: 'gadgets', kind: 'Gadget' },
    conversion: {
      strategy: 'Webhook',
      webhook: {
        clientConfig: { service: { namespace: namespaces[0], name: 'policy', path: '/convert' } },
        conversionReviewVersions: ['v1'],
      },
    },
  },
};

describe('kubectl webhook trace, and the dry run of the same object', function () {
  needs('api-server');
  this.timeout(180_000);
  let scene: Scene;
  let kubeconfig = '';
  let server: Server | undefined;
  let version = '';

  const trace = async (
    ...args: readonly string[]
  ): Promise<RequestTrace & { readonly code: number | null }> => {
    const { code, stdout, stderr } = await plugin([
      'trace',
      ...args,
      ...(args.includes('--kubeconfig') ? [] : ['--kubeconfig', kubeconfig]),
      '-o',
      'json',
    ]);
    expect(stdout, stderr).to.not.equal('');
    const document = JSON.parse(stdout) as RequestTrace;
    expect(traceSchemaErrors(document)).to.deep.equal([]);
    return { ...document, code };
  };
  const fileOf = (object: object | undefined): string => fileWith(JSON.stringify(object), 'object.json');
  const stored: TracedObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'stored', namespace: namespaces[1], labels: { tier: 'db', team: 'b' } },
  };

  before(async () => {
    const { client, kubeconfig: file } = await apiServer({});
    kubeconfig = file;
    version = (JSON.parse(await client.text('/version')) as { gitVersion: string }).gitVersion;
    scene = await openScene(client);
    for (const [index, name] of namespaces.entries()) {
      const labels = index === 0 ? { team: 'a' } : {};
      await scene.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
    }
    await scene.create(definition);
    await scene.create(gadgets);
    await scene.create(stored);
    const { server: started, url, ca } = await backends(host);
    server = started;
    const caBundle = Buffer.from(ca).toString('base64');
    for (const object of configurations(url, caBundle)) await scene.create(object);
    await scene.create({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'z-gadgets' },
      webhooks: [
        {
          name: 'gadgets.example.com',
          clientConfig: { url: `${url}/gadgets`, caBundle },
          rules: [
            {
              apiGroups: ['dead.example.com'],
              apiVersions: ['v1beta1'],
              operations: ['*'],
              resources: ['gadgets'],
            },
          ],
          failurePolicy: 'Ignore',
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    });
    await scene.create({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'zz-guard' },
      webhooks: [
        {
          name: 'guard.example.com',
          clientConfig: { service: { namespace: namespaces[0], name: 'policy' } },
          rules: [
            { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['serviceaccounts'] },
          ],
          matchConditions: [
            {
              name: 'break-glass',
              expression:
                '!authorizer.group("admissionregistration.k8s.io").resource("validatingwebhookconfigurations").name("zz-guard").check("breakglass").allowed()',
            },
            { name: 'skip', expression: '!authorizer.requestResource.check("skip").allowed()' },
          ],
          failurePolicy: 'Fail',
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    });
    const permissions = {
      joe: [],
      breaker: [
        {
          apiGroups: ['admissionregistration.k8s.io'],
          resources: ['validatingwebhookconfigurations'],
          resourceNames: ['zz-guard'],
          verbs: ['breakglass'],
        },
      ],
      skipper: [{ apiGroups: [''], resources: ['serviceaccounts'], verbs: ['skip'] }],
    };
    for (const [name, rules] of Object.entries(permissions)) {
      const may = [{ apiGroups: [''], resources: ['serviceaccounts'], verbs: ['create', 'get'] }, ...rules];
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
      const apiVersion = 'rbac.authorization.k8s.io/v1';
      await scene.create({ apiVersion, kind: 'ClusterRole', metadata: { name }, rules: may });
      const subjects = [{ apiGroup: roleRef.apiGroup, kind: 'User', name }];
      await scene.create({ apiVersion, kind: 'ClusterRoleBinding', metadata: { name }, roleRef, subjects });
    }
    await waitFor('the last webhook to be known', async () => {
      const gadget = {
        apiVersion: 'dead.example.com/v1',
        kind: 'Gadget',
        metadata: { name: 'probe', namespace: namespaces[0] },
      };
      const path = `/apis/dead.example.com/v1/namespaces/${namespaces[0]}/gadgets?dryRun=All`;
      return (await client.request('POST', path, gadget)).body.includes('conversion webhook');
    });
  });
  after(async () => {
    server?.closeAllConnections();
    server?.close();
    await scene?.leave();
  });

  for (const asked of creations) {
    it(asked.name, async () => {
      const { steps, result, dryRun, code } = await trace('-f', fileOf(asked.object));
      const model = traced(asked, version);
      const shown = (all: readonly { phase: string; round: number; index: number; outcome: string }[]) =>
        all.map(({ phase, round, index, outcome }) => `${phase} ${round} ${index} ${outcome}`);
      expect(shown(steps)).to.deep.equal(shown(model.steps));
      expect(
        result,
        JSON.stringify(steps.map(({ webhook, message }) => message && [webhook, message])),
      ).to.equal(model.result);
      expect(dryRun?.agrees, JSON.stringify(dryRun)).to.equal(true);
      expect(code).to.equal(result === 'admitted' ? 0 : 1);
    });
  }

  it('an update is that of the stored object', async () => {
    const { request, dryRun } = await trace('-f', fileOf({ ...stored, data: { a: 'b' } }));
    expect(request.operation).to.equal('UPDATE');
    expect(dryRun?.agrees, JSON.stringify(dryRun)).to.equal(true);
  });

  it('a failing conversion webhook fails the request, whatever the failurePolicy', async () => {
    const metadata = { name: 'x', namespace: namespaces[0] };
    const gadget = { apiVersion: 'dead.example.com/v1', kind: 'Gadget', metadata };
    const { steps, result, dryRun, messages } = await trace('-f', fileOf(gadget));
    expect(steps[0]).to.deep.include({ phase: 'conversion', outcome: 'failed', effect: 'blocks' });
    expect(result).to.equal('failed');
    expect(messages[0]).to.include(dead);
    expect(dryRun?.agrees, JSON.stringify({ dryRun, messages })).to.equal(true);
  });

  it('names the webhook that sets a field, or that none does', async () => {
    const place = ['configmap/stored', '-n', namespaces[1]];
    const { field, diff } = await trace(...place, '--field', 'metadata.labels.tier');
    expect(diff).to.match(/^\+ {4}tier: web$/m);
    expect(field).to.deep.equal({
      path: 'metadata.labels.tier',
      value: 'web',
      stored: 'db',
      setBy: { configuration: 'a-defaults', webhook: 'tier.example.com', round: 0 },
    });
    const none = await trace(...place, '--field', 'metadata.labels.team');
    expect(none.field).to.deep.equal({ path: 'metadata.labels.team', stored: 'b' });
  });

  it('names the user of the request', async () => {
    const file = fileOf({ ...stored, metadata: { ...stored.metadata, name: 'new' } });
    const { user, dryRun, noDryRun, result, messages, code, steps } = await trace(
      ...['-f', file, '--as', 'jane', '--as-group', 'devs'],
    );
    expect(user?.username).to.equal('jane');
    expect(user?.groups).to.include.members(['devs', 'system:authenticated']);
    // A user who may not create ConfigMaps is refused before any webhook.
    expect(noDryRun).to.equal(undefined);
    expect(dryRun?.agrees).to.equal(true);
    expect({ result, code, steps }).to.deep.equal({ result: 'failed', code: 1, steps: [] });
    expect(messages[0]).to.include('User "jane" cannot create resource "configmaps"');
  });

  /** The cluster with the permissions of this ServiceAccount. */
  const asAccount = (name: string, rules: readonly object[]): Promise<string> =>
    accountKubeconfig(scene, name, rules, kubeconfig);
  const reading = { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list'] };
  const creating = { apiGroups: [''], resources: ['secrets', 'configmaps'], verbs: ['create'] };
  /** No webhook of this suite has rules for Secrets. */
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'new', namespace: namespaces[1] } };
  const creation = () => ['-f', fileOf(secret), '--yes', '--operation', 'CREATE'];

  it('has no result if webhooks cannot be listed', async () => {
    const file = await asAccount('creator', [creating]);
    const { result, dryRun, code, notLookedAt } = await trace(...creation(), '--kubeconfig', file);
    expect({ result, dryRun, code }).to.deep.equal({
      result: 'unknown',
      dryRun: { result: 'admitted' },
      code: 3,
    });
    expect(JSON.stringify(notLookedAt)).to.include('mutatingwebhookconfigurations');
  });

  it('fails with the error of the authorizer if the object may not be created', async () => {
    const file = await asAccount('reader', [reading]);
    const { result, messages, code } = await trace(...creation(), '--kubeconfig', file);
    expect({ result, code }).to.deep.equal({ result: 'failed', code: 1 });
    expect(messages[0]).to.include('cannot create resource "secrets"');
  });

  describe('for a user with few permissions, it reports the API server’s error', () => {
    const users = { 'no-right': [], patcher: ['patch'], updater: ['update'], deleter: ['delete'] } as const;
    before(async () => {
      for (const [name, verbs] of Object.entries(users)) {
        const rules = verbs.length === 0 ? [] : [{ apiGroups: [''], resources: ['configmaps'], verbs }];
        await grant(scene, name, rules, { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name });
      }
    });
    const home = `/api/v1/namespaces/${namespaces[1]}`;
    const stack = `${home}/configmaps/stored`;
    /** The API server's response to a dry run; empty if it is admitted. */
    const asked = async (user: string, method: string, path: string, body?: object) => {
      const patch = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      const headers = user === '' ? {} : { 'impersonate-user': user };
      const answer = await scene.client.request(method, `${path}?dryRun=All`, body, patch, headers);
      return answer.status < 300 ? [] : [(JSON.parse(answer.body) as { message: string }).message];
    };
    const traced = async (user: string, ...args: readonly string[]) => {
      const { messages, result, dryRun } = await trace(...args, ...(user === '' ? [] : ['--as', user]));
      expect(dryRun?.agrees, JSON.stringify(dryRun)).to.not.equal(false);
      expect(result === 'admitted').to.equal(messages.length === 0);
      return messages;
    };
    for (const user of Object.keys(users)) {
      it(`an update as ${user}`, async () => {
        const whole = JSON.parse((await scene.client.request('GET', stack)).body) as object;
        const said = [await asked(user, 'PATCH', stack, {}), await asked(user, 'PUT', stack, whole)];
        const ways = said.filter(([message]) => !/cannot (patch|update) resource/.test(message ?? ''));
        const found = await traced(user, 'configmap/stored', '-n', namespaces[1], '--operation', 'UPDATE');
        expect(found).to.deep.equal(ways[0] ?? said[1]);
      });
      it(`a deletion as ${user}`, async () => {
        const found = await traced(user, 'configmap/stored', '-n', namespaces[1], '--operation', 'DELETE');
        expect(found).to.deep.equal(await asked(user, 'DELETE', stack));
      });
    }
    it('deletions of objects that do not exist, and of namespaces', async () => {
      const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
      for (const [user, object, path] of [
        ['no-right', 'clusterrole/patcher', `${roles}/patcher`],
        ['no-right', `namespace/${namespaces[1]}`, home],
        ['', 'namespace/kube-system', '/api/v1/namespaces/kube-system'],
      ] as const) {
        const said = await asked(user, 'DELETE', path);
        expect(said).to.have.length(1);
        expect(await traced(user, object, '--operation', 'DELETE')).to.deep.equal(said);
      }
    });
  });

  it('makes no dry run as a user that the caller may not impersonate', async () => {
    const file = await asAccount('nobody-else', [reading, creating]);
    const { noDryRun, user } = await trace(...creation(), '--kubeconfig', file, '--as', 'jane');
    expect(user?.username).to.equal('jane');
    // From 1.36 on the API server names the last of several ways (KEP-5284).
    expect(noDryRun).to.match(
      / cannot (?:impersonate resource "users"|impersonate-on:user-info:create .* or the verb impersonate alone$)/,
    );
  });

  it('names the missing permission if it cannot read whether the object exists', async () => {
    const file = await asAccount('blind', [creating]);
    const object = fileOf({ ...stored, metadata: { ...stored.metadata, name: 'new' } });
    const { code, stderr } = await plugin(['trace', '-f', object, '--kubeconfig', file]);
    expect(code).to.equal(2);
    expect(stderr).to.include('add --operation CREATE');
  });

  it('reports the same for a namespace that is being deleted, and for one that was deleted', async () => {
    const { client } = scene;
    const name = `left-${scene.namespace}`;
    await scene.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const orphan = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'orphan', namespace: name } };
    const matched = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'orphan', namespace: name } };
    for (const object of [orphan, matched]) await client.create(object);
    await client.delete({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const agreed = async (...args: readonly string[]) => {
      const { result, dryRun, messages } = await trace(...args);
      expect(dryRun?.agrees, JSON.stringify({ dryRun, result, messages })).to.equal(true);
      return result;
    };
    const other = { ...secret, metadata: { name: 'more', namespace: name } };
    const created = () => agreed('-f', fileOf(other), '--yes', '--operation', 'CREATE');
    const updated = () => agreed('configmap/orphan', '-n', name, '--operation', 'UPDATE');
    expect(await created()).to.equal('failed');
    expect(await updated()).to.equal('admitted');
    const finalized = { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: { finalizers: [] } };
    await client.request('PUT', `/api/v1/namespaces/${name}/finalize`, finalized);
    await waitFor('the namespace to be gone', async () => {
      const found = await client.get({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      return found === undefined;
    });
    expect(await created()).to.equal('failed');
    expect(await updated()).to.equal('failed');
  });

  it('matchConditions that check a permission are evaluated by the API server', async () => {
    const metadata = { name: 'guarded', namespace: namespaces[0] };
    const guarded = { apiVersion: 'v1', kind: 'ServiceAccount', metadata };
    const said = async (user: string) => {
      const { result, dryRun } = await trace('-f', fileOf(guarded), '--as', user);
      expect(dryRun?.agrees, JSON.stringify({ user, dryRun })).to.equal(true);
      return result;
    };
    expect(await said('joe')).to.equal('failed');
    expect(await said('breaker')).to.equal('admitted');
    expect(await said('skipper')).to.equal('admitted');
  });

  it(`works with a snapshot, as far as matching goes (${group})`, async () => {
    const file = fileWith('', 'empty').replace(/empty$/, 'facts.json');
    const written = await plugin(['snapshot', file, '--kubeconfig', kubeconfig]);
    expect(written.code, written.stderr).to.be.oneOf([0, 3]);
    const { steps, result, noDryRun } = await trace(
      '-f',
      fileOf(creations[0]?.object),
      '--from-snapshot',
      file,
    );
    expect(result).to.equal('unknown');
    expect(noDryRun).to.include('snapshot');
    expect(steps.filter(({ matched }) => matched === true)).to.not.have.lengthOf(0);
  });
});
