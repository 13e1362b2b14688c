import { expect } from 'chai';
import type { CalloutReport, DoctorReport } from '../../src/diagnose/report.ts';
import { unreadText } from '../../src/facts/unread.ts';
import { backendObjects, validatingWebhook, waitForEndpoints } from '../cluster/backend-pods.ts';
import type { Client, KubeObject } from '../cluster/client.ts';
import { backendImage } from '../cluster/image.ts';
import { network } from '../cluster/network.ts';
import { rejectPackets } from '../cluster/packet-filter.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { endpointRoutingApiServer } from '../cluster/second-api-server.ts';
import { needs, nodeCluster } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { authority, issue } from '../support/certificates.ts';
import { plugin } from '../support/plugin.ts';
import { httpsServer } from './backend/breaks.ts';
import { dialAnew } from './probes/dial-anew.ts';

const ca = await authority({ cn: 'webhook-ca' });
/** Services of the two backends; the certificates contain all of their names. */
const names = [
  'sound',
  'local',
  'both',
  'headless',
  'by-hand',
  'by-hand-closed',
  'looped',
  'looped-closed',
  'brittle',
] as const;
type Name = (typeof names)[number];

/** A report about some webhooks, and the exit code. */
interface Seen {
  readonly code: number | null;
  readonly report: DoctorReport;
  readonly of: (name: Name) => CalloutReport;
}

