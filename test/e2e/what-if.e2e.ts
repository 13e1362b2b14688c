import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { isRemovedIn } from '../../src/apiserver/admission/removed-versions.ts';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import type { StuckReport, WhatIfReport } from '../../src/what-if/what-if-report.ts';
import { apiServiceOf } from '../cluster/api-service.ts';
import { backendObjects, validatingWebhook } from '../cluster/backend-pods.ts';
import type { KubeObject } from '../cluster/client.ts';
import { backendImage } from '../cluster/image.ts';
import { newerVersion } from '../cluster/kubernetes.ts';
import { agentNetwork } from '../cluster/node.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { apiServer, needs, nodeCluster } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { type Authority, authority } from '../support/certificates.ts';
import { fileWith, plugin } from '../support/plugin.ts';
import { whatIfSchemaErrors } from '../support/schema.ts';
import { factsOf } from './oracle-facts.ts';

/** A prediction, and the result when it was made real. */
interface Pair {
  readonly what: string;
  readonly predicted: string;
  readonly observed: string;
}

/** A webhook whose backend has a separate namespace. */
interface Guard {
  readonly name: string;
  /** The backend whose requests it intercepts; absent: those of its own namespace. */
  readonly of?: string;
  readonly resources: string;
  readonly operations?: readonly string[];
  readonly group?: string;
  readonly args?: readonly string[];
  readonly podSpec?: object;
  /** Merged over the webhook. */
  readonly webhook?: object;
}

const guards: readonly Guard[] = [
  { name: 'self', resources: 'pods' },
  { name: 'ringa', of: 'ringb', resources: 'pods' },
  { name: 'ringb', of: 'ringa', resources: 'pods' },
  { name: 'first', of: 'second', resources: 'pods' },
  { name: 'second', of: 'third', resources: 'pods' },
  { name: 'third', resources: 'configmaps', args: ['--answer', 'deny', '--message', 'no'] },
  {
    name: 'open',
    resources: 'configmaps',
    args: ['--answer', 'deny', '--message', 'no'],
    webhook: { failurePolicy: 'Ignore' },
  },
  { name: 'bind', resources: 'pods/binding' },
  { name: 'token', resources: 'serviceaccounts/token' },
  { name: 'labelled', resources: 'pods', webhook: { objectSelector: { matchLabels: { app: 'labelled' } } } },
  {
    name: 'exempt',
    resources: 'pods',
    webhook: { objectSelector: { matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] } },
  },
  {
    name: 'condition',
    resources: 'pods',
    webhook: { matchConditions: [{ name: 'never', expression: "request.operation == 'DELETE'" }] },
  },
  { name: 'victim', of: 'self', resources: 'configmaps' },
  { name: 'slow', resources: 'configmaps', args: ['--delay', '2500ms'] },
  {
    name: 'system',
    of: 'kube-system',
    resources: 'pods',
    webhook: { objectSelector: { matchLabels: { app: 'probe' } } },
  },
];

/** Its Pods need the network of the DaemonSet kube-system/agent, whose Pods must pass it. */
const network: Guard = {
  name: 'network',
  of: 'kube-system',
  resources: 'pods',
  podSpec: { runtimeClassName: agentNetwork },
  webhook: { objectSelector: { matchLabels: { app: 'agent' } } },
};
const agent = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent', namespace: 'kube-system' },
};

/** A network for Pods of a separate class, set up by a DaemonSet. */
async function agentOn(scene: Scene, folder: string): Promise<void> {
  await scene.create({
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    metadata: { name: agentNetwork },
    handler: agentNetwork,
  });
  const script = `require('node:fs').writeFileSync('/host/10-bridge.conflist', process.env.CONFIGURATION);
setInterval(() => {}, 1e6);`;
  await scene.create({
    ...agent,
    spec: {
      selector: { matchLabels: { app: 'agent' } },
      template: {
        metadata: { labels: { app: 'agent' } },
        spec: {
          hostNetwork: true,
          terminationGracePeriodSeconds: 1,
          containers: [
            {
              name: 'main',
              image: backendImage,
              imagePullPolicy: 'Never',
              command: ['/usr/bin/node', '-e', script],
              env: [
                {
                  name: 'CONFIGURATION',
                  value: readFileSync(join(folder, 'cni/10-bridge.conflist'), 'utf8'),
                },
              ],
              volumeMounts: [{ name: 'cni', mountPath: '/host' }],
            },
          ],
          volumes: [
            { name: 'cni', hostPath: { path: join(folder, agentNetwork), type: 'DirectoryOrCreate' } },
          ],
        },
      },
    },
  });
}

