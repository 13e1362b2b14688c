import { expect } from 'chai';
import type { FindingReport } from '../../src/diagnose/report.ts';
import {
  deployBackend,
  scale,
  tryConfigMap,
  validatingWebhook,
  waitForEndpoints,
} from '../cluster/backend-pods.ts';
import { backendImage, pauseImage } from '../cluster/image.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { needs, nodeCluster, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { backendCases } from './backend/backend-cases.ts';
import {
  born,
  ca,
  deployment,
  deserted,
  dialAnew,
  httpsServer,
  labels,
  script,
  service,
} from './backend/breaks.ts';
import type { Case } from './backend/case.ts';
import { backingOff, noEndpoint, noReadyEndpoint, podsAreRefused, waitingFor } from './backend/conditions.ts';
import { replicaCases } from './backend/replica-cases.ts';
import { type Broken, doctorSays, expectBroken } from './doctor-says.ts';

const wordsOf = ({ message, evidence }: FindingReport): string =>
  [message, ...evidence.map(({ value }) => value)].join('\n');

const placeIn = async (scene: Scene, webhook: object = {}): Promise<string> => {
  await scene.create(validatingWebhook(scene.namespace, { service: 'guard', caBundle: ca.cert, webhook }));
  return `guard-${scene.namespace}`;
};

describe('doctor on a real cluster: backends', () => {
  needs('node');
  const cases = [
    ...backendCases.map((one) => ({ link: 'backend', ...one })),
    ...replicaCases.map((one) => ({ link: 'replica', ...one })),
  ];
  const stage = stagedAhead(cases);

  // The node is marked as unreachable after a minute: it is created first and examined last.
  before(async () => {
    await (await nodeCluster()).client.apply(deserted);
  });
  after(async () => {
    await (await nodeCluster()).client.delete(deserted);
  });

  for (const [at, { name, until, because, says, link }] of cases.entries()) {
    it(`names, and predicts the sentence for, ${name}`, async () => {
      await stage.use(at, async (scene) => {
        const { kubeconfig } = await nodeCluster();
        const callout = await placeIn(scene);
        await until(scene);
        const expected: Broken = { because, link };
        await expectBroken(scene, kubeconfig, callout, expected);
        const { findings, callout: told } = await doctorSays(kubeconfig, callout);
        const logs = told.replicas.flatMap(({ log }) => [...(log?.lines ?? []), log?.means ?? '']);
        const words = [...findings.filter(({ check }) => check === because).map(wordsOf), ...logs].join('\n');
        for (const said of says) expect(words).to.match(said instanceof RegExp ? said : literally(said));
        const follower = findings.find(({ check }) => check === 'no-ready-endpoint');
        expect(follower?.causedBy).to.equal(because);
      });
    });
  }
});

/** Closes the connection if the object is a Secret. */
const failsForSecrets = httpsServer(`
  if (text === '') return response.end();
  if (text.includes('"kind":"Secret"')) return request.socket.destroy();`);

