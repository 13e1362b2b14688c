import { join } from 'node:path';
import { expect } from 'chai';
import type { CertificateReport } from '../../src/diagnose/certificates/certificate-report.ts';
import type { CalloutReport, DoctorReport } from '../../src/diagnose/report.ts';
import { unreadText } from '../../src/facts/unread.ts';
import { backendObjects, validatingWebhook, waitForEndpoints } from '../cluster/backend-pods.ts';
import type { KubeObject } from '../cluster/client.ts';
import { backendImage } from '../cluster/image.ts';
import { dropPackets } from '../cluster/packet-filter.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { needs, nodeCluster } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { authority } from '../support/certificates.ts';
import { plugin } from '../support/plugin.ts';

const ca = await authority({ cn: 'webhook-ca' });
const program = join(import.meta.dirname, '..', '..', 'dist', 'program');

/** One webhook for each; `dropped` responds to Pods, and packets of the control plane are dropped. */
const names = ['sound', 'local', 'dropped'] as const;
type Name = (typeof names)[number];

/** ServiceAccounts, and the permissions of `rbac doctor` that each lacks. */
const accounts = {
  'no-forward': ['pods/portforward'],
  'no-proxy': ['pods/proxy'],
  'reads-only': ['pods/portforward', 'pods/proxy', 'configmaps'],
} as const;
type Account = keyof typeof accounts;

describe('doctor in a Pod of the cluster', () => {
  needs('node', 'own-node');
  let scene: Scene;
  let reports: Readonly<Record<Account, DoctorReport>>;
  /** From a Pod with hostNetwork, where other processes listen. */
  let onNode: DoctorReport;
  let certificates: CertificateReport;
  let undo: () => Promise<void> = async () => undefined;

  /** The API server's response to a dry run that matches one webhook. */
  const says = (name: Name): Promise<string> =>
    scene
      .create(
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'probe-', labels: { case: name } } },
        { dryRun: true },
      )
      .then(
        () => 'created',
        (error: Error) => error.message,
      );

  before(async function () {
    this.timeout(300_000);
    const { client, kubeconfig } = await nodeCluster();
    scene = await openScene(client);
    const { namespace } = scene;
    const args = { sound: [], local: ['--bind', '127.0.0.1'], dropped: [] };
    // The kubelet cannot reach all of them.
    const container = { readinessProbe: null };
    for (const name of names) {
      const backend = { name, ca, replicas: 1, args: args[name], container };
      for (const object of await backendObjects(namespace, backend)) await scene.create(object);
      const webhook = { objectSelector: { matchLabels: { case: name } } };
      await scene.create(validatingWebhook(namespace, { service: name, caBundle: ca.cert, webhook }));
    }
    const roles = JSON.parse(
      (await plugin(['rbac', 'doctor', '-o', 'json', '--kubeconfig', kubeconfig])).stdout,
    );
    for (const account of Object.keys(accounts) as Account[]) await admit(scene, account, roles.items);
    for (const name of names) await waitForEndpoints(scene, name, 1);
    const [pod] = await client.list('v1', 'Pod', namespace, 'app=dropped');
    undo = await dropPackets(pod?.status.podIP as string, 8443);
    await waitFor('calls to be lost', async () => (await says('dropped')) !== 'created');
    const runs = (Object.keys(accounts) as Account[]).map(
      async (account) => [account, await inPod<DoctorReport>(scene, account, 'doctor')] as const,
    );
    [reports, onNode, certificates] = await Promise.all([
      Promise.all(runs).then((all) => Object.fromEntries(all) as Record<Account, DoctorReport>),
      inPod<DoctorReport>(scene, 'reads-only', 'doctor', { hostNetwork: true }),
      inPod<CertificateReport>(scene, 'no-forward', 'cert-check'),
    ]);
  });
  after(async () => {
    await undo();
    await scene?.leave();
  });

  const of = (account: Account, name: Name): CalloutReport => {
    const found = reports[account].callouts.find(
      ({ configuration }) => configuration === `${name}-${scene.namespace}`,
    );
    if (found === undefined) throw new Error(`doctor knows no ${name}`);
    return found;
  };
  const notLookedAt = (account: Account): readonly string[] =>
    reports[account].notLookedAt
      .map((one) => unreadText(one).replace(` in namespace ${scene.namespace}`, ''))
      .sort();

  for (const account of Object.keys(accounts) as Account[]) {
    it(`${account}: what responds is healthy, with proof`, () => {
      expect(of(account, 'sound').verdict).to.include({ state: 'healthy', confidence: 'observed' });
    });
  }

  it('a Pod bound to localhost: reachable by port-forward, not from another Pod', async () => {
    const { state, link, because, confidence, error } = of('no-proxy', 'local').verdict;
    expect({ state, link, because: because[0], confidence }).to.deep.equal({
      state: 'failing',
      link: 'replica',
      because: 'replica-listens-on-loopback-only',
      confidence: 'observed',
    });
    const finding = reports['no-proxy'].findings.find(({ check }) => check === because[0]);
    expect(finding?.evidence.map(({ value }) => value).join()).to.match(/ECONNREFUSED \S+:8443/);
    expect(await says('local')).to.equal(`Internal error occurred: ${error}`);
  });

  it('the same without port-forward: nothing listens on the called port', async () => {
    for (const account of ['no-forward', 'reads-only'] as const) {
      const { state, because, confidence, error } = of(account, 'local').verdict;
      expect({ state, because: because[0], confidence }, account).to.deep.equal({
        state: 'failing',
        because: 'replica-not-listening',
        confidence: 'observed',
      });
      expect(await says('local')).to.equal(`Internal error occurred: ${error}`);
    }
  });

  it('packets of the control plane are dropped, while Pods get responses', async () => {
    const { state, link, because, confidence, error } = of('no-forward', 'dropped').verdict;
    expect({ state, link, because: because[0], confidence }).to.deep.equal({
      state: 'failing',
      link: 'network',
      because: 'firewall-target-port',
      confidence: 'observed',
    });
    expect(await says('dropped')).to.equal(`Internal error occurred: ${error}`);
  });

  it('cert-check reads what replicas serve, without port-forward', () => {
    const served = certificates.certificates.filter(({ source }) => source === 'served');
    expect(served.map(({ pod = '', verdict }) => `${pod.split('-')[0]} ${verdict}`).sort()).to.deep.equal([
      'dropped accepted',
      'sound accepted',
    ]);
  });

  it('if other processes listen in the Pod, no address of a Pod is used', () => {
    const [sound] = onNode.callouts.filter(({ configuration }) => configuration.startsWith('sound-'));
    expect(sound?.verdict).to.include({ state: 'healthy', confidence: 'derived' });
    expect(onNode.notLookedAt.map(unreadText).join()).to.match(/pods\/portforward in namespace/);
  });

  it('a permission is named as missing only if something could not be read without it', () => {
    // It is unknown whether the process of the Pod that listens on localhost responds.
    expect(notLookedAt('no-forward')).to.deep.equal(['pods/portforward']);
    expect(notLookedAt('no-proxy')).to.deep.equal(['pods/proxy']);
    const notTried = of('no-forward', 'sound').notTried ?? [];
    expect(notTried).to.deep.equal([]);
  });
});

