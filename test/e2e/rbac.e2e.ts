import { expect } from 'chai';
import { openChangeTools } from '../../src/change/change-tools.ts';
import type { ClusterReader, OpenProber } from '../../src/collect/cluster.ts';
import { openConnection } from '../../src/collect/kube/open-cluster.ts';
import { recordKey } from '../../src/facts/change-record.ts';
import type { StuckObjectName } from '../../src/facts/stuck-object.ts';
import type { NotLookedAt } from '../../src/facts/unread.ts';
import { alerts } from '../../src/workflows/alerts.ts';
import { certCheck } from '../../src/workflows/cert-check.ts';
import { listChanges } from '../../src/workflows/change/list-changes.ts';
import { valueSources } from '../../src/workflows/completion/values.ts';
import { doctor } from '../../src/workflows/doctor.ts';
import { scan } from '../../src/workflows/scan/scan.ts';
import { soak } from '../../src/workflows/soak/soak.ts';
import { validatingWebhook } from '../cluster/backend-pods.ts';
import type { KubeObject } from '../cluster/client.ts';
import type { Scene } from '../cluster/scene.ts';
import { apiServer, needs, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { authority } from '../support/certificates.ts';
import { fileWith, plugin } from '../support/plugin.ts';
import { permissionText, type RequestedPermission } from '../support/requested-permission.ts';
import { furnishEffects, sentenceOf, webhooks } from './effects-on-paper.ts';
import { inTurns, permissionsOf, type Role, without } from './printed-roles.ts';

/**
 * A backend for which doctor reads everything: a crashed replica, one that waits on a node for its Secret and
 * ConfigMap, an endpoint outside of the selector. There is no node: a request to its kubelet is an error, not
 * a refusal.
 */
async function furnish(scene: Scene): Promise<void> {
  const { namespace } = scene;
  const labels = { app: 'guard' };
  const mountPath = '/tmp/k8s-webhook-server/serving-certs';
  const container = {
    name: 'webhook',
    image: 'guard',
    ports: [{ containerPort: 8443 }],
    volumeMounts: [
      { name: 'tls', mountPath },
      { name: 'authority', mountPath: '/apiserver.local.config/certificates' },
    ],
  };
  const volumes = [
    { name: 'tls', secret: { secretName: 'guard-tls' } },
    { name: 'authority', configMap: { name: 'guard-authority' } },
  ];
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
    ...Object.entries(ofProducts).flatMap(([version, kinds]) =>
      kinds.map((kind) => scene.create(definitionOf(version, kind))),
    ),
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
  await furnishEffects(scene);
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

/** Kinds of other products that doctor reads where they are served. */
const ofProducts = {
  'cert-manager.io/v1': ['Certificate', 'Issuer', 'ClusterIssuer'],
  'cilium.io/v2': ['CiliumNetworkPolicy', 'CiliumClusterwideNetworkPolicy'],
  'crd.projectcalico.org/v1': ['NetworkPolicy', 'GlobalNetworkPolicy'],
};

/** The CRD of a kind, without a schema. */
function definitionOf(groupVersion: string, kind: string): KubeObject {
  const [group = '', version = ''] = groupVersion.split('/');
  const singular = kind.toLowerCase();
  const plural = singular.endsWith('y') ? `${singular.slice(0, -1)}ies` : `${singular}s`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: /Cluster|Global/.test(kind) ? 'Cluster' : 'Namespaced',
      names: { plural, singular, kind, listKind: `${kind}List` },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  };
}

type Seen = { readonly notLookedAt: readonly NotLookedAt[] };

/** Runs as another user, in this process: separate processes would take minutes. */
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

/** A refusal of /metrics is reported only if rates are requested. */
const asksForRates = (left: RequestedPermission | undefined): boolean =>
  left === undefined || left.resource === '/metrics';

/** The start of the search, in a separate run: only there these kinds are read by name. */
const victims = [
  { kind: 'Namespace', name: 'default', permission: 'get namespaces' },
  {
    kind: 'CustomResourceDefinition',
    name: 'issuers.cert-manager.io',
    permission: 'get customresourcedefinitions.apiextensions.k8s.io',
  },
] as const;

const guard = { webhook: 'guard.example.com', service: 'guard' };

/** Nodes are read one by one only if no Pod waits for taints. */
const oneByOne = (left: RequestedPermission | undefined): boolean =>
  left !== undefined && permissionText(left) === 'get nodes';

async function doctorAs(
  kubeconfig: string,
  user: string,
  left: RequestedPermission | undefined,
  { namespace }: Scene,
): Promise<Seen> {
  const whole = { callouts: [] };
  const one = { callouts: [`guard-${namespace}`] };
  const starts = victims.map(({ permission, ...from }) => ({ permission, callouts: [], from }));
  const fitting = starts.filter(
    ({ permission }) => left !== undefined && permission === permissionText(left),
  );
  const looks =
    left === undefined
      ? [whole, one, ...starts]
      : oneByOne(left)
        ? [one]
        : fitting.length > 0
          ? fitting
          : [whole];
  const seen: Seen[] = [];
  for (const { callouts, ...look } of looks)
    seen.push(
      await as(user, kubeconfig, (reader, prober) =>
        doctor(reader, {
          callouts,
          ...('from' in look ? { from: look.from as StuckObjectName } : {}),
          deep: true,
          now: new Date(),
          probe: { level: 'review', prober },
          ...(asksForRates(left) ? { sample: 1 } : {}),
        }),
      ),
    );
  return { notLookedAt: seen.flatMap(({ notLookedAt }) => notLookedAt) };
}

const certCheckAs = (kubeconfig: string, user: string): Promise<Seen> =>
  as(user, kubeconfig, (reader, prober) => certCheck(reader, { callouts: [], now: new Date(), prober }));

/** One log line is enough to examine the cluster. */
const scanAs = async (
  kubeconfig: string,
  user: string,
  left: RequestedPermission | undefined,
  scene: Scene,
): Promise<Seen> => {
  const failing = [guard, ...(oneByOne(left) ? [] : webhooks)];
  const lines = failing.map(
    (one) => `E0101 00:00:00.000000 1 dispatcher.go:225] ${sentenceOf(one, scene.namespace)}\n`,
  );
  const { notLookedAt = [], notLive } = await scan({
    source: fileWith(lines.join(''), 'log'),
    now: new Date(),
    signal: new AbortController().signal,
    cluster: { flags: { kubeconfig, as: user }, milliseconds: 80_000 },
  });
  if (notLive !== undefined) throw new Error(notLive);
  return { notLookedAt: notLookedAt as readonly NotLookedAt[] };
};

const alertsAs = (kubeconfig: string, user: string): Promise<Seen> =>
  as(user, kubeconfig, (reader) => alerts(reader, []));

const forbidden = ({ notLookedAt }: Seen) => notLookedAt.filter(({ why }) => why === 'forbidden');

const isAbout =
  ({ group, resource, verb }: RequestedPermission) =>
  ({ allow }: NotLookedAt): boolean =>
    allow?.verbs.includes(verb) === true &&
    (allow.nonResourceURLs?.includes(resource) === true ||
      (allow.apiGroups.includes(group) && allow.resources.includes(resource)));

describe('permissions', () => {
  needs('api-server');
  const scene = useScene(apiServer);

  for (const [command, look] of [
    ['doctor', doctorAs],
    ['cert-check', certCheckAs],
    ['alerts', alertsAs],
    ['scan', scanAs],
  ] as const) {
    it(`${command}: with exactly the printed roles nothing is refused, and without any one permission exactly that is reported`, async () => {
      await furnish(scene);
      const { kubeconfig } = scene;
      const printed = await plugin(['rbac', command, '-o', 'json', '--kubeconfig', kubeconfig]);
      const roles: readonly Role[] = JSON.parse(printed.stdout).items;
      const permissions = permissionsOf(roles);
      const users = [undefined, ...permissions].map((left, at) => ({
        left,
        name: `${command}-${scene.namespace}-${at}`,
      }));
      await inTurns(users, async ({ left, name }) => {
        for (const object of without(roles, left, name)) await scene.create(object);
      });
      const seen = new Set<string>();
      await inTurns(users, async ({ left, name }) => {
        const wanted = left === undefined ? 'nothing' : `no more than ${permissionText(left)}`;
        let last = '';
        await waitFor(
          `${name} to miss ${wanted}`,
          async () => {
            const missing = forbidden(await look(kubeconfig, name, left, scene));
            last = JSON.stringify(missing.map(({ what, allow }) => [what, allow]));
            if (left === undefined) return missing.length === 0;
            if (missing.length > 0 && missing.every(isAbout(left))) seen.add(permissionText(left));
            return missing.every(isAbout(left)) && seen.has(permissionText(left));
          },
          { timeout: 60_000, interval: 300 },
        ).catch((error: Error) => {
          throw new Error(`${error.message}\n${last}`);
        });
      });
      expect(permissions.map(permissionText).filter((permission) => !seen.has(permission))).to.deep.equal([]);
    }).timeout(170_000);
  }

  /** `verb resource` of each request that the API server refused, from its errors. */
  const refusedIn = (text: string): readonly string[] =>
    [
      ...new Set(
        [...text.matchAll(/cannot (\w+) resource \\?"([\w-]+)\\?"/g)].map(
          ([, verb, resource]) => `${verb} ${resource}`,
        ),
      ),
    ].toSorted();
  const plainly = ({ verb, resource }: RequestedPermission): string => `${verb} ${resource}`;

  /**
   * Each user lacks one permission of the printed roles, the first none; checks that each report has the
   * expected line.
   */
  async function eachWithout(
    command: string,
    told: (user: string) => Promise<string>,
    wanted: (left: string | undefined) => readonly string[],
  ): Promise<void> {
    const printed = await plugin(['rbac', command, '-o', 'json', '--kubeconfig', scene.kubeconfig]);
    const roles: readonly Role[] = JSON.parse(printed.stdout).items;
    const users = [undefined, ...permissionsOf(roles)].map((left, at) => ({
      left,
      name: `${command}-${scene.namespace}-${at}`,
    }));
    await inTurns(users, async ({ left, name }) => {
      for (const object of without(roles, left, name)) await scene.create(object);
    });
    await inTurns(users, async ({ left, name }) => {
      const expected = wanted(left && plainly(left)).join();
      let last = '';
      await waitFor(
        `${name} without ${left === undefined ? 'nothing' : plainly(left)}`,
        async () => {
          last = await told(name);
          return refusedIn(last).join() === expected;
        },
        { timeout: 30_000, interval: 300 },
      ).catch((error: Error) => {
        throw new Error(`${error.message}: not "${expected}" but ${last}`);
      });
    });
  }
  const only = (left: string | undefined): readonly string[] => (left === undefined ? [] : [left]);

  it('changes: a record or object that could not be read is reported with the permission for it', async () => {
    const { namespace, kubeconfig } = scene;
    const remembering = (at: number, steps: readonly object[]) => ({
      [recordKey(`20260101-00000${at}-abc`)]: JSON.stringify({
        remedy: 'flip-failure-policy',
        at: '2026-01-01T00:00:00Z',
        steps,
      }),
    });
    const labelled = [{ op: 'patch', path: '/metadata/labels/changed', after: 'yes' }];
    const labels = { app: 'guard' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a' }] } };
    const workload = { selector: { matchLabels: labels }, template };
    const scaled = { kind: 'ReplicaSet', namespace, name: 'guard' };
    const renewed = { kind: 'Certificate', namespace, name: 'guard' };
    const released = { kind: 'Lease', namespace, name: 'guard' };
    await scene.client.patch({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, {
      metadata: {
        labels: { changed: 'yes' },
        annotations: {
          ...remembering(0, labelled),
          ...remembering(1, [{ op: 'scale', path: '/spec/replicas', object: scaled, before: 2, after: 0 }]),
          ...remembering(2, [
            { op: 'patch', path: '/status/conditions', subresource: 'status', object: renewed, after: [] },
            { op: 'patch', path: '/spec/holderIdentity', object: released, after: '' },
          ]),
        },
      },
    } as object);
    const carrier = (at: number, object: object, name = 'guard'): KubeObject =>
      ({
        ...object,
        metadata: { name, labels: { changed: 'yes' }, annotations: remembering(at, labelled) },
      }) as unknown as KubeObject;
    const service = { namespace, name: 'guard' };
    await Promise.all([
      scene.create(
        carrier(
          3,
          { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' },
          namespace,
        ),
      ),
      scene.create(
        carrier(
          4,
          { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'MutatingWebhookConfiguration' },
          namespace,
        ),
      ),
      scene.create({
        ...definitionOf('cert-manager.io/v1', 'Certificate'),
        metadata: {
          ...carrier(5, definitionOf('cert-manager.io/v1', 'Certificate')).metadata,
          name: 'certificates.cert-manager.io',
        },
      }),
      scene.create(
        carrier(
          6,
          {
            apiVersion: 'apiregistration.k8s.io/v1',
            kind: 'APIService',
            spec: {
              group: 'guard.example.com',
              version: 'v1',
              groupPriorityMinimum: 100,
              versionPriority: 100,
              insecureSkipTLSVerify: true,
              service,
            },
          },
          'v1.guard.example.com',
        ),
      ),
      scene.create(carrier(7, { apiVersion: 'v1', kind: 'Service', spec: { ports: [{ port: 443 }] } })),
      scene.create(carrier(8, { apiVersion: 'apps/v1', kind: 'Deployment', spec: workload })),
      scene.create(
        carrier(9, {
          apiVersion: 'apps/v1',
          kind: 'StatefulSet',
          spec: { ...workload, serviceName: 'guard' },
        }),
      ),
      scene.create(carrier(0, { apiVersion: 'apps/v1', kind: 'DaemonSet', spec: workload }, 'other')),
      scene.create(
        carrier(1, {
          apiVersion: 'policy/v1',
          kind: 'PodDisruptionBudget',
          spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
        }),
      ),
      scene.create({
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: { name: 'guard' },
        spec: { ...workload, replicas: 0 },
      }),
    ]);
    const told = async (user: string): Promise<string> => {
      const tools = await openChangeTools({ kubeconfig, as: user }, { XDG_STATE_HOME: fileWith('', 'none') });
      try {
        return JSON.stringify(await listChanges(tools));
      } finally {
        tools.close();
      }
    };
    await eachWithout('changes', told, only);
  }).timeout(170_000);

  it('completion: without a permission it is empty if the permission is needed, and complete otherwise', async () => {
    const { namespace, kubeconfig } = scene;
    const { cert } = await authority({ cn: 'guard-ca' });
    await scene.create(validatingWebhook(namespace, { service: 'guard', caBundle: cert }));
    const questions = [
      ['WEBHOOK', ''],
      ['WEBHOOK', `guard-${namespace}/`],
      ['WEBHOOK', 'crd/'],
      ['WEBHOOK', 'apiservice/'],
      ['NAMESPACE', ''],
    ] as const;
    const told = async (user: string): Promise<string> => {
      const signal = AbortSignal.timeout(20_000);
      const answers = await Promise.all(
        questions.map(([kind, typed]) =>
          valueSources[kind]?.({ typed, flags: { kubeconfig, as: user }, signal }).then(
            (values) => `${values.length} words`,
            (error: Error) => error.message,
          ),
        ),
      );
      return answers.join('\n');
    };
    await eachWithout('completion', told, only);
  }).timeout(170_000);

  it('soak: what is missing to read a webhook, an object or to make its dry runs is reported', async () => {
    const { namespace, kubeconfig } = scene;
    const { cert } = await authority({ cn: 'guard-ca' });
    const configuration = validatingWebhook(namespace, { service: 'gone', caBundle: cert });
    configuration.webhooks[0].rules[0].operations = ['CREATE'];
    await scene.create(configuration);
    const given = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: soak, namespace: ${namespace}}\n`;
    const soaking = (user: string, object: string | undefined): Promise<string> =>
      as(user, kubeconfig, (reader, prober) =>
        soak(reader, prober, {
          callout: `gone-${namespace}`,
          rate: 10,
          length: 200,
          interrupted: new AbortController().signal,
          now: new Date(),
          ...(object === undefined ? {} : { object }),
        }),
      ).then(
        (report) => JSON.stringify(report),
        (error: Error) => error.message,
      );
    await eachWithout(
      'soak',
      async (user) => (await Promise.all([soaking(user, given), soaking(user, undefined)])).join('\n'),
      only,
    );
  }).timeout(170_000);
});
