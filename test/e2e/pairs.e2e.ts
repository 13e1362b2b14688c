import { expect } from 'chai';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import { backendObjects, validatingWebhook } from '../cluster/backend-pods.ts';
import type { KubeObject } from '../cluster/client.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { needs, nodeCluster } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { authority, issue } from '../support/certificates.ts';
import { plugin } from '../support/plugin.ts';
import { type Fault, type Pair, pairs } from './pairs/faults.ts';

const ca = await authority({ cn: 'webhook-ca' });
const otherCa = await authority({ cn: 'other-ca' });
const wanted = process.env.PAIR?.split(',');
const chosen = pairs.filter(({ name }) => wanted?.includes(name) ?? true);

/** The faults of the Pods of a pair: pairs with the same ones share Pods. */
const podsOf = ({ first, second }: Pair): readonly Fault[] =>
  [first, second].filter(({ backend, certificate }) => backend !== undefined || certificate !== undefined);
const nameOfPods = (changed: readonly Fault[]): string =>
  ['pods', ...changed.map(({ name }) => name)].join('-');

describe('two faults at once, on a real node', function () {
  needs('node');
  this.timeout(600_000);
  let scene: Scene;
  let report: DoctorReport;
  const said = new Map<string, string>();

  before(async () => {
    const { client, kubeconfig } = await nodeCluster();
    scene = await openScene(client);
    const shared = new Map(chosen.map((pair) => [nameOfPods(podsOf(pair)), podsOf(pair)]));
    await each([...shared], async ([name, changed]) => {
      for (const object of await podObjects(scene.namespace, name, changed)) await scene.create(object);
      await settled(scene, name, changed);
    });
    await each(chosen, async (pair) => {
      await scene.create(serviceOf(pair));
      await scene.create(webhookOf(scene.namespace, pair));
    });
    await each(chosen, async (pair) => {
      await waitFor(`the EndpointSlice of ${pair.name}`, async () => {
        const label = `kubernetes.io/service-name=${pair.name}`;
        return (await client.list('discovery.k8s.io/v1', 'EndpointSlice', scene.namespace, label)).length > 0;
      });
    });
    const names = chosen.map(({ name }) => `${name}-${scene.namespace}`);
    const { stdout, stderr } = await plugin([
      'doctor',
      ...names,
      '--kubeconfig',
      kubeconfig,
      '-o',
      'json',
      '--timeout',
      '5m',
    ]);
    if (stdout === '') throw new Error(`doctor printed nothing: ${stderr}`);
    report = JSON.parse(stdout) as DoctorReport;
    await each(chosen, async ({ name }) => {
      const metadata = { generateName: 'probe-', labels: { pair: name } };
      const attempt = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
      said.set(
        name,
        await scene.create(attempt, { dryRun: true }).then(
          () => 'created',
          (error: Error) => error.message,
        ),
      );
    });
  });
  after(() => scene?.leave());

  for (const { name, first, second } of chosen) {
    it(`names ${first.name} first, then ${second.name}`, () => {
      const callout = report.callouts.find(
        ({ configuration }) => configuration === `${name}-${scene.namespace}`,
      );
      const { state, because, error } = callout?.verdict ?? {};
      const id = `validating/${callout?.configuration}/${callout?.webhook}`;
      const found = report.findings.filter((finding) => finding.callout === id).map(({ check }) => check);
      const whole = JSON.stringify(
        { verdict: callout?.verdict, replicas: callout?.replicas, found },
        null,
        1,
      );
      expect(state, whole).to.equal('failing');
      // No endpoint for two reasons: either may be named first.
      const either = first.place === 'endpoints' && second.place === 'replica' ? second.checks : [];
      expect([...first.checks, ...either], whole).to.include(because?.[0]);
      // A condition has its own error.
      const sentence = withoutTime(error ?? '');
      expect([sentence, `Internal error occurred: ${sentence}`], whole).to.include(
        withoutTime(said.get(name) ?? ''),
      );
      const isTold = ({ checks }: Fault): boolean => checks.some((check) => found.includes(check));
      if (whyHidden(first, second) === undefined)
        expect([first, second].filter(isTold), whole).to.have.length(2);
    });
  }
});

/** Without the API server's clock, its generated uid, and the name of the object. */
const withoutTime = (text: string): string =>
  text
    .replace(/current time \S+/, 'current time')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/, 'UID')
    .replace(/^configmaps "\S+" is/, 'configmaps "NAME" is');

