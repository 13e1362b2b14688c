import { expect } from 'chai';
import type { OpenProber } from '../../src/collect/cluster-prober.ts';
import type { ClusterReader } from '../../src/collect/cluster-reader.ts';
import { openConnection } from '../../src/collect/kube/open-cluster.ts';
import type { NotLookedAt } from '../../src/diagnose/report.ts';
import { alerts } from '../../src/workflows/alerts.ts';
import { certCheck } from '../../src/workflows/cert-check.ts';
import { doctor } from '../../src/workflows/doctor.ts';
import { validatingWebhook } from '../cluster/backend-pods.ts';
import type { KubeObject } from '../cluster/client.ts';
import type { Scene } from '../cluster/scene.ts';
import { apiServer, needs, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { authority } from '../support/certificates.ts';
import { plugin } from '../support/plugin.ts';
import { type RequestedRight, rightText } from '../support/requested-right.ts';
import { inTurns, type Role, rightsOf, without } from './printed-roles.ts';

/**
 * A backend of which everything gives cause to look closely: a replica that crashed, one that waits on a node for its
 * Secret, an endpoint that no selector brings. There is no node behind it: what a kubelet would say is an error, and no
 * refusal.
 */
async function furnish(scene: Scene): Promise<void> {
  const { namespace } = scene;
  const labels = { app: 'guard' };
  const mountPath = '/tmp/k8s-webhook-server/serving-certs';
  const container = {
    name: 'webhook',
    image: 'guard',
    ports: [{ containerPort: 8443 }],
    volumeMounts: [{ name: 'tls', mountPath }],
  };
  const volumes = [{ name: 'tls', secret: { secretName: 'guard-tls' } }];
  const pod = (name: string, metadata: object = { labels }): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...metadata },
    spec: { nodeName: 'nowhere', containers: [container], volumes },
  });
  await scene.create({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'guard' },
    spec: { selector: labels, ports: [{ port: 443, targetPort: 8443 }] },
  });
  await Promise.all([
    scene.create(pod('guard-crashed')),
    scene.create(pod('guard-waiting')),
    scene.create(pod('stranger', {})),
    ...['Certificate', 'Issuer', 'ClusterIssuer'].map((kind) => scene.create(definitionOf(kind))),
  ]);
  const crashed = { ...pod('guard-crashed'), metadata: { name: 'guard-crashed', namespace } };
  await scene.client.patch(
    crashed,
    {
      status: {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'False' }],
        containerStatuses: [
          {
            name: 'webhook',
            image: 'guard',
            imageID: '',
            ready: false,
            restartCount: 3,
            state: { waiting: { reason: 'CrashLoopBackOff' } },
            lastState: { terminated: { exitCode: 1, reason: 'Error', containerID: 'c' } },
          },
        ],
      },
    },
    'status',
  );
  await scene.create({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'guard', labels: { 'kubernetes.io/service-name': 'guard' } },
    addressType: 'IPv4',
    ports: [{ name: '', port: 8443, protocol: 'TCP' }],
    endpoints: ['guard-crashed', 'stranger'].map((name, at) => ({
      addresses: [`192.0.2.${at + 21}`],
      conditions: { ready: true },
      targetRef: { kind: 'Pod', name, namespace },
    })),
  });
  const { cert } = await authority({ cn: 'guard-ca' });
  const configuration = validatingWebhook(namespace, {
    service: 'guard',
    caBundle: cert,
    webhook: { timeoutSeconds: 1 },
  });
  const annotations = { 'cert-manager.io/inject-ca-from': `${namespace}/guard` };
  await scene.create({ ...configuration, metadata: { ...configuration.metadata, annotations } });
  const kinds = ['Issuer', 'ClusterIssuer'];
  for (const kind of ['Certificate', ...kinds])
    await waitFor(`${kind}s to be served`, () =>
      scene.client.list('cert-manager.io/v1', kind, namespace).then(() => true),
    );
  await Promise.all(
    kinds.map((kind) =>
      scene.create({
        apiVersion: 'cert-manager.io/v1',
        kind: 'Certificate',
        metadata: { name: `guard-${kind.toLowerCase()}` },
        spec: { secretName: 'guard-tls', issuerRef: { kind, name: 'guard' } },
      }),
    ),
  );
}

