import { expect } from 'chai';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import {
  backendObjects,
  tryConfigMap,
  validatingWebhook,
  waitForEndpoints,
} from '../cluster/backend-pods.ts';
import { dropPackets, dropToService } from '../cluster/packet-filter.ts';
import { needs, nodeCluster, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { authority } from '../support/certificates.ts';
import { plugin } from '../support/plugin.ts';
import { runsFor } from './backend/conditions.ts';

const ca = await authority({ cn: 'webhook-ca' });
/** The port of the Pod with hostNetwork. */
const hostPort = 18443;

describe('dropped packets of the control plane', function () {
  this.timeout(180_000);
  needs('node', 'own-node');
  const scene = useScene(nodeCluster);
  const undo: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of undo.splice(0)) await end();
  });

  /** Two replicas behind one Service: both on the Pod network, or the first one with hostNetwork. */
  async function deploy(onHost: boolean): Promise<void> {
    const [secret, service, deployment] = await backendObjects(scene.namespace, {
      name: 'guard',
      ca,
      replicas: 1,
    });
    if (secret === undefined || service === undefined || deployment === undefined) throw new Error('none');
    const other = structuredClone(deployment);
    other.metadata.name = 'guard-first';
    other.spec.selector.matchLabels = { ...other.spec.selector.matchLabels, first: 'yes' };
    other.spec.template.metadata.labels = other.spec.selector.matchLabels;
    if (onHost) {
      const [container] = other.spec.template.spec.containers;
      other.spec.template.spec.hostNetwork = true;
      container.args.push('--port', String(hostPort));
      container.ports[0].containerPort = hostPort;
      container.readinessProbe.httpGet.port = hostPort;
    }
    deployment.spec.selector.matchLabels = { ...deployment.spec.selector.matchLabels, first: 'no' };
    deployment.spec.template.metadata.labels = deployment.spec.selector.matchLabels;
    for (const object of [secret, service, deployment, other]) await scene.create(object);
    await scene.create(validatingWebhook(scene.namespace, { service: 'guard', caBundle: ca.cert }));
    await waitForEndpoints(scene, 'guard', 2);
  }

  async function doctor(): Promise<{ because: readonly string[]; messages: ReadonlyMap<string, string> }> {
    const command = ['doctor', `guard-${scene.namespace}`, '-o', 'json', '--kubeconfig', scene.kubeconfig];
    const { stdout, stderr } = await plugin(command);
    expect(stdout, stderr).to.match(/^\{/);
    const { callouts, findings } = JSON.parse(stdout) as DoctorReport;
    const messages = new Map(findings.map(({ check, message }) => [check, message] as const));
    return { because: callouts[0]?.verdict.because ?? [], messages };
  }

  const dropToPod = async (selector = 'first=no'): Promise<void> => {
    for (const pod of await scene.client.list('v1', 'Pod', scene.namespace, selector))
      undo.push(await dropPackets(pod.status.podIP as string, 8443));
  };

  it('the Pod network alone is unreachable: that is named, and no firewall for a port', async () => {
    await deploy(true);
    await dropToPod();
    const { because, messages } = await doctor();
    expect(because[0], JSON.stringify([...messages])).to.equal('packets-lost-by-node');
    expect(messages.get('packets-lost-by-node')).to.match(/from Pods with hostNetwork on node1, and none on/);
  });

  it('one Pod of a node is reached and another one is not: the node is not the cause', async () => {
    await deploy(false);
    await dropToPod();
    const { because, messages } = await doctor();
    expect(because[0], JSON.stringify([...messages])).to.equal('firewall-target-port');
    expect([...messages.keys()]).to.not.include('packets-lost-by-node');
  });

  it('no Pod is Ready, as their kubelet does not reach them: a restart does not help', async () => {
    await deploy(false);
    await dropToPod('app=guard');
    await waitForEndpoints(scene, 'guard', 0);
    await runsFor(25)(scene);
    const { because, messages } = await doctor();
    expect(because[0], JSON.stringify([...messages])).to.equal('replica-readiness-failing');
    expect(messages.get('replica-readiness-failing')).to.include('the process responds inside the Pod');
  });

  it('the address of the Service gets no response, and each Pod does', async () => {
    await deploy(false);
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'guard', namespace: scene.namespace },
    };
    undo.push(await dropToService((await scene.client.get(service))?.spec.clusterIP));
    await waitFor('the timeout', async () => /deadline exceeded|timeout/.test(await tryConfigMap(scene)), {
      timeout: 60_000,
    });
    const { because, messages } = await doctor();
    expect(because, JSON.stringify([...messages])).to.deep.equal(['unreachable-from-control-plane']);
    expect(messages.get('unreachable-from-control-plane')).to.match(
      /Every replica responds to the control plane at its own address/,
    );
  });
});
