import { expect } from 'chai';
import { startBackend } from '../../src/demo/backend/backend.ts';
import type { FindingReport } from '../../src/diagnose/report.ts';
import type { KubeObject } from '../cluster/client.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { apiServer, needs } from '../cluster/suite.ts';
import { authority, issue } from '../support/certificates.ts';
import { doctorSays } from './doctor-says.ts';
import { address, configurationOf, endsIn, rule, type Write } from './dry-writes.ts';

const ca = await authority({ cn: 'webhook-ca' });
const caBundle = Buffer.from(ca.cert).toString('base64');
const container = { name: 'main', image: 'registry.example.com/main' };

/** A workload without controllers: its Pods are created by the test. */
const workload = (kind: string, name: string, namespace: string, spec: object = {}): KubeObject => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name, namespace },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [container], ...spec } },
  },
});

const cni = {
  hostNetwork: true,
  volumes: [{ name: 'net', hostPath: { path: '/etc/cni/net.d' } }],
};

describe('doctor on a real API server: webhooks and system Pods that depend on each other', function () {
  needs('api-server');
  this.timeout(120_000);
  let scene: Scene;
  let kubeconfig: string;
  let home: string;

  before(async () => {
    const cluster = await apiServer({ aggregatorRouting: true });
    ({ kubeconfig } = cluster);
    scene = await openScene(cluster.client);
    home = scene.namespace;
  });
  after(() => scene?.leave());

  /** A new Pod of that app, as its controller would create it. */
  const podOf = (app: string, namespace: string): Write => ({
    does: `a new Pod of ${app}`,
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/pods`,
    body: { metadata: { name: 'new', labels: { app } }, spec: { containers: [container] } },
  });
  const put = async (...objects: readonly KubeObject[]): Promise<void> => {
    for (const object of objects) await scene.create(object);
  };
  const deadlocks = async (name: string): Promise<readonly FindingReport[]> => {
    const { findings } = await doctorSays(kubeconfig, name);
    return findings.filter(({ check }) => check === 'bootstrap-deadlock');
  };
  const starting = async (names: { readonly dns?: string; readonly ip?: string }, port = 0) =>
    startBackend({
      certificate: await issue(ca, {
        ...(names.dns === undefined ? {} : { dns: [names.dns] }),
        ...(names.ip === undefined ? {} : { ips: [names.ip] }),
      }),
      bind: names.ip ?? address,
      port,
    });

  it('follows its own Pods to those of the network, while all is well', async () => {
    const agent = `agent-${home}`;
    const backend = await starting({ dns: `guard.${home}.svc` });
    const { port } = backend;
    const configuration = configurationOf(`guard-${home}`, {
      clientConfig: { service: { namespace: home, name: 'guard' }, caBundle },
      rules: [rule('core', 'CREATE', 'pods')],
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
      objectSelector: { matchLabels: { app: agent } },
    });
    try {
      await put(
        {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 'guard' },
          spec: { selector: { app: 'guard' }, ports: [{ port: 443, targetPort: port }] },
        },
        {
          apiVersion: 'discovery.k8s.io/v1',
          kind: 'EndpointSlice',
          metadata: { name: 'guard', labels: { 'kubernetes.io/service-name': 'guard' } },
          addressType: 'IPv4',
          ports: [{ port }],
          endpoints: [{ addresses: [address], conditions: { ready: true } }],
        },
        workload('Deployment', 'guard', home),
        workload('DaemonSet', agent, 'kube-system', cni),
        configuration,
      );
      await endsIn(scene.client, podOf(agent, 'kube-system'), 'passes');
      const [told, ...others] = await deadlocks(`guard-${home}`);
      expect(others).to.deep.equal([]);
      expect(told?.severity).to.equal('warning');
      expect(told?.message).to.equal(
        `If all Pods of Deployment ${home}/guard are lost, none can be recreated: their webhook guard-${home}.example.com intercepts new Pods of DaemonSet kube-system/${agent}`,
      );
      expect(told?.evidence.map(({ value }) => value)).to.include(
        `Deployment ${home}/guard → ReplicaSet → Pod → the network of its node → DaemonSet kube-system/${agent} → Pod → webhook guard-${home}.example.com → Service ${home}/guard → Deployment ${home}/guard`,
      );
    } finally {
      await backend.close();
    }
    const refused = `Internal error occurred: failed calling webhook "guard-${home}.example.com": failed to call webhook: Post "https://guard.${home}.svc:443/?timeout=5s": dial tcp ${address}:${port}: connect: connection refused`;
    await endsIn(scene.client, podOf(agent, 'kube-system'), refused);
    await endsIn(scene.client, podOf('other', 'kube-system'), 'passes');

    await scene.client.patch(configuration, {
      webhooks: (configuration.webhooks as readonly object[]).map((webhook) => ({
        ...webhook,
        namespaceSelector: {
          matchExpressions: [
            { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system'] },
          ],
        },
      })),
    });
    await endsIn(scene.client, podOf(agent, 'kube-system'), 'passes');
    expect(await deadlocks(`guard-${home}`)).to.deep.equal([]);
  });

  it('finds what listens at a URL of the API server’s own host, and whether it can restart', async () => {
    const manager = `manager-${home}`;
    const backend = await starting({ ip: '127.0.0.1' });
    const { port } = backend;
    const url = `https://127.0.0.1:${port}/validate`;
    const name = `hosted-${home}`;
    const configuration = configurationOf(name, {
      clientConfig: { url, caBundle },
      rules: [rule('core', 'CREATE', 'pods')],
      objectSelector: { matchLabels: { app: manager } },
    });
    const hosting = workload('DaemonSet', manager, 'kube-system', {
      hostNetwork: true,
      containers: [{ ...container, args: [`--webhook-secure-port=${port}`] }],
    });
    try {
      await put(hosting, configuration);
      await endsIn(scene.client, podOf(manager, 'kube-system'), 'passes');
      const [told] = await deadlocks(name);
      expect(told?.severity).to.equal('warning');
      expect(told?.message).to.equal(
        `If all Pods of DaemonSet kube-system/${manager} are lost, none can be recreated: their webhook ${name}.example.com intercepts new Pods`,
      );
      expect(told?.evidence.map(({ value }) => value)).to.include(
        `DaemonSet kube-system/${manager} → Pod → webhook ${name}.example.com → URL ${url} → DaemonSet kube-system/${manager}`,
      );
    } finally {
      await backend.close();
    }
    const refused = `Internal error occurred: failed calling webhook "${name}.example.com": failed to call webhook: Post "${url}?timeout=5s": dial tcp 127.0.0.1:${port}: connect: connection refused`;
    await endsIn(scene.client, podOf(manager, 'kube-system'), refused);
    // The same process as a static Pod or a unit of the node: no request to the API server creates it.
    await scene.client.delete(hosting);
    expect(await deadlocks(name)).to.deep.equal([]);
  });
});