/** Why the second fault is not visible before the first is fixed; undefined: it is. */
function whyHidden(first: Fault, second: Fault): string | undefined {
  if (first.name === 'no-service') return 'nothing leads to the Pods';
  if (first.name === 'selector' && second.place !== 'service') return 'nothing leads to the Pods';
  if (first.mute && second.place === 'response') return 'no process to ask';
  if (first.name === 'port-number' && second.place === 'replica') return 'no process to ask';
  if (first.name === 'scaled') return 'no Pod that serves from the Secret';
  const needsPort = second.place === 'response' || second.name === 'loopback';
  return first.place === 'endpoints' && needsPort ? 'no endpoint leads to the port' : undefined;
}

/** Runs the work for each of them, several at a time. */
async function each<T>(items: readonly T[], work: (item: T) => Promise<void>, atOnce = 6): Promise<void> {
  const left = [...items];
  const next = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, next));
}

/** Frequent probes of so many Pods would use all processors. */
const rarely = { httpGet: { scheme: 'HTTPS', port: 8443, path: '/readyz' }, periodSeconds: 5 };

/** A Deployment and its Secret; any Service of the namespace may select it. */
async function podObjects(
  namespace: string,
  name: string,
  changed: readonly Fault[],
): Promise<readonly KubeObject[]> {
  const all = changed.flatMap(({ backend }) => backend ?? []);
  const backend = {
    ...Object.assign({ replicas: 1 }, ...all),
    args: all.flatMap(({ args = [] }) => args),
    container: Object.assign({ readinessProbe: rarely }, ...all.map(({ container }) => container)),
  };
  const expired = changed.some(({ certificate }) => certificate === 'expired');
  const home = changed.some(({ certificate }) => certificate === 'other-name') ? 'elsewhere' : namespace;
  const pair = await issue(ca, {
    dns: [`*.${home}.svc`],
    ...(expired ? { notBefore: new Date('2026-01-01'), notAfter: new Date('2026-02-01') } : {}),
  });
  const stringData = { 'tls.crt': pair.cert, 'tls.key': pair.key };
  const objects = await backendObjects(namespace, { name, ca, ...backend });
  return objects
    .filter(({ kind }) => kind !== 'Service')
    .map((object) => (object.kind === 'Secret' ? { ...object, stringData } : object));
}

function serviceOf(pair: Pair): KubeObject {
  const sound = {
    selector: { app: nameOfPods(podsOf(pair)) },
    ports: [{ name: 'https', port: 443, targetPort: 'https' }],
  };
  const spec = { ...sound, ...pair.first.service, ...pair.second.service };
  return { apiVersion: 'v1', kind: 'Service', metadata: { name: pair.name }, spec };
}

function webhookOf(namespace: string, { name, first, second }: Pair): KubeObject {
  const caBundle = [first, second].some(({ untrusted }) => untrusted) ? otherCa.cert : ca.cert;
  const webhook = {
    objectSelector: { matchLabels: { pair: name } },
    // So many at once are sometimes slow.
    ...{ timeoutSeconds: 10, ...first.webhook, ...second.webhook },
  };
  const made = validatingWebhook(namespace, { service: name, caBundle, webhook });
  const [one] = made.webhooks as [{ clientConfig: { service: object } }];
  const service = { ...one.clientConfig.service, ...first.reference, ...second.reference };
  return { ...made, webhooks: [{ ...one, clientConfig: { ...one.clientConfig, service } }] };
}

/** Waits until the Pods have their final state. */
async function settled(scene: Scene, name: string, changed: readonly Fault[]): Promise<void> {
  const state = changed.find(({ settles }) => settles !== undefined)?.settles ?? 'ready';
  await waitFor(
    `the Pods of ${name} to be ${state}`,
    async () => {
      const pods = await scene.client.list('v1', 'Pod', scene.namespace, `app=${name}`);
      const [pod] = pods;
      if (state === 'none') return pods.length === 0;
      const [container] = pod?.status.containerStatuses ?? [];
      const is = (type: string, status: string) =>
        pod?.status.conditions?.some(
          (one: { type: string; status: string }) => one.type === type && one.status === status,
        ) === true;
      switch (state) {
        case 'pending':
          return is('PodScheduled', 'False');
        case 'waiting':
          return container?.state.waiting?.reason === 'ErrImageNeverPull';
        case 'crashing':
          return (
            (container?.restartCount ?? 0) > 0 && container?.state.waiting?.reason === 'CrashLoopBackOff'
          );
        case 'running':
          // Before, it is only starting (src/facts/workloads/pod-state.ts).
          return is('Ready', 'False') && Date.now() - Date.parse(pod?.status.startTime) > 25_000;
        default:
          return is('Ready', 'True');
      }
    },
    { timeout: 300_000 },
  );
}