describe('doctor on a real cluster: states of backends', () => {
  needs('node');
  const scene = useScene(nodeCluster);
  const place = (webhook?: object) => placeIn(scene, webhook);

  it('reports nothing for a healthy backend', async () => {
    await deployBackend(scene, { name: 'guard', ca });
    const { callout, findings } = await doctorSays(scene.kubeconfig, await place());
    expect(callout.verdict.state).to.equal('healthy');
    expect(callout.replicas.map(({ state }) => state)).to.deep.equal(['ready', 'ready']);
    expect(findings.filter(({ link }) => link === 'backend' || link === 'replica')).to.deep.equal([]);
  });

  it('reports a backend as healthy while a rollout does not progress, and warns', async () => {
    await deployBackend(scene, { name: 'guard', ca });
    const container = { name: 'webhook', image: 'localhost/nope:2', imagePullPolicy: 'Never' };
    await scene.client.patch(deployment(scene), {
      spec: { template: { spec: { containers: [container] } } },
    });
    await waitingFor('ErrImageNeverPull')(scene);
    const { callout, findings } = await doctorSays(scene.kubeconfig, await place());
    expect(callout.verdict.state).to.equal('healthy');
    const finding = findings.find(({ check }) => check === 'replica-image-pull-failing');
    expect(finding?.severity).to.equal('warning');
    await waitFor('the API server to call it', async () => (await tryConfigMap(scene)) === 'created');
  });

  it('names a response that comes after the timeout, and its time', async () => {
    await deployBackend(scene, { name: 'guard', ca, replicas: 1, args: ['--delay', '1500ms'] });
    const webhook = await place({ timeoutSeconds: 1 });
    const { callout, findings } = await doctorSays(scene.kubeconfig, webhook, '--probe', 'review');
    expect(callout.verdict).to.include({ state: 'failing', link: 'response', confidence: 'observed' });
    expect(callout.verdict.because[0]).to.equal('timeout-too-short');
    expect(findings.find(({ check }) => check === 'timeout-too-short')?.message).to.match(
      /responded after 1\.\d s, later than the 1 s timeout/,
    );
    await waitFor('the API server to give up', async () => /deadline/.test(await tryConfigMap(scene)));
  });

  it('names the kind for which a handler fails', async () => {
    await born(script(failsForSecrets, { readinessProbe: { tcpSocket: { port: 8443 }, periodSeconds: 1 } }))(
      scene,
    );
    await waitForEndpoints(scene, 'guard', 1);
    const resources = ['configmaps', 'secrets'];
    const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources }];
    const webhook = await place({ rules });
    await waitFor('kube-proxy to forward calls', async () => (await tryConfigMap(scene)) === 'created');
    const { callout, findings } = await doctorSays(scene.kubeconfig, webhook, '--probe', 'review');
    expect(callout.verdict, JSON.stringify(callout.verdict)).to.include({
      state: 'degraded',
      link: 'response',
      confidence: 'observed',
    });
    const message = findings.find(({ check }) => check === 'denies-sample')?.message;
    expect(message).to.match(/^CREATE of a test object \(Secret\) fails at Pod guard-\S+: EOF$/);
  });

  it('names a webhook that blocks its own Pods', async () => {
    await deployBackend(scene, { name: 'guard', ca, replicas: 1 });
    const resources = ['configmaps', 'pods'];
    const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources }];
    const callout = await place({ rules });
    await scale(scene, 'guard', 0);
    await noEndpoint(scene);
    await waitFor('the API server to call it in vain', async () => (await tryConfigMap(scene)) !== 'created');
    await scale(scene, 'guard', 1);
    await podsAreRefused(scene);
    const { callout: said, findings } = await doctorSays(scene.kubeconfig, callout);
    expect(said.verdict).to.include({ state: 'failing' });
    const finding = findings.find(({ check }) => check === 'workload-cannot-create-pods');
    expect(finding?.message).to.match(/calling webhook guard\.example\.com fails: /);
  });

  it('names a selector that also catches Pods of another workload', async () => {
    await deployBackend(scene, { name: 'guard', ca, replicas: 1 });
    await scene.client.patch(service(scene), {
      spec: { ports: [{ name: 'https', port: 443, targetPort: 8443 }] },
    });
    const spec = { containers: [{ name: 'agent', image: pauseImage, imagePullPolicy: 'Never' }] };
    await scene.create({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'agent' },
      spec: {
        selector: { matchLabels: { ...labels, part: 'agent' } },
        template: { metadata: { labels: { ...labels, part: 'agent' } }, spec },
      },
    });
    await waitForEndpoints(scene, 'guard', 2);
    const { callout, findings } = await doctorSays(scene.kubeconfig, await place());
    expect(callout.verdict).to.include({ state: 'degraded', link: 'backend' });
    expect(callout.verdict.because[0]).to.equal('selector-covers-other-workload');
    expect(findings[0]?.message).to.include('Deployment agent');
    const seen = new Set<string>();
    await waitFor('both fates', async () => {
      await dialAnew(scene);
      const said = await tryConfigMap(scene);
      seen.add(said === 'created' ? said : (/connection refused$/.exec(said)?.[0] ?? said));
      return seen.has('created') && seen.has('connection refused');
    });
  });

  it('names published addresses of a replica that crashes', async () => {
    await deployBackend(scene, { name: 'guard', ca, replicas: 1 });
    await scene.client.patch(service(scene), { spec: { publishNotReadyAddresses: true } });
    const container = {
      name: 'webhook',
      image: backendImage,
      imagePullPolicy: 'Never',
      args: ['--no-such-flag'],
      ports: [{ name: 'https', containerPort: 8443 }],
    };
    await scene.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'second', labels },
      spec: { containers: [container] },
    });
    await backingOff(scene);
    const { callout } = await doctorSays(scene.kubeconfig, await place());
    expect(callout.verdict).to.include({ state: 'degraded', link: 'backend' });
    expect(callout.verdict.because).to.include.members([
      'unready-addresses-published',
      'replica-crash-looping',
    ]);
    await waitFor('the predicted sentence', async () => {
      await dialAnew(scene);
      return (await tryConfigMap(scene)) === `Internal error occurred: ${callout.verdict.error}`;
    });
  });

  it('names an EndpointSlice whose Pods do not exist', async () => {
    await born({}, ['Deployment'])(scene);
    await scene.create({
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'guard-left', labels: { 'kubernetes.io/service-name': 'guard' } },
      addressType: 'IPv4',
      ports: [{ name: 'https', port: 8443, protocol: 'TCP' }],
      endpoints: [
        {
          addresses: ['198.51.100.250'],
          conditions: { ready: true },
          targetRef: { kind: 'Pod', namespace: scene.namespace, name: 'guard-gone' },
        },
      ],
    });
    const { callout } = await doctorSays(scene.kubeconfig, await place());
    expect(callout.verdict).to.include({ state: 'failing', link: 'backend' });
    expect(callout.verdict.because[0]).to.equal('endpoint-of-no-pod');
    expect(callout.replicas.map(({ state }) => state)).to.deep.equal(['no-pod']);
    await waitFor('a call failure', async () => /failed calling webhook/.test(await tryConfigMap(scene)));
  });

  it('names replicas that are all shutting down', async () => {
    const podSpec = { terminationGracePeriodSeconds: 120 };
    const container = { lifecycle: { preStop: { sleep: { seconds: 100 } } } };
    await deployBackend(scene, { name: 'guard', ca, replicas: 1, podSpec, container });
    await scale(scene, 'guard', 0);
    await noReadyEndpoint(scene);
    const name = await place();
    const { callout, findings } = await doctorSays(scene.kubeconfig, name);
    expect(callout.verdict.because[0]).to.equal('endpoints-only-terminating');
    expect(callout.verdict.state).to.equal('unknown');
    expect(callout.replicas.map(({ state }) => state)).to.deep.equal(['terminating']);
    expect(findings.find(({ check }) => check === 'endpoints-only-terminating')?.message).to.include(
      'only terminating endpoints',
    );
    // kube-proxy uses it as a fallback: KEP-1669.
    await waitFor('the API server to call it', async () => (await tryConfigMap(scene)) === 'created');
    const asked = await doctorSays(scene.kubeconfig, name, '--probe', 'review');
    expect(asked.callout.verdict, JSON.stringify(asked.findings)).to.include({ state: 'healthy' });
    const warned = asked.findings.find(({ check }) => check === 'endpoints-only-terminating');
    expect(warned).to.include({ severity: 'warning', confidence: 'observed' });
    expect(warned?.message).to.include('a call just succeeded');
  });
});

