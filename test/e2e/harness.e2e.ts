import { expect } from 'chai';
import {
  backendObjects,
  deployBackend,
  scale,
  tryConfigMap,
  validatingWebhook,
  waitForEndpoints,
} from '../cluster/backend-pods.ts';
import { dropPackets } from '../cluster/packet-filter.ts';
import { apiServer, needs, nodeCluster, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { type Authority, authority } from '../support/certificates.ts';

describe('the cluster for tests', () => {
  let ca: Authority;
  before(async () => {
    ca = await authority({ cn: 'webhook-ca' });
  });

  describe('with a node', () => {
    needs('node');
    const scene = useScene(nodeCluster);

    it('runs a webhook whose Pods respond to the API server, and refuse connections after their deletion', async () => {
      await deployBackend(scene, { name: 'guard', ca, args: ['--answer', 'deny', '--message', 'not today'] });
      await scene.create(validatingWebhook(scene.namespace, { service: 'guard', caBundle: ca.cert }));
      const refusal = 'admission webhook "guard.example.com" denied the request: not today';
      await waitFor('the denial', async () => (await tryConfigMap(scene)) === refusal);

      await scale(scene, 'guard', 0);
      await waitForEndpoints(scene, 'guard', 0);
      const failure = await waitFor('the call failure', async () => {
        const answer = await tryConfigMap(scene);
        return answer !== refusal && answer;
      });
      expect(failure).to.match(
        /failed calling webhook "guard\.example\.com": failed to call webhook: Post "https:\/\/guard\.case-\w+\.svc:443\/validate\?timeout=5s": dial tcp [\d.]+:443: connect: connection refused$/,
      );
    });

    it('makes one replica of a leader-gated backend Ready', async () => {
      const account = { kind: 'ServiceAccount', name: 'default', namespace: scene.namespace };
      await scene.create({
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name: 'leases' },
        rules: [
          { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] },
        ],
      });
      await scene.create({
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'leases' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'leases' },
        subjects: [account],
      });
      const lease = `${scene.namespace}/guard`;
      const args = ['--leader-gated', 'readiness', '--lease', lease];
      for (const object of await backendObjects(scene.namespace, { name: 'guard', ca, args })) {
        await scene.create(object);
      }
      await waitForEndpoints(scene, 'guard', 1);
      const held = await scene.client.get({
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'guard', namespace: scene.namespace },
      });
      expect(held?.spec.holderIdentity).to.match(/^guard-/);
      const pods = await scene.client.list('v1', 'Pod', scene.namespace, 'app=guard');
      expect(pods).to.have.lengthOf(2);
    });
  });

  describe('with a separate node', () => {
    needs('own-node');
    const scene = useScene(nodeCluster);

    it('drops packets on demand, so that a call times out', async () => {
      await deployBackend(scene, { name: 'guard', ca, replicas: 1, args: ['--answer', 'deny'] });
      const webhook = { timeoutSeconds: 1 };
      await scene.create(
        validatingWebhook(scene.namespace, { service: 'guard', caBundle: ca.cert, webhook }),
      );
      const denied = async () => (await tryConfigMap(scene)).includes('denied the request');
      await waitFor('the denial', denied);

      const [pod] = await scene.client.list('v1', 'Pod', scene.namespace, 'app=guard');
      const restore = await dropPackets(pod?.status.podIP, 8443);
      try {
        expect(await tryConfigMap(scene)).to.match(
          /failed calling webhook "guard\.example\.com": failed to call webhook: Post .*(context deadline exceeded|request canceled)/,
        );
      } finally {
        await restore();
      }
      await waitFor('the denial', denied);
    });
  });

  for (const aggregatorRouting of [false, true]) {
    describe(`API server alone, ${aggregatorRouting ? 'with' : 'without'} aggregator routing`, () => {
      needs('api-server');
      const scene = useScene(() => apiServer({ aggregatorRouting }));

      it('uses endpoints only with it', async () => {
        const ports = [{ port: 443, targetPort: 8443 }];
        await scene.create({
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 'guard' },
          spec: { ports },
        });
        const webhook = { timeoutSeconds: 1 };
        await scene.create(
          validatingWebhook(scene.namespace, { service: 'guard', caBundle: ca.cert, webhook }),
        );
        const failure = await waitFor('the call failure', async () => {
          const answer = await tryConfigMap(scene);
          return answer !== 'created' && answer;
        });
        expect(failure).to.contain('failed calling webhook "guard.example.com": failed to call webhook:');
        const missing = 'no endpoints available for service "guard"';
        if (aggregatorRouting) expect(failure).to.contain(missing);
        else expect(failure).not.to.contain(missing);
      });
    });
  }

  describe('after a case', () => {
    needs('api-server');
    const scene = useScene(() => apiServer());
    let left = '';

    it('a webhook that denies everything may remain', async () => {
      const webhook = { namespaceSelector: {}, timeoutSeconds: 1 };
      const configuration = validatingWebhook(scene.namespace, {
        service: 'absent',
        caBundle: ca.cert,
        webhook,
      });
      // Created directly, not through the scene.
      await scene.client.create(configuration);
      left = configuration.metadata.name ?? '';
      await waitFor('the refusal', async () => (await tryConfigMap(scene)).includes('"absent" not found'));
    });

    it('the next case does not find it', async () => {
      expect(left).not.to.equal('');
      const found = await scene.client.list(
        'admissionregistration.k8s.io/v1',
        'ValidatingWebhookConfiguration',
      );
      expect(found.map((object) => object.metadata.name)).not.to.include(left);
      expect(await tryConfigMap(scene)).to.equal('created');
    });
  });
});