/** A kind of cert-manager's, as far as anybody here looks. */
const definitionOf = (kind: string): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${kind.toLowerCase()}s.cert-manager.io` },
  spec: {
    group: 'cert-manager.io',
    scope: kind.startsWith('Cluster') ? 'Cluster' : 'Namespaced',
    names: {
      plural: `${kind.toLowerCase()}s`,
      singular: kind.toLowerCase(),
      kind,
      listKind: `${kind}List`,
    },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
});

type Seen = { readonly notLookedAt: readonly NotLookedAt[] };

/** Looks as somebody else, in this process: a process for each would take minutes. */
async function as<T>(
  user: string,
  kubeconfig: string,
  look: (reader: ClusterReader, prober: OpenProber) => Promise<T>,
): Promise<T> {
  const { reader, prober } = await openConnection({ kubeconfig, as: user }, {}, undefined, {});
  try {
    return await look(reader, prober);
  } finally {
    reader.close();
  }
}

/** A refusal of /metrics is told to whoever asks for rates. */
const asksForRates = (left: RequestedRight | undefined): boolean =>
  left === undefined || left.resource === '/metrics';

const doctorAs = (kubeconfig: string, user: string, left: RequestedRight | undefined): Promise<Seen> =>
  as(user, kubeconfig, (reader, prober) =>
    doctor(reader, {
      callouts: [],
      deep: true,
      check: [],
      skip: [],
      severity: 'info',
      now: new Date(),
      probe: { level: 'review', prober },
      ...(asksForRates(left) ? { sample: 1 } : {}),
    }),
  );

const certCheckAs = (kubeconfig: string, user: string): Promise<Seen> =>
  as(user, kubeconfig, (reader, prober) => certCheck(reader, { callouts: [], now: new Date(), prober }));

const alertsAs = (kubeconfig: string, user: string): Promise<Seen> =>
  as(user, kubeconfig, (reader) => alerts(reader, []));

const forbidden = ({ notLookedAt }: Seen) => notLookedAt.filter(({ why }) => why === 'forbidden');

const isAbout =
  ({ group, resource, verb }: RequestedRight) =>
  ({ allow }: NotLookedAt): boolean =>
    allow?.verbs.includes(verb) === true &&
    (allow.nonResourceURLs?.includes(resource) === true ||
      (allow.apiGroups.includes(group) && allow.resources.includes(resource)));

/** Rights for what a webhook did to others, which nothing here has met. */
const notMet: readonly string[] = [
  'get configmaps',
  'get customresourcedefinitions.apiextensions.k8s.io',
  'get daemonsets.apps',
  'get deployments.apps',
  'get jobs.batch',
  'get namespaces',
  'get persistentvolumeclaims',
  'get replicasets.apps',
  'get statefulsets.apps',
];

describe('rights', () => {
  needs('api-server');
  const scene = useScene(apiServer);

  for (const [command, look] of [
    ['doctor', doctorAs],
    ['cert-check', certCheckAs],
    ['alerts', alertsAs],
  ] as const) {
    it(`${command}: with exactly the printed roles nothing is refused, and without any one right exactly that is told`, async () => {
      await furnish(scene);
      const { kubeconfig } = scene;
      const printed = await plugin(['rbac', command, '-o', 'json', '--kubeconfig', kubeconfig]);
      const roles: readonly Role[] = JSON.parse(printed.stdout).items;
      const rights = rightsOf(roles);
      const users = [undefined, ...rights].map((left, at) => ({
        left,
        name: `${command}-${scene.namespace}-${at}`,
      }));
      await inTurns(users, async ({ left, name }) => {
        for (const object of without(roles, left, name)) await scene.create(object);
      });
      const seen = new Set<string>();
      await inTurns(users, async ({ left, name }) => {
        const wanted = left === undefined ? 'nothing' : `no more than ${rightText(left)}`;
        let last = '';
        await waitFor(
          `${name} to miss ${wanted}`,
          async () => {
            const missing = forbidden(await look(kubeconfig, name, left));
            last = JSON.stringify(missing.map(({ what, allow }) => [what, allow]));
            if (left === undefined) return missing.length === 0;
            if (missing.length > 0 && missing.every(isAbout(left))) seen.add(rightText(left));
            return (
              missing.every(isAbout(left)) && (seen.has(rightText(left)) || notMet.includes(rightText(left)))
            );
          },
          { timeout: 60_000, interval: 300 },
        ).catch((error: Error) => {
          throw new Error(`${error.message}\n${last}`);
        });
      });
      expect(
        rights.map(rightText).filter((right) => !seen.has(right) && !notMet.includes(right)),
      ).to.deep.equal([]);
    }).timeout(170_000);
  }
});