const literally = (text: string): RegExp => new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));

/**
 * Scenes of cases, made while earlier cases are examined: a crashing Pod needs its time. The webhook of a case is
 * created when it is examined, so that new objects in the cluster belong to this case.
 */
function stagedAhead(cases: readonly Case[]) {
  const ahead = 6;
  const staged = new Map<number, Promise<Scene>>();
  async function make({ make: create }: Case): Promise<Scene> {
    const scene = await openScene((await nodeCluster()).client);
    await create(scene).catch(async (error: Error) => {
      await scene.leave();
      throw error;
    });
    return scene;
  }
  /** Takes the scene of a case, and starts to make the next ones. */
  function take(at: number): Promise<Scene> {
    for (let next = at; next <= at + ahead; next += 1) {
      const one = cases[next];
      if (one === undefined || staged.has(next)) continue;
      const made = make(one);
      // A failure is reported when the case is examined.
      made.catch(() => undefined);
      staged.set(next, made);
    }
    const made = staged.get(at);
    if (made === undefined) throw new Error(`There is no case ${at}`);
    staged.delete(at);
    return made;
  }
  after(async () => {
    for (const made of staged.values()) await made.then((scene) => scene.leave());
  });
  return {
    async use(at: number, examine: (scene: Scene) => Promise<void>): Promise<void> {
      const scene = await take(at);
      try {
        await examine(scene);
      } catch (error) {
        console.log(await scene.report().catch((failure: Error) => failure.message));
        throw error;
      } finally {
        await letGo(scene);
        await scene.leave();
      }
    },
  };
}

/** Removes finalizers that would block the deletion of the namespace. */
async function letGo(scene: Scene): Promise<void> {
  const pods = await scene.client.list('v1', 'Pod', scene.namespace);
  for (const { metadata } of pods.filter(
    (pod) => (pod.metadata.finalizers as unknown[] | undefined)?.length,
  )) {
    await scene.client.patch(
      { ...service(scene), kind: 'Pod', metadata },
      { metadata: { finalizers: null } },
    );
  }
}