describe('kubectl webhook what-if, predicted and then done', function () {
  needs('node');
  this.timeout(420_000);
  this.retries(0);
  let scene: Scene;
  let kubeconfig = '';
  /** The folder of our own node. */
  let folder = '';
  let ca: Authority;
  let other: Authority;
  const pairs: Pair[] = [];

  const home = (name: string): string => {
    if (['kube-system', 'probe', 'agent'].includes(name)) return 'kube-system';
    return `${scene.namespace}-${name === 'client' ? 'network' : name}`;
  };
  const configuration = (name: string): string => `${name}-${home(name)}`;
  const idOf = (name: string): string => `validating/${configuration(name)}/${name}.example.com`;
  const deployment = (name: string): string =>
    `${name === 'agent' ? 'DaemonSet' : 'Deployment'} ${home(name)}/${name}`;
  const compare = (what: string, predicted: string, observed: string): void => {
    pairs.push({ what, predicted, observed });
    expect(observed, what).to.equal(predicted);
  };

  const whatIf = async (...args: readonly string[]): Promise<WhatIfReport> => {
    const { stdout, stderr } = await plugin(['what-if', ...args, '--kubeconfig', kubeconfig, '-o', 'json']);
    expect(stdout, stderr).to.not.equal('');
    const document = JSON.parse(stdout) as WhatIfReport;
    expect(whatIfSchemaErrors(document)).to.deep.equal([]);
    return document;
  };
  /** Doctor's state of a webhook now. */
  const stateOf = async (name: string): Promise<string> => {
    const { stdout } = await plugin([
      'doctor',
      configuration(name),
      '--kubeconfig',
      kubeconfig,
      '-o',
      'json',
    ]);
    const [callout] = (JSON.parse(stdout) as DoctorReport).callouts;
    return `${callout?.verdict.state}, ${callout?.verdict.effect}`;
  };
  /** The API server's response to a new ConfigMap in the namespace of a backend. */
  const configMapIn = (name: string): Promise<string> =>
    scene
      .create(
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'probe-', namespace: home(name) } },
        { dryRun: true },
      )
      .then(
        () => 'created',
        (error: Error) => error.message,
      );
  /** The same after caches and proxies have followed; the last response if that never happens. */
  const settled = async (name: string, expected: string): Promise<string> => {
    let last = '';
    await waitFor(
      expected,
      async () => {
        last = await configMapIn(name);
        return last === expected;
      },
      { timeout: 20_000 },
    ).catch(() => undefined);
    return last;
  };
  const denied = (name: string): string => `admission webhook "${name}.example.com" denied the request: no`;
  const scaled = (name: string, replicas: number) =>
    scene.client.patch(
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace: home(name) } },
      { spec: { replicas } },
      'scale',
    );
  const ready = async (name: string): Promise<boolean> => {
    const found = await scene.client.get({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace: home(name) },
    });
    return found?.status?.readyReplicas === 1;
  };
  const serving = async (name: string): Promise<boolean> => {
    if (!(await ready(name))) return false;
    const slices = await scene.client.list('discovery.k8s.io/v1', 'EndpointSlice', home(name));
    return slices.some(({ endpoints = [] }) =>
      endpoints.some(({ conditions }: KubeObject) => conditions?.ready === true),
    );
  };
  const agentRuns = async (): Promise<boolean> => (await scene.client.get(agent))?.status?.numberReady === 1;
  const runs = (name: string): Promise<boolean> =>
    name === 'agent' ? agentRuns() : name === 'probe' ? ready(name) : serving(name);
  const started = (name: string) =>
    waitFor(`${name} to serve`, () => runs(name), {
      timeout: 150_000,
      interval: 300,
    });
  const gone = (name: string) =>
    waitFor(
      `${name} to be gone`,
      async () => (await scene.client.list('v1', 'Pod', home(name), `app=${name}`)).length === 0,
      { timeout: 90_000, interval: 300 },
    );
  const patched = (name: string, webhook: object) =>
    (async () => {
      const ref = {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: configuration(name) },
      };
      const [old] = (await scene.client.get(ref))?.webhooks ?? [];
      await scene.client.patch(ref, { webhooks: [{ ...old, ...webhook }] });
      return old as object;
    })();
  /** Runs the one command that ends each deadlock, and returns the workloads that start. */
  const opened = async (stuck: readonly StuckReport[]): Promise<void> => {
    for (const { cycle, waiting, opens = '' } of stuck) {
      const texts = [...cycle.map((step) => step.workload), ...waiting];
      for (const command of opens.split(' && ')) {
        const args = command.replace(/^kubectl webhook /, '').split(' ');
        const { code, stderr } = await plugin([...args, '--yes', '--confirm-for', '1s']);
        expect(code, stderr).to.equal(0);
      }
      await Promise.all(
        texts.map(async (text) => {
          const [kind = '', key = ''] = text.split(' ');
          const name = key.split('/').at(-1) ?? '';
          // Its controller waits longer after each refusal; a new revision is tried at once.
          await scene.client.patch(
            { apiVersion: 'apps/v1', kind, metadata: { name, namespace: home(name) } },
            { spec: { template: { metadata: { annotations: { restarted: 'now' } } } } },
          );
          const came = await started(name).then(
            () => 'starts',
            () => 'stuck',
          );
          compare(`opened with ${opens.split(' ')[3]}: ${name}`, 'starts', came);
        }),
      );
      for (const { webhook = '' } of cycle) {
        const name = (webhook.split('/').at(-1) ?? '').replace('.example.com', '');
        if (name !== '') await patched(name, { failurePolicy: 'Fail' });
      }
    }
  };
  const made = async (guard: Guard): Promise<void> => {
    const {
      name,
      of = name,
      resources,
      operations = ['CREATE'],
      group = '',
      args = [],
      podSpec = {},
    } = guard;
    const objects = await backendObjects(home(name), { name, ca, args, podSpec, replicas: 1 });
    for (const object of objects)
      await scene.create({ ...object, metadata: { ...object.metadata, namespace: home(name) } });
    const webhook = {
      rules: [{ apiGroups: [group], apiVersions: ['v1'], operations, resources: [resources] }],
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': home(of) } },
      ...guard.webhook,
    };
    await started(name);
    await scene.create(validatingWebhook(home(name), { service: name, caBundle: ca.cert, webhook }));
  };

  before(async () => {
    const cluster = await nodeCluster();
    kubeconfig = cluster.kubeconfig;
    scene = await openScene(cluster.client);
    [ca, other] = await Promise.all([authority({ cn: 'webhook-ca' }), authority({ cn: 'other-ca' })]);
    folder = cluster.folder ?? '';
    for (const { name } of [...guards, network])
      await scene.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: home(name) } });
    await waitFor('ServiceAccounts', async () => {
      const lists = await Promise.all(
        [...guards, network].map(({ name }) => scene.client.list('v1', 'ServiceAccount', home(name))),
      );
      return lists.every((all) => all.length > 0);
    });
    await Promise.all(guards.map(made));
    await scene.create({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'probe', namespace: 'kube-system' },
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: 'probe' } },
        template: {
          metadata: { labels: { app: 'probe' } },
          spec: {
            terminationGracePeriodSeconds: 1,
            containers: [
              {
                name: 'main',
                image: backendImage,
                imagePullPolicy: 'Never',
                command: ['/usr/bin/node', '-e', 'setInterval(() => {}, 1e6);'],
              },
            ],
          },
        },
      },
    });
    await waitFor('probe', () => ready('probe'));
    await waitFor('the denials', async () => (await configMapIn('third')) === denied('third'));
  });
  after(async () => {
    for (const { what, predicted, observed } of pairs)
      console.log(`    ${predicted === observed ? '=' : '!'} ${what}: ${predicted.slice(0, 150)}`);
    await scene?.leave();
  });

  it('everything is stopped and started again', async () => {
    const { recovery } = await whatIf('--cold-start', '--deep');
    const known = [...guards.map(({ name }) => name), 'probe'];
    const stuck = recovery?.stuck ?? [];
    const never = new Set(
      stuck.flatMap(({ cycle, waiting }) => [...cycle.map((step) => step.workload), ...waiting]),
    );
    const roundOf = (name: string): number =>
      recovery?.order.findIndex((round) => round.includes(deployment(name))) ?? -1;
    const predicted = (name: string): string =>
      never.has(deployment(name)) ? 'stuck' : roundOf(name) >= 0 ? 'starts' : 'unknown';

    await Promise.all(known.map((name) => scaled(name, 0)));
    await Promise.all(known.map(gone));
    await Promise.all(known.map((name) => scaled(name, 1)));
    const at = new Map<string, number>();
    const began = Date.now();
    await Promise.all(
      known
        .filter((name) => predicted(name) === 'starts')
        .map((name) =>
          started(name).then(
            () => at.set(name, Date.now() - began),
            () => undefined,
          ),
        ),
    );
    // Workloads that can start get the same time again.
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    for (const name of known)
      compare(`cold start: ${name}`, predicted(name), (await runs(name)) ? 'starts' : 'stuck');
    for (const [earlier, later] of [
      ['first', 'second'],
      ['second', 'third'],
      ['system', 'probe'],
    ] as const)
      compare(
        `cold start: ${earlier} serves before ${later}`,
        String(roundOf(earlier) < roundOf(later)),
        String((at.get(earlier) ?? 0) < (at.get(later) ?? 0)),
      );
    // Checks in the API server's errors which webhook refuses which Pods.
    for (const { workload: text, needs: request, webhook = '' } of stuck.flatMap(({ cycle }) => cycle)) {
      if (request !== 'CREATE pods') continue;
      const name = text.split('/').at(-1) ?? '';
      const events = await scene.client.list('v1', 'Event', home(name));
      const words = events
        .filter(({ involvedObject }) => involvedObject.name.startsWith(name))
        .map(({ message }) => message);
      const [, refusing = ''] = /failed calling webhook "([\w.-]+)"/.exec(words.join('\n')) ?? [];
      compare(`cold start: ${name} is refused by`, webhook.split('/').at(-1) ?? '', refusing);
    }
    await opened(stuck);
  });

  for (const [name, how] of [
    ['third', 'workload'],
    ['open', 'webhook'],
    ['exempt', 'namespace'],
    ['condition', 'webhook'],
  ] as const)
    it(`${name} is scaled to zero (predicted by its ${how})`, async () => {
      const flags = {
        workload: [`deployment/${name}`, '-n', home(name)],
        webhook: [configuration(name)],
        namespace: [`namespace/${home(name)}`],
      }[how];
      const { changes, recovery } = await whatIf('--down', ...flags);
      const change = changes.find(({ callout }) => callout === idOf(name));
      const predicted = change === undefined ? 'no change' : `${change.to}, ${change.effect.to}`;
      await scaled(name, 0);
      await gone(name);
      await waitFor('no endpoint', async () => !(await serving(name)));
      const blocked = name === 'third';
      const sentence = blocked ? `Internal error occurred: ${change?.error}` : 'created';
      const words = await settled(name, sentence);
      compare(`down ${name}: doctor says`, predicted, await stateOf(name));
      compare(`down ${name}: a ConfigMap`, sentence, words);
      compare(
        `down ${name}: what it blocks`,
        String(blocked),
        String(change?.blocks.some((line) => line.startsWith('create ConfigMaps')) === true),
      );
      await scaled(name, 1);
      const back = await started(name).then(
        () => true,
        () => false,
      );
      compare(
        `down ${name}: comes back by itself`,
        String(
          [deployment(name), `Service ${home(name)}/${name}`].some((text) =>
            recovery?.order.flat().includes(text),
          ),
        ),
        String(back),
      );
    });

  it('failurePolicy is set while the backend is down', async () => {
    await scaled('third', 0);
    await scaled('open', 0);
    await Promise.all(['third', 'open'].map(gone));
    await waitFor('no endpoints', async () => !(await serving('third')) && !(await serving('open')));
    const shut = await whatIf('--set', `${configuration('open')}.failurePolicy=Fail`);
    const opened = await whatIf('--set', `${configuration('third')}.failurePolicy=Ignore`);
    const shutOld = await patched('open', { failurePolicy: 'Fail' });
    const openedOld = await patched('third', { failurePolicy: 'Ignore' });
    const change = (report: WhatIfReport, name: string) =>
      report.changes.find(({ callout }) => callout === idOf(name));
    const sentence = `Internal error occurred: ${change(shut, 'open')?.error}`;
    compare('set open Fail: a ConfigMap', sentence, await settled('open', sentence));
    compare('set third Ignore: a ConfigMap', 'created', await settled('third', 'created'));
    for (const [report, name] of [
      [shut, 'open'],
      [opened, 'third'],
    ] as const) {
      const found = change(report, name);
      compare(`set ${name}: doctor says`, `${found?.to}, ${found?.effect.to}`, await stateOf(name));
    }
    await patched('open', shutOld);
    await patched('third', openedOld);
    await Promise.all(['third', 'open'].map((name) => scaled(name, 1)));
    await Promise.all(['third', 'open'].map(started));
  });

  it('caBundle, timeoutSeconds and selectors are set', async () => {
    await waitFor('the denial', async () => (await configMapIn('third')) === denied('third'));
    const bundle = fileWith(other.cert, 'ca.crt');
    const trust = await whatIf('--set', `${configuration('third')}.caBundle=${bundle}`);
    const change = trust.changes.find(({ callout }) => callout === idOf('third'));
    const client = {
      service: { namespace: home('third'), name: 'third', path: '/validate' },
      caBundle: Buffer.from(other.cert).toString('base64'),
    };
    const old = await patched('third', { clientConfig: client });
    const sentence = `Internal error occurred: ${change?.error}`;
    compare('set caBundle: a ConfigMap', sentence, await settled('third', sentence));
    compare('set caBundle: doctor says', `${change?.to}, ${change?.effect.to}`, await stateOf('third'));
    const mended = await whatIf('--set', `${configuration('third')}.caBundle=${fileWith(ca.cert, 'ca.crt')}`);
    const back = mended.changes.find(({ callout }) => callout === idOf('third'));
    await patched('third', old);
    await waitFor('the denial', async () => (await configMapIn('third')) === denied('third'));
    compare('set the right caBundle: doctor says', `${back?.to}, ${back?.effect.to}`, await stateOf('third'));

    const late = await whatIf('--set', `${configuration('slow')}.timeoutSeconds=1`);
    const slow = late.changes.find(({ callout }) => callout === idOf('slow'));
    const inTime = await patched('slow', { timeoutSeconds: 1 });
    const ranOut = await waitFor('the timeout', async () => {
      const said = await configMapIn('slow');
      return said !== 'created' && said;
    });
    compare(
      'set timeoutSeconds: a ConfigMap',
      String(slow?.blocks.some((line) => line.startsWith('create ConfigMaps')) === true),
      String(/deadline exceeded|Client\.Timeout/.test(ranOut)),
    );
    await patched('slow', inTime);

    const away = await whatIf(
      '--set',
      `${configuration('self')}.namespaceSelector=kubernetes.io/metadata.name notin (${home('self')})`,
    );
    compare(
      'set namespaceSelector: the deadlock of self',
      'resolved',
      away.resolved.some((id) => id.startsWith('bootstrap-deadlock:') && id.includes(home('self')))
        ? 'resolved'
        : 'stays',
    );
  });

  it('an APIService loses its backend', async () => {
    const group = 'what-if.example.com';
    const objects = await backendObjects(home('api'), {
      name: 'api',
      ca,
      replicas: 1,
      args: ['--api', `${group}/v1`],
    });
    await scene.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: home('api') } });
    await waitFor(
      'its ServiceAccount',
      async () => (await scene.client.list('v1', 'ServiceAccount', home('api'))).length > 0,
    );
    for (const object of objects)
      await scene.create({ ...object, metadata: { ...object.metadata, namespace: home('api') } });
    await started('api');
    await scene.create(
      apiServiceOf(group, {
        caBundle: Buffer.from(ca.cert).toString('base64'),
        service: { namespace: home('api'), name: 'api' },
      }),
    );
    const discovery = () => scene.client.request('GET', `/apis/${group}/v1`);
    await waitFor('the API', async () => (await discovery()).status === 200);
    const { changes } = await whatIf('--down', `apiservice/v1.${group}`);
    const change = changes.find(({ callout }) => callout === `apiservice/v1.${group}`);
    await scaled('api', 0);
    await gone('api');
    const said = await waitFor('the refusal', async () => {
      const { status, body } = await discovery();
      return status !== 200 && body.trim() === change?.error && body.trim();
    }).catch(async () => (await discovery()).body.trim());
    compare('down apiservice: a request', String(change?.error), said);
    const { stdout } = await plugin([
      'doctor',
      `apiservice/v1.${group}`,
      '--kubeconfig',
      kubeconfig,
      '-o',
      'json',
    ]);
    const [callout] = (JSON.parse(stdout) as DoctorReport).callouts;
    compare('down apiservice: doctor says', String(change?.to), String(callout?.verdict.state));
  });

  it('a webhook is deleted', async () => {
    const { changes } = await whatIf('--delete', configuration('third'));
    const change = changes.find(({ callout }) => callout === idOf('third'));
    compare(
      'delete third: what passes',
      'create ConfigMaps',
      (change?.unchecked[0] ?? '').replace(/ in namespace .*/, ''),
    );
    await scene.client.delete({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: configuration('third') },
    });
    compare(
      'delete third: a ConfigMap',
      change?.to === 'absent' ? 'created' : denied('third'),
      await settled('third', 'created'),
    );
  });

  it('the node fails', async () => {
    const [node] = await scene.client.list('v1', 'Node');
    const ref = { apiVersion: 'v1', kind: 'Node', metadata: { name: node?.metadata.name ?? '' } };
    const looked = guards
      .slice(0, 9)
      .map(({ name }) => name)
      .filter((name) => name !== 'third');
    const now = new Map<string, string>();
    await Promise.all(looked.map(async (name) => now.set(name, await stateOf(name))));
    const { changes } = await whatIf('--down', `node/${ref.metadata.name}`);
    await scene.client.patch(ref, { spec: { unschedulable: true } });
    const names = guards.map(({ name }) => name).filter((name) => name !== 'third');
    try {
      for (const name of names)
        for (const pod of await scene.client.list('v1', 'Pod', home(name)))
          await scene.client.delete({ ...pod, apiVersion: 'v1', kind: 'Pod' }, 0);
      await Promise.all(
        names.map((name) => waitFor(`${name} to be gone`, async () => !(await serving(name)))),
      );
      const states = await Promise.all(looked.map(stateOf));
      for (const [at, name] of looked.entries()) {
        const change = changes.find(({ callout }) => callout === idOf(name));
        const predicted = change === undefined ? (now.get(name) ?? '') : `${change.to}, ${change.effect.to}`;
        compare(`node lost: ${name}`, predicted, states[at] ?? '');
      }
    } finally {
      await scene.client.patch(ref, { spec: { unschedulable: null } });
    }
  });

  it('the Pods of the node’s network depend on a webhook that needs it', async function () {
    if (folder === '') this.skip();
    // Only Pods of this class use this network.
    for (const { name } of guards) {
      const ref = { metadata: { name: configuration(name) }, kind: 'ValidatingWebhookConfiguration' };
      await scene.client.delete({ apiVersion: 'admissionregistration.k8s.io/v1', ...ref });
    }
    await Promise.all([...guards.map(({ name }) => name), 'probe'].map((name) => scaled(name, 0)));
    await agentOn(scene, folder);
    await made(network);
    const client = { name: 'client', ca, replicas: 1, podSpec: { runtimeClassName: agentNetwork } };
    for (const object of await backendObjects(home('client'), client))
      await scene.create({ ...object, metadata: { ...object.metadata, namespace: home('client') } });
    await started('client');
    const { recovery } = await whatIf('--cold-start', '--deep');
    const stuck = recovery?.stuck ?? [];
    const never = stuck.flatMap(({ cycle, waiting }) => [...cycle.map((step) => step.workload), ...waiting]);

    const names = ['network', 'client'];
    await Promise.all(names.map((name) => scaled(name, 0)));
    await scene.client.patch(agent, { spec: { template: { spec: { nodeSelector: { nowhere: 'yes' } } } } });
    await Promise.all([...names, 'agent'].map(gone));
    // The node restarts empty.
    rmSync(join(folder, agentNetwork, '10-bridge.conflist'), { force: true });
    await scene.client.patch(agent, { spec: { template: { spec: { nodeSelector: null } } } });
    await Promise.all(names.map((name) => scaled(name, 1)));
    await new Promise((resolve) => setTimeout(resolve, 20_000));
    for (const name of [...names, 'agent'])
      compare(
        `cold start with the network: ${name}`,
        never.includes(deployment(name)) ? 'stuck' : 'starts',
        (await runs(name)) ? 'starts' : 'stuck',
      );
    await opened(stuck.filter(({ cycle }) => cycle.some(({ workload }) => workload === deployment('agent'))));
  });

  it('at least 40 predictions were compared', () => {
    expect(pairs.length).to.be.at.least(40);
    expect(pairs.filter(({ predicted, observed }) => predicted !== observed)).to.deep.equal([]);
  });
});

