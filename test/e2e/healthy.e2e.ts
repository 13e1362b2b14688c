import { expect } from 'chai';
import {
  backendObjects,
  tryConfigMap,
  validatingWebhook,
  waitForEndpoints,
} from '../cluster/backend-pods.ts';
import type { KubeObject } from '../cluster/client.ts';
import type { Scene } from '../cluster/scene.ts';
import { needs, nodeCluster, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { type Authority, authority, issue } from '../support/certificates.ts';
import { doctorSays } from './doctor-says.ts';

interface Odd {
  /** Also the name of the Service. */
  readonly name: string;
  readonly spec: object;
  readonly webhook?: object;
}

const ports = [{ port: 443, targetPort: 8443 }];

/**
 * Without DELETE, which would be a warning: a webhook that is down would block the deletion of namespaces.
 */
const rules = [
  { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] },
];

/** Valid configurations that look wrong; all of them use the same two Pods. */
const odd: readonly Odd[] = [
  {
    name: 'named-port',
    spec: { selector: { app: 'guard' }, ports: [{ name: 'x', port: 443, targetPort: 'https' }] },
  },
  { name: 'other-port', spec: { selector: { app: 'guard' }, ports: [{ port: 9443, targetPort: 8443 }] } },
  {
    name: 'two-ports',
    spec: {
      selector: { app: 'guard' },
      ports: [
        { name: 'metrics', port: 8080, targetPort: 'no-such-port' },
        { name: 'https', port: 443, targetPort: 8443 },
      ],
    },
  },
  { name: 'node-port', spec: { type: 'NodePort', selector: { app: 'guard' }, ports } },
  { name: 'sticky', spec: { sessionAffinity: 'ClientIP', selector: { app: 'guard' }, ports } },
  { name: 'unready-too', spec: { publishNotReadyAddresses: true, selector: { app: 'guard' }, ports } },
  { name: 'by-hand', spec: { ports } },
  { name: 'open', spec: { selector: { app: 'guard' }, ports }, webhook: { failurePolicy: 'Ignore' } },
];

/** Two Ready Pods with a certificate for every Service of the namespace. */
async function deploy(scene: Scene, ca: Authority): Promise<void> {
  const pair = await issue(ca, { dns: [`*.${scene.namespace}.svc`] });
  for (const object of await backendObjects(scene.namespace, { name: 'guard', ca })) {
    const stringData = { 'tls.crt': pair.cert, 'tls.key': pair.key };
    await scene.create(object.kind === 'Secret' ? { ...object, stringData } : object);
  }
  await waitForEndpoints(scene, 'guard', 2);
}

/** EndpointSlices as the controller would write them, for a Service without a selector. */
async function slicesByHand(scene: Scene, service: string): Promise<void> {
  const pods = await scene.client.list('v1', 'Pod', scene.namespace, 'app=guard');
  const slice: KubeObject = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: service, labels: { 'kubernetes.io/service-name': service } },
    addressType: 'IPv4',
    ports: [{ port: 8443 }],
    endpoints: pods.map((pod) => ({ addresses: [pod.status.podIP] })),
  };
  await scene.create(slice);
}

describe('doctor on a real node: unusual healthy set-ups', () => {
  needs('node');
  const scene = useScene(nodeCluster);

  it('are healthy, without a warning, and the API server’s calls succeed', async () => {
    const ca = await authority({ cn: 'webhook-ca' });
    await deploy(scene, ca);
    for (const { name, spec, webhook = {} } of odd) {
      await scene.create({ apiVersion: 'v1', kind: 'Service', metadata: { name }, spec });
      if (name === 'by-hand') await slicesByHand(scene, name);
      else await waitForEndpoints(scene, name, 2);
      const service = {
        namespace: scene.namespace,
        name,
        path: '/validate',
        port: name === 'other-port' ? 9443 : 443,
      };
      const clientConfig = { service, caBundle: Buffer.from(ca.cert).toString('base64') };
      const configuration = validatingWebhook(scene.namespace, {
        service: name,
        caBundle: ca.cert,
        webhook: { clientConfig, rules, ...webhook },
      });
      await scene.create(configuration);
    }
    await waitFor('a call that succeeds', async () => (await tryConfigMap(scene)) === 'created');
    for (const { name } of odd) {
      const { callout, findings, report } = await doctorSays(scene.kubeconfig, `${name}-${scene.namespace}`);
      const noise = findings.filter(({ severity }) => severity !== 'info').map(({ message }) => message);
      expect({ name, state: callout.verdict.state, noise }).to.deep.equal({
        name,
        state: 'healthy',
        noise: [],
      });
      expect(report.notLookedAt).to.deep.equal([]);
    }
  });
});
