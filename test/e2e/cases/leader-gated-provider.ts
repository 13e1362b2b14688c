import { expect } from 'chai';
import { stringify } from 'yaml';
import {
  backendObjects,
  deployBackend,
  validatingWebhook,
  waitForEndpoints,
} from '../../cluster/backend-pods.ts';
import { waitFor } from '../../cluster/wait.ts';
import { type Case, named, only } from './case.ts';

const namespace = 'cluster-agent';

/** The webhook server of an operator starts with its controllers, which run only on the leader. */
export const leaderGatedProvider: Case = {
  name: 'leader-gated-provider',
  title: 'A provider whose leader alone serves the webhook',
  namespaces: [namespace],

  async play(stage) {
    const { ca, scene, tell, type } = stage;
    const home = stage.home(namespace);
    const here = stage.inside(namespace);
    await here.create({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'leader' },
      rules: [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['*'] }],
    });
    await here.create({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'leader' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'leader' },
      subjects: [{ kind: 'ServiceAccount', name: 'default' }],
    });
    const container = {
      readinessProbe: { httpGet: { port: 8081, path: '/readyz' }, periodSeconds: 1 },
    };
    await deployBackend(here, {
      name: 'provider',
      ca,
      args: ['--readiness-port', '8081', '--leader-gated', 'listener', '--lease', `${home}/provider`],
      container,
    });
    await waitFor('a leader', async () => {
      const lease = await scene.client.get(named('coordination.k8s.io/v1', 'Lease', home, 'provider'));
      return Boolean(lease?.spec.holderIdentity);
    });
    const configuration = validatingWebhook(home, {
      service: 'provider',
      caBundle: ca.cert,
      webhook: { namespaceSelector: only(home) },
    });
    await scene.create({ ...configuration, metadata: { name: home } });

    tell(`A provider runs two replicas. Its manager starts the webhook server together with the controllers: only on the
replica that holds the Lease. Both replicas are Ready, because the readiness probe checks another port, so half of all
new connections are refused. An API server reuses its open connections, so the failure appears and disappears without a
change.`);
    await type(`kubectl -n ${home} get pods`);
    const found = await type(`kubectl webhook doctor ${home}`);
    expect(found.output)
      .to.include('DEGRADED')
      .and.include('1 of 2 new connections are refused')
      .and.include('scale-to-one');

    tell(
      `Scaling up makes it worse: with three replicas, two refuse. Scale to one replica, which becomes the leader:`,
    );
    const aid = await type(`kubectl webhook fix ${home} --remedy scale-to-one --yes`);
    expect(aid.code, aid.output).to.equal(0);
    const better = await type(`kubectl webhook doctor ${home}`);
    expect(better.code, better.output).to.equal(0);

    tell(`The permanent fix is to serve the webhook from every replica. If the program cannot, split it: a second Deployment
of the same image runs only the webhook, and the Service selects it.`);
    const undone = await type('kubectl webhook undo --yes');
    expect(undone.code, undone.output).to.equal(0);
    const [, , deployment] = await backendObjects(home, { name: 'provider-webhook', ca });
    if (deployment === undefined) throw new Error('no Deployment');
    const { volumes } = deployment.spec.template.spec;
    volumes[0].secret.secretName = 'provider';
    stage.file('webhook.yaml', stringify(deployment, { aliasDuplicateObjects: false }));
    await type(`kubectl -n ${home} apply -f webhook.yaml`);
    await type(
      `kubectl -n ${home} patch service provider -p '{"spec":{"selector":{"app":"provider-webhook"}}}'`,
    );
    await waitForEndpoints(here, 'provider', 2);
    const cured = await type(`kubectl webhook doctor ${home}`);
    expect(cured.code, cured.output).to.equal(0);
  },
};