describe('kubectl webhook what-if --upgrade, and the newer API server', function () {
  needs('api-server');
  this.timeout(180_000);
  const scenes: Scene[] = [];
  let kubeconfig = '';

  /** Webhooks without a Service: for token reviews and for ConfigMaps. */
  const configurations = ({ namespace }: Scene): readonly KubeObject[] => {
    const guard = (name: string, rule: object, webhook: object = {}) => {
      const rules = [{ operations: ['CREATE'], apiVersions: ['v1'], ...rule }];
      return validatingWebhook(namespace, { service: name, caBundle: '', webhook: { rules, ...webhook } });
    };
    return [
      guard(
        'reviews',
        { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'] },
        { namespaceSelector: {} },
      ),
      guard('maps', { apiGroups: [''], resources: ['configmaps'] }),
    ];
  };
  const said = (attempt: Promise<unknown>): Promise<string> =>
    attempt.then(
      () => 'created',
      (error: Error) => error.message,
    );
  const review = ({ client }: Scene): Promise<string> =>
    said(
      client.create({
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        metadata: {},
        spec: { token: 'none' },
      }),
    );
  const configMap = (scene: Scene): Promise<string> =>
    said(
      scene.create(
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'x-' } },
        { dryRun: true },
      ),
    );

  before(async () => {
    for (const version of [undefined, newerVersion]) {
      const cluster = await apiServer(version === undefined ? {} : { version });
      kubeconfig ||= cluster.kubeconfig;
      const scene = await openScene(cluster.client);
      scenes.push(scene);
      for (const object of configurations(scene)) await scene.create(object);
      await waitFor('the refusal', async () => (await configMap(scene)).includes('failed calling webhook'));
    }
  });
  after(() => Promise.all(scenes.map((scene) => scene.leave())));

  it('names the requests that no webhook gets any more, and the failures that remain', async () => {
    const [now, then] = scenes;
    if (now === undefined || then === undefined) throw new Error('there are two');
    const { stdout, stderr } = await plugin([
      ...['what-if', '--upgrade', '1.37', '--kubeconfig', kubeconfig, '-o', 'json'],
    ]);
    expect(stdout, stderr).to.not.equal('');
    const { changes, before: counted, after: later } = JSON.parse(stdout) as WhatIfReport;
    const [change, ...others] = changes;
    expect(others).to.deep.equal([]);
    expect(change?.callout).to.include('/reviews.example.com');
    expect(change?.frees).to.deep.equal(['create TokenReviews']);
    expect(later.callouts).to.deep.equal(counted.callouts);
    expect(await review(now)).to.include('failed calling webhook "reviews.example.com"');
    expect(await review(then)).to.equal('created');
    const words = (scene: Scene) => configMap(scene).then((text) => text.replaceAll(scene.namespace, 'NS'));
    expect(await words(then)).to.equal(await words(now));
  });

  it('serves no API that is known to be removed', async () => {
    for (const [at, version] of ['v1.35.4', `v${newerVersion}`].entries()) {
      const { resources = [] } =
        (
          await factsOf(at === 0 ? kubeconfig : (await apiServer({ version: newerVersion })).kubeconfig)
        ).facts.served.get('served') ?? {};
      expect(resources.length).to.be.greaterThan(50);
      expect(resources.filter((one) => isRemovedIn(one, version))).to.deep.equal([]);
    }
  });
});