describe('doctor on a real node: methods of a probe', () => {
  needs('node', 'own-node');
  let scene: Scene;
  let kubeconfig: string;

  const configuration = (name: Name): string => `${name}-${scene.namespace}`;

  async function doctor(
    asked: readonly Name[],
    { at = kubeconfig, as }: { readonly at?: string; readonly as?: string } = {},
  ): Promise<Seen> {
    const who = as === undefined ? [] : ['--as', as];
    const command = ['doctor', ...asked.map(configuration), '-o', 'json', '--kubeconfig', at, ...who];
    const { code, stdout, stderr } = await plugin(command);
    if (stdout === '') throw new Error(`doctor printed nothing: ${stderr}`);
    const report = JSON.parse(stdout) as DoctorReport;
    const of = (name: Name): CalloutReport => {
      const found = report.callouts.find((callout) => callout.configuration === configuration(name));
      if (found === undefined) throw new Error(`doctor knows no ${name}`);
      return found;
    };
    return { code, report, of };
  }

  /** An API server's response to a dry run that matches one webhook. */
  const says = (client: Client, name: Name): Promise<string> => {
    const metadata = { generateName: 'probe-', namespace: scene.namespace, labels: { case: name } };
    return client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata }, { dryRun: true }).then(
      () => 'created',
      (error: Error) => error.message,
    );
  };

  const podIps = async (app: string): Promise<readonly string[]> =>
    (await scene.client.list('v1', 'Pod', scene.namespace, `app=${app}`)).map(({ status }) => status.podIP);

  before(async function () {
    this.timeout(300_000);
    const cluster = await nodeCluster();
    ({ kubeconfig } = cluster);
    scene = await openScene(cluster.client);
    const { namespace } = scene;
    const pair = await issue(ca, { dns: names.map((name) => `${name}.${namespace}.svc`) });
    const backends = [
      await backendObjects(namespace, { name: 'sound', ca, replicas: 2 }),
      await backendObjects(namespace, {
        name: 'local',
        ca,
        replicas: 1,
        args: ['--bind', '127.0.0.1'],
        container: { readinessProbe: null },
      }),
      await backendObjects(namespace, {
        name: 'brittle',
        ca,
        replicas: 2,
        container: {
          command: ['/usr/bin/node', '-e', httpsServer('')],
          args: [],
          readinessProbe: { tcpSocket: { port: 8443 }, periodSeconds: 1 },
        },
      }),
    ];
    for (const object of backends.flat()) {
      if (object.kind === 'Secret') object.stringData = { 'tls.crt': pair.cert, 'tls.key': pair.key };
      if (object.kind === 'Deployment' && object.metadata.name !== 'brittle')
        object.spec.template.metadata.labels.both = 'yes';
      await scene.create(object);
    }
    const service = (name: Name, spec: object): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { ports: [{ name: 'https', port: 443, targetPort: 8443 }], ...spec },
    });
    await scene.create(service('both', { selector: { both: 'yes' } }));
    await scene.create(service('headless', { selector: { app: 'sound' }, clusterIP: 'None' }));
    for (const name of names) {
      const webhook = { objectSelector: { matchLabels: { case: name } }, timeoutSeconds: 5 };
      await scene.create(validatingWebhook(namespace, { service: name, caBundle: ca.cert, webhook }));
    }
    await waitForEndpoints(scene, 'sound', 2);
    await waitForEndpoints(scene, 'both', 3);
    await waitForEndpoints(scene, 'brittle', 2);
    const [address] = await podIps('sound');
    const looped: KubeObject = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'looped', namespace },
      // Unscheduled, so that no controller corrects its status.
      spec: { schedulerName: 'nobody', containers: [{ name: 'webhook', image: backendImage }] },
    };
    await scene.create(looped);
    const status = {
      phase: 'Running',
      podIP: '127.0.0.1',
      podIPs: [{ ip: '127.0.0.1' }],
      conditions: [{ type: 'Ready', status: 'True' }],
    };
    await scene.client.patch(looped, { status }, 'status');
    const targetRef = { kind: 'Pod', name: 'looped', namespace };
    for (const [name, port, endpoint] of [
      ['by-hand', 8443, {}],
      ['by-hand-closed', 9999, {}],
      ['looped', 8443, { targetRef }],
      ['looped-closed', 9999, { targetRef }],
    ] as const) {
      await scene.create(service(name, {}));
      await scene.create({
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: { name, labels: { 'kubernetes.io/service-name': name } },
        addressType: 'IPv4',
        ports: [{ name: 'https', port, protocol: 'TCP' }],
        endpoints: [{ addresses: [address], conditions: { ready: true }, ...endpoint }],
      });
    }
    await waitFor('calls over the slices written by hand', async () => {
      const said = await Promise.all([says(scene.client, 'by-hand'), says(scene.client, 'looped')]);
      return said.every((words) => words === 'created');
    });
  });
  after(() => scene?.leave());

  describe('missing permissions', () => {
    const ways = {
      forward: 'pods/portforward',
      podProxy: 'pods/proxy',
      dryRun: 'configmaps',
    };
    type Way = keyof typeof ways;

    let roles: readonly KubeObject[];
    before(async () => {
      const printed = await plugin(['rbac', 'doctor', '-o', 'json', '--kubeconfig', kubeconfig]);
      roles = JSON.parse(printed.stdout).items;
    });

    /** A user with the permissions of `rbac doctor` except these. */
    async function userWithout(left: readonly Way[]): Promise<string> {
      const user = `${['pr', ...left].join('-').toLowerCase()}-${scene.namespace}`;
      const refused = left.map((way) => ways[way]);
      for (const { kind, apiVersion, rules, metadata } of roles.filter((role) => role.rules !== undefined)) {
        const kept = (rules as { resources?: string[] }[]).flatMap((rule) => {
          if (rule.resources === undefined) return [rule];
          const resources = rule.resources.filter((resource) => !refused.includes(resource));
          return resources.length === 0 ? [] : [{ ...rule, resources }];
        });
        const named = { name: user, ...(metadata.namespace ? { namespace: metadata.namespace } : {}) };
        await scene.create({ kind, apiVersion, metadata: named, rules: kept });
        await scene.create({
          apiVersion,
          kind: `${kind}Binding`,
          metadata: named,
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: user },
          subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
        });
      }
      return user;
    }

    for (const { left, told, sound, local } of [
      { left: [], told: [], sound: 'healthy observed 0', local: 'failing observed 1' },
      {
        left: ['forward'],
        told: ['pods/portforward'],
        sound: 'healthy derived 3',
        local: 'failing observed 1',
      },
      {
        left: ['podProxy'],
        told: ['pods/proxy'],
        sound: 'healthy observed 3',
        local: 'failing observed 1',
      },
      {
        left: ['dryRun'],
        told: ['create of configmaps (dry run)'],
        sound: 'healthy observed 3',
        local: 'failing observed 1',
      },
      {
        left: ['forward', 'podProxy'],
        told: ['pods/portforward', 'pods/proxy'],
        sound: 'healthy derived 3',
        local: 'failing observed 1',
      },
      {
        left: ['forward', 'podProxy', 'dryRun'],
        told: ['create of configmaps (dry run)', 'pods/portforward', 'pods/proxy'],
        sound: 'healthy derived 3',
        local: 'healthy derived 3',
      },
    ] as const) {
      it(`${left.join(', ') || 'none'}: the other methods fail, and each is reported once`, async () => {
        const user = await userWithout(left);
        const wanted = { sound, local, told: told.map((way) => `${way} in namespace ${scene.namespace}`) };
        let last: typeof wanted | undefined;
        // Permissions are effective a moment later.
        await waitFor(
          'the permissions to count',
          async () => {
            const [one, other] = await Promise.all(
              (['sound', 'local'] as const).map((name) => doctor([name], { as: user })),
            );
            if (one === undefined || other === undefined) return false;
            const end = ({ code, of }: Seen, name: Name): string =>
              `${of(name).verdict.state} ${of(name).verdict.confidence} ${code}`;
            const lines = one.report.notLookedAt.map(unreadText).sort();
            last = { sound: end(one, 'sound'), local: end(other, 'local'), told: lines } as typeof wanted;
            return JSON.stringify(last) === JSON.stringify(wanted);
          },
          { timeout: 60_000, interval: 500 },
        ).catch(() => expect(last).to.deep.equal(wanted));
      });
    }
  });

  it('a kubelet that cannot be reached: reported once, and the other methods are used', async () => {
    const undo = await rejectPackets(network.node, 10250);
    try {
      const { code, report, of } = await doctor(['sound']);
      expect(of('sound').verdict.state).to.equal('healthy');
      expect(report.notLookedAt.map((one) => `${unreadText(one)}: ${one.why}`)).to.deep.equal([
        `pods/portforward in namespace ${scene.namespace}: unreachable`,
      ]);
      expect(report.notLookedAt[0]?.detail).to.match(/:10250: connect: connection refused$/);
      expect(code).to.equal(3);
    } finally {
      await undo();
    }
  });

  describe('addresses without a Pod', () => {
    it('that respond: the dry run passes, and what was not tested is reported', async () => {
      const { code, of } = await doctor(['by-hand']);
      const { verdict, notTried = [] } = of('by-hand');
      expect(verdict.state).to.equal('healthy');
      expect(notTried.map(({ what, why }) => `${what}: ${why}`).join()).to.match(
        /:8443: no Pod has this address/,
      );
      expect(code).to.equal(0);
    });

    it('that are closed: the dry run has the same error', async () => {
      const { code, of } = await doctor(['by-hand-closed']);
      const { verdict } = of('by-hand-closed');
      expect(verdict).to.include({ state: 'failing', confidence: 'observed', link: 'backend' });
      expect(verdict.because[0]).to.equal('endpoint-of-no-pod');
      expect(await says(scene.client, 'by-hand-closed')).to.equal(
        `Internal error occurred: ${verdict.error}`,
      );
      expect(code).to.equal(1);
    });
  });

  describe('a Pod whose address the proxies of the API server refuse: "address not allowed"', () => {
    it('is no network problem if calls pass', async () => {
      const { report, of } = await doctor(['looped']);
      // The endpoint names a Pod that has another address.
      expect(of('looped').verdict.because).to.deep.equal(['endpoint-of-no-pod']);
      expect(report.findings.filter(({ link }) => link === 'network')).to.deep.equal([]);
      expect(await says(scene.client, 'looped')).to.equal('created');
    });

    it('is not the cause of calls that fail', async () => {
      const { report, of } = await doctor(['looped-closed']);
      const { verdict } = of('looped-closed');
      expect(verdict).to.include({ state: 'failing', confidence: 'observed' });
      expect(await says(scene.client, 'looped-closed')).to.equal(`Internal error occurred: ${verdict.error}`);
      expect(verdict.because[0]).to.equal('endpoint-of-no-pod');
      expect(report.findings.map(({ check }) => check)).to.not.include('address-not-allowed');
    });
  });

  it('a program that ends at a GET: at most one of its Pods is restarted, and it is healthy', async () => {
    const { of } = await doctor(['brittle']);
    expect(of('brittle').verdict).to.include({ state: 'healthy', confidence: 'observed' });
    const pods = await scene.client.list('v1', 'Pod', scene.namespace, 'app=brittle');
    const restarts = pods.map(({ status }) => status.containerStatuses[0].restartCount as number);
    expect(restarts.reduce((sum, one) => sum + one)).to.be.at.most(1);
  });

  describe('an API server that routes to endpoints', () => {
    let second: Awaited<ReturnType<typeof endpointRoutingApiServer>>;
    before(async function () {
      this.timeout(120_000);
      second = await endpointRoutingApiServer();
    });
    after(() => second?.stop());

    it('its dry runs show the routing mode, and so every error', async () => {
      const { of } = await doctor(['sound', 'local', 'both', 'headless'], { at: second.kubeconfig });
      const [closed] = await podIps('local');
      const refused = (name: Name): string =>
        `failed calling webhook "${name}.example.com": failed to call webhook: ` +
        `Post "https://${name}.${scene.namespace}.svc:443/validate?timeout=5s": ` +
        `dial tcp ${closed}:8443: connect: connection refused`;
      const states = (['sound', 'local', 'both', 'headless'] as const).map((name) => of(name).verdict.state);
      expect(states).to.deep.equal(['healthy', 'failing', 'degraded', 'healthy']);
      expect(of('local').verdict).to.deep.include({ link: 'replica', error: refused('local') });
      expect(of('both').verdict).to.deep.include({ link: 'replica', error: refused('both') });
      expect(await says(second.client, 'local')).to.equal(`Internal error occurred: ${refused('local')}`);
      expect(await says(second.client, 'headless')).to.equal('created');
      // A refused connection is not kept, so every failed call is followed by a new one.
      const said = new Set<string>();
      await waitFor('the replica that is closed to be met', async () => {
        await dialAnew(scene.client, configuration('both'));
        said.add(await says(second.client, 'both'));
        return said.size === 2;
      });
      expect([...said]).to.have.members(['created', `Internal error occurred: ${refused('both')}`]);
    });
  });
});
