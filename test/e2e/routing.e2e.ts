import { expect } from 'chai';
import { validatingWebhook } from '../cluster/backend-pods.ts';
import type { KubeObject } from '../cluster/client.ts';
import type { Scene } from '../cluster/scene.ts';
import { apiServer, needs, type TestCluster, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { type Authority, authority } from '../support/certificates.ts';
import { type Broken, doctorSays, expectBroken } from './doctor-says.ts';

const service = (spec: object, metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'guard', ...metadata },
  spec,
});
const plain = { selector: { app: 'guard' }, ports: [{ port: 443, targetPort: 8443 }] };

interface Case {
  readonly name: string;
  readonly objects: readonly KubeObject[];
  /** Merged over the webhook. */
  readonly webhook?: (namespace: string) => object;
  readonly expected: Broken;
}

const inAnyMode: readonly Case[] = [
  { name: 'a Service that is gone', objects: [], expected: { because: 'service-missing', link: 'routing' } },
  {
    name: 'a namespace that is gone',
    objects: [],
    webhook: () => ({ clientConfig: { service: { namespace: 'nowhere', name: 'guard' } } }),
    expected: { because: 'service-namespace-missing', link: 'routing' },
  },
  {
    name: 'a Service of another port',
    objects: [service({ ...plain, ports: [{ port: 8443 }] })],
    expected: { because: 'service-port-missing', link: 'routing' },
  },
];

const byClusterIp: readonly Case[] = [
  {
    name: 'no Pod',
    objects: [service(plain)],
    expected: { because: 'workload-missing', link: 'backend' },
  },
];

const byEndpoints: readonly Case[] = [
  { name: 'no Pod', objects: [service(plain)], expected: { because: 'workload-missing', link: 'backend' } },
  {
    name: 'an ExternalName Service',
    objects: [service({ type: 'ExternalName', externalName: 'guard.example.com' })],
    expected: { because: 'service-external-name', link: 'routing' },
  },
];

/**
 * The mode is visible in the address in the error of an APIService's availability check: this one has a
 * closed endpoint.
 */
async function showRoutingMode(scene: Scene): Promise<void> {
  await scene.create(service({ ports: plain.ports }, { name: 'witness' }));
  await scene.create({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'witness', labels: { 'kubernetes.io/service-name': 'witness' } },
    addressType: 'IPv4',
    ports: [{ port: 1 }],
    endpoints: [{ addresses: ['192.0.2.1'] }],
  });
  const apiService: KubeObject = {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1.witness.example.com' },
    spec: {
      group: 'witness.example.com',
      version: 'v1',
      groupPriorityMinimum: 100,
      versionPriority: 100,
      insecureSkipTLSVerify: true,
      service: { namespace: scene.namespace, name: 'witness' },
    },
  };
  await scene.create(apiService);
  await waitFor(
    'the API server to name an address',
    async () => {
      const { conditions = [] } = (await scene.client.get(apiService))?.status ?? {};
      return (conditions as readonly { message: string }[]).some(({ message }) =>
        /https:\/\/\d/.test(message),
      );
    },
    { timeout: 60_000 },
  );
}

describe('doctor on a real API server: routing', () => {
  let ca: Authority;
  before(async () => {
    ca = await authority({ cn: 'webhook-ca' });
  });

  for (const aggregatorRouting of [false, true]) {
    describe(aggregatorRouting ? 'with aggregator routing' : 'by ClusterIP', () => {
      needs('api-server');
      let cluster: TestCluster;
      const scene = useScene(async () => {
        cluster = await apiServer({ aggregatorRouting });
        return cluster;
      });

      const cases = [...inAnyMode, ...(aggregatorRouting ? byEndpoints : byClusterIp)];
      for (const { name, objects, webhook, expected } of cases) {
        // Without kube-proxy, connections to a ClusterIP are not refused; the suite with a node tests that.
        const evaluatedOnly = !aggregatorRouting && expected.link === 'backend';
        it(`${evaluatedOnly ? 'names' : 'names, and predicts the sentence for,'} ${name}`, async () => {
          if (aggregatorRouting) await showRoutingMode(scene);
          for (const object of objects) await scene.create(object);
          const over = webhook?.(scene.namespace) ?? {};
          await scene.create(
            validatingWebhook(scene.namespace, { service: 'guard', caBundle: ca.cert, webhook: over }),
          );
          const callout = `guard-${scene.namespace}`;
          if (evaluatedOnly) {
            const { callout: said } = await doctorSays(cluster.kubeconfig, callout);
            expect(said.verdict).to.include({ state: 'failing', link: expected.link });
            expect(said.verdict.because[0]).to.equal(expected.because);
          } else await expectBroken(scene, cluster.kubeconfig, callout, expected);
        });
      }
    });
  }
});