/** A ServiceAccount with the permissions of `rbac doctor` except some; waits until they are effective. */
async function admit(scene: Scene, account: Account, printed: readonly KubeObject[]): Promise<void> {
  const { client, namespace } = scene;
  const lacks: readonly string[] = accounts[account];
  await scene.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: account } });
  for (const { kind, apiVersion, rules, metadata } of printed.filter((role) => role.rules !== undefined)) {
    const kept = (rules as { resources?: string[] }[]).flatMap((rule) => {
      const resources = rule.resources?.filter((resource) => !lacks.includes(resource));
      if (resources === undefined) return [rule];
      return resources.length === 0 ? [] : [{ ...rule, resources }];
    });
    if (kept.length === 0) continue;
    const named = {
      name: `${account}-${namespace}`,
      ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
    };
    await scene.create({ kind, apiVersion, metadata: named, rules: kept });
    await scene.create({
      apiVersion,
      kind: `${kind}Binding`,
      metadata: named,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: named.name },
      subjects: [{ kind: 'ServiceAccount', name: account, namespace }],
    });
    const [rule] = kept as { apiGroups?: string[]; resources?: string[]; verbs?: string[] }[];
    const [resource = '', subresource] = rule?.resources?.[0]?.split('/') ?? [];
    const review: KubeObject = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      metadata: {},
      spec: {
        user: `system:serviceaccount:${namespace}:${account}`,
        resourceAttributes: {
          namespace: metadata.namespace ?? namespace,
          group: rule?.apiGroups?.[0] ?? '',
          resource,
          ...(subresource === undefined ? {} : { subresource }),
          verb: rule?.verbs?.[0] ?? '',
        },
      },
    };
    await waitFor(
      `${account} to have its permissions`,
      async () => (await client.create(review)).status?.allowed === true,
    );
  }
}

/** Runs a command of this checkout in a Pod with that account, and returns its report. */
async function inPod<Report>(
  scene: Scene,
  account: Account,
  command: 'doctor' | 'cert-check',
  podSpec: { readonly hostNetwork?: true } = {},
): Promise<Report> {
  const { client, namespace } = scene;
  const name = [command, account, ...Object.keys(podSpec)].join('-').toLowerCase();
  const asked = names.map((one) => `${one}-${namespace}`);
  const pod = await scene.create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      serviceAccountName: account,
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: 'program',
          image: backendImage,
          imagePullPolicy: 'Never',
          command: ['/usr/bin/node', '/program/main.cjs', command, ...asked, '-o', 'json'],
          volumeMounts: [{ name: 'program', mountPath: '/program', readOnly: true }],
        },
      ],
      volumes: [{ name: 'program', hostPath: { path: program, type: 'Directory' } }],
      ...podSpec,
    },
  });
  await waitFor(
    `${name} to end`,
    async () => ['Succeeded', 'Failed'].includes((await client.get(pod))?.status?.phase),
    { timeout: 120_000, interval: 300 },
  );
  const log = await client.text(`/api/v1/namespaces/${namespace}/pods/${name}/log`);
  const report = /^\{[\s\S]*^\}/m.exec(log)?.[0];
  if (report === undefined) throw new Error(`${name} printed no report: ${log}`);
  return JSON.parse(report) as Report;
}
