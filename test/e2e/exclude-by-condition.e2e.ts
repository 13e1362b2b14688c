import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ChangeReport } from '../../src/change/change-report.ts';
import { validatingWebhook } from '../cluster/backend-pods.ts';
import type { KubeObject } from '../cluster/client.ts';
import { apiServer, needs, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { authority } from '../support/certificates.ts';
import { plugin } from '../support/plugin.ts';

const refused = /failed calling webhook "guard\.example\.com"/;
const ca = await authority({ cn: 'webhook-ca' });

interface User {
  readonly name: string;
  readonly groups: readonly string[];
}
const account = (namespace: string, name: string): User => ({
  name: `system:serviceaccount:${namespace}:${name}`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
});
const node: User = { name: 'system:node:drill', groups: ['system:nodes', 'system:authenticated'] };
const scheduler: User = { name: 'system:kube-scheduler', groups: ['system:authenticated'] };
const controller = account('kube-system', 'replicaset-controller');

const rule = (apiGroups: readonly string[], ...resources: readonly string[]) => ({
  apiGroups,
  apiVersions: ['*'],
  operations: ['*'],
  resources,
});

/** A backend that is down, and the requests that a matchCondition excludes meanwhile. */
describe('exclude-by-condition on a real API server', function () {
  this.timeout(180_000);
  needs('api-server');
  const scene = useScene(() => apiServer());
  const state = mkdtempSync(join(tmpdir(), 'kubectl-webhook-conditions-'));
  const run = (args: readonly string[]) =>
    plugin([...args, '--kubeconfig', scene.kubeconfig], { XDG_STATE_HOME: state });

  /** `passed`, or the API server's error. Nothing is stored. */
  async function tryAs(user: User | undefined, path: string, body: object): Promise<string> {
    const answer = await scene.client.request(
      'POST',
      `${path}?dryRun=All`,
      body,
      'application/json',
      user && { 'impersonate-user': user.name, 'impersonate-group': user.groups },
    );
    return answer.status < 300 ? 'passed' : (JSON.parse(answer.body) as { message: string }).message;
  }
  const places = (namespace: string) => ({
    lease: () =>
      tryAs(node, '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases', {
        metadata: { name: 'drill' },
        spec: {},
      }),
    'somebody else’s Lease': () =>
      tryAs(undefined, `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`, {
        metadata: { name: 'other' },
        spec: {},
      }),
    binding: () =>
      tryAs(scheduler, `/api/v1/namespaces/${namespace}/pods/drill/binding`, {
        metadata: { name: 'drill' },
        target: { kind: 'Node', name: 'drill' },
      }),
    event: () =>
      tryAs(scheduler, `/api/v1/namespaces/${namespace}/events`, {
        metadata: { name: 'drill' },
        involvedObject: { namespace },
      }),
    'a Pod by its controller': () => podBy(controller, namespace),
    'a Pod by anybody': () => podBy(undefined, namespace),
    'a ConfigMap': () =>
      tryAs(undefined, `/api/v1/namespaces/${namespace}/configmaps`, { metadata: { name: 'drill' } }),
    'a Secret by its owner': () =>
      tryAs(account(namespace, 'owner'), `/api/v1/namespaces/${namespace}/secrets`, {
        metadata: { name: 'drill' },
      }),
  });
  const podBy = (user: User | undefined, namespace: string) =>
    tryAs(user, `/api/v1/namespaces/${namespace}/pods`, {
      metadata: { name: 'new' },
      spec: { containers: [{ name: 'c', image: 'none' }] },
    });

  const live = (configuration: KubeObject) => scene.client.get(configuration);
  const stands = async (namespace: string): Promise<Readonly<Record<string, string>>> =>
    Object.fromEntries(
      await Promise.all(
        Object.entries(places(namespace)).map(async ([what, attempt]) => {
          const answer = await attempt();
          return [what, refused.test(answer) ? 'refused' : answer] as const;
        }),
      ),
    );

  /**
   * Registers the webhook before a backend that does not run, fixes one finding with the remedy, and undoes
   * the fix.
   */
  async function drill(
    webhook: object,
    check: string,
    passes: readonly string[],
    more: readonly KubeObject[],
  ) {
    const { namespace } = scene;
    for (const object of more) await scene.create(object);
    await scene.create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'drill' } });
    await scene.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'drill' },
      spec: { containers: [{ name: 'c', image: 'none' }] },
    });
    const configuration = await scene.create(
      validatingWebhook(namespace, {
        service: 'guard',
        caBundle: ca.cert,
        webhook: { namespaceSelector: {}, timeoutSeconds: 1, ...webhook },
      }),
    );
    await waitFor('the refusal', async () => Object.values(await stands(namespace)).includes('refused'));
    const before = await stands(namespace);
    const webhooks = (await live(configuration))?.webhooks;
    const target = `${check}:validating/guard-${namespace}/guard.example.com`;
    const args = ['fix', target, '--remedy', 'exclude-by-condition', '--yes', '--wait', '1s', '-o', 'json'];
    const fixed = await run(args);
    const [change] = (JSON.parse(fixed.stdout) as ChangeReport).changes;
    expect(change?.state, fixed.stderr + fixed.stdout).to.match(/applied|verified/);
    expect(change?.diff).to.match(/^\+ +matchConditions:$/m);
    const wanted = Object.fromEntries(
      Object.entries(before).map(([what, answer]) => [what, passes.includes(what) ? 'passed' : answer]),
    );
    for (const what of passes) expect(before[what], what).to.equal('refused');
    await waitFor(
      'the conditions to count',
      async () => (await stands(namespace))[passes[0] ?? ''] === 'passed',
    );
    expect(await stands(namespace)).to.deep.equal(wanted);
    const undone = await run(['undo', change?.id ?? '', '--yes', '-o', 'json']);
    expect(undone.code, undone.stderr + undone.stdout).to.equal(0);
    const after = await live(configuration);
    expect(after?.webhooks).to.deep.equal(webhooks);
    expect(after?.metadata.annotations).to.equal(undefined);
    await waitFor('the refusal again', async () => (await stands(namespace))[passes[0] ?? ''] === 'refused');
    expect(await stands(namespace)).to.deep.equal(before);
  }

  it('heartbeats pass, and writes by controllers for others are still rejected', () =>
    drill(
      {
        rules: [
          rule(['coordination.k8s.io'], 'leases'),
          rule([''], 'nodes/status', 'pods', 'pods/binding', 'pods/status', 'events', 'configmaps'),
        ],
      },
      'covers-node-heartbeats',
      ['lease', 'somebody else’s Lease', 'binding', 'event'],
      [],
    ));

  it('the requests of its own Pods pass, and users are still rejected', () =>
    drill(
      { rules: [rule([''], 'pods', 'configmaps')] },
      'bootstrap-deadlock',
      ['a Pod by its controller'],
      guard(),
    ));

  it('only the members of the break-glass group pass', async () => {
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'owner' } };
    await drill(
      { rules: [rule([''], 'secrets', 'configmaps')] },
      'covers-own-configuration-path',
      ['a ConfigMap'],
      [
        ...guard(),
        { ...role, rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['*'] }] },
        {
          ...role,
          kind: 'RoleBinding',
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'owner' },
          subjects: [{ kind: 'ServiceAccount', name: 'owner', namespace: scene.namespace }],
        },
      ],
    );
  });

  it('seven authorizer calls are within the budget of a request, eight are not', async () => {
    const asking = (count: number) =>
      Array.from({ length: count }, (_, at) => ({
        name: `c${at}`,
        expression: 'authorizer.group("").resource("pods").check("get").allowed() || true',
      }));
    for (const [count, says] of [
      [7, refused],
      [8, /is forbidden: .*cost budget/],
    ] as const) {
      const configuration = await scene.create(
        validatingWebhook(scene.namespace, {
          service: 'guard',
          caBundle: ca.cert,
          webhook: { matchConditions: asking(count) },
        }),
      );
      await waitFor(`${count} calls`, async () => says.test(await places(scene.namespace)['a ConfigMap']()));
      await scene.client.delete(configuration);
      await waitFor(
        'nobody to be called',
        async () => (await places(scene.namespace)['a ConfigMap']()) === 'passed',
      );
    }
  });

  /** A Service without endpoints, and the Deployment that creates its Pods if controllers run. */
  const guard = (): readonly KubeObject[] => {
    const labels = { app: 'guard' };
    return [
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'guard' },
        spec: { selector: labels, ports: [{ port: 443, targetPort: 8443 }] },
      },
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'guard' },
        spec: {
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: 'webhook', image: 'none' }] } },
        },
      },
    ];
  };
});
