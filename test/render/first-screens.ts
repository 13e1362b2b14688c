import { openConnection } from '../../src/collect/kube/open-cluster.ts';
import { type DemoApiServer, startApiServer } from '../../src/demo/api-server/server.ts';
import { clusterContent } from '../../src/demo/cluster/cluster-content.ts';
import { installation } from '../../src/demo/cluster/installation.ts';
import { node } from '../../src/demo/cluster/manifests.ts';
import { barePod, mounting } from '../../src/demo/cluster/workload-manifests.ts';
import { scenarios, shownScenarios } from '../../src/demo/scenarios/catalogue.ts';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import type { ProbeLevel } from '../../src/facts/probes.ts';
import { renderReport } from '../../src/render/render-report.ts';
import { type DoctorOptions, doctor } from '../../src/workflows/doctor.ts';
import { plugin } from '../support/plugin.ts';
import { webhook } from '../support/snapshot.ts';

/** When the newest cluster started: all times in it are relative to this one, and its Leases are renewed then. */
let now = new Date();
const minutes = (count: number): string => new Date(now.getTime() + count * 60_000).toISOString();

type Webhook = ReturnType<typeof hook>;
const hook = (
  name: string,
  service: string,
  failurePolicy: string,
  resources: readonly string[],
  groups = [''],
) => ({
  name,
  clientConfig: {
    caBundle: webhook().client.caBundle,
    service: { namespace: 'shop', name: service, port: 443 },
  },
  rules: [
    { operations: ['CREATE', 'UPDATE'], apiGroups: groups, apiVersions: ['v1'], resources, scope: '*' },
  ],
  failurePolicy,
  timeoutSeconds: 10,
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  // The API server's defaults.
  namespaceSelector: {},
  objectSelector: {},
});
const configuration = (name: string, webhooks: readonly Webhook[], annotations = {}) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name, annotations },
  webhooks,
});

const shop = [
  ...['shop', 'kube-system', 'kube-node-lease'].map((name) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
  })),
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace: 'shop', name: 'policy' },
    spec: {
      type: 'ClusterIP',
      clusterIP: '203.0.113.10',
      clusterIPs: ['203.0.113.10'],
      ports: [{ port: 443, protocol: 'TCP', targetPort: 8443 }],
    },
  },
  {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { namespace: 'shop', name: 'policy-1', labels: { 'kubernetes.io/service-name': 'policy' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['198.51.100.7'], conditions: { ready: true } }],
    ports: [{ port: 8443, protocol: 'TCP' }],
  },
];

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

/** 260 that respond, and 40 of eight uninstalled products; one of them matches everything. */
const many = [
  ...shop,
  ...range(26).map((team) =>
    configuration(
      `team-${team}`,
      range(10).map((at) => hook(`check-${at}.team-${team}.example.com`, 'policy', 'Fail', ['configmaps'])),
    ),
  ),
  ...range(8).map((product) =>
    configuration(
      `product-${product}`,
      range(5).map((at) =>
        product === 3 && at === 0
          ? hook('all.product-3.example.com', 'product-3', 'Fail', ['*/*'], ['*'])
          : hook(
              `rule-${at}.product-${product}.example.com`,
              `product-${product}`,
              at % 2 === 0 ? 'Fail' : 'Ignore',
              [['pods', 'configmaps', 'secrets', 'services', 'serviceaccounts'][at] ?? 'pods'],
            ),
      ),
    ),
  ),
];

const change = '20260101-0000-open';
const opened = () => [
  ...shop,
  configuration('policy', [hook('policy.example.com', 'gone', 'Ignore', ['pods'])], {
    [`kubectl-webhook/change-${change}`]: JSON.stringify({
      remedy: 'failopen',
      at: minutes(-18),
      until: minutes(12.5),
      steps: [
        {
          op: 'patch',
          path: '/webhooks/0/failurePolicy',
          webhook: 'policy.example.com',
          before: 'Fail',
          after: 'Ignore',
        },
      ],
    }),
  }),
];

const reading = (resources: readonly string[], group = '') => ({
  apiGroups: [group],
  resources,
  verbs: ['get', 'list'],
});
const permissions = [
  reading(
    ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'],
    'admissionregistration.k8s.io',
  ),
  reading(['namespaces']),
];

/** A cluster, and how it is examined. */
export interface Screen {
  readonly start: () => Promise<DemoApiServer>;
  readonly probe: ProbeLevel;
  readonly user?: string;
  /** Named webhooks, or a filter; default: everything. */
  readonly only?: Pick<DoctorOptions, 'callouts' | 'check'>;
  /** Maximum lines at 100 columns. */
  readonly lines: number;
}
/** Starts a cluster whose content depends on the time of its start. */
const startingNow = (content: () => Parameters<typeof startApiServer>[0]) => () => {
  now = new Date();
  return startApiServer(content());
};
const containing = (shown: typeof scenarios) =>
  startingNow(() =>
    clusterContent(
      shown.flatMap(({ parts }) => parts),
      now,
    ),
  );
const ofScenarios = (slugs: readonly string[]) =>
  containing(scenarios.filter(({ slug }) => slugs.includes(slug)));
/** Four products, all of whose Pods run on one node that is not Ready. */
const nodeLost = startingNow(() =>
  clusterContent(
    [
      ...['billing/billing-policy', 'gpu/gpu-admission', 'mesh/injector', 'payments/payments-policy'].flatMap(
        (key) =>
          installation(key, {
            deployment: { spec: { nodeSelector: { 'kubernetes.io/hostname': 'worker-lost' } } },
          }),
      ),
      node('worker-lost', { ready: false }),
    ],
    now,
  ),
);
/** Four products with one Pod each, and a webhook that waits for thirty seconds. */
const risksOnly = startingNow(() =>
  clusterContent(
    [
      ...['billing/billing-policy', 'gpu/gpu-admission', 'mesh/injector', 'payments/payments-policy'].flatMap(
        (key) => installation(key, { deployment: { replicas: 1 } }),
      ),
      ...installation('patience/patient-policy', { validating: { timeoutSeconds: 30 } }),
    ],
    now,
  ),
);
/** A new Pod that waits for a Secret while the old one serves, and a webhook that no namespace matches. */
const rolloutWaits = startingNow(() =>
  clusterContent(
    [
      ...installation('payments/payments-policy', {
        deployment: { replicas: 1, ...mounting({ secret: { secretName: 'new-certificate' } }) },
      }),
      barePod('payments/payments-policy-7d9f8b6c5d-x7k2p', { labels: { app: 'payments-policy' } }),
      ...installation('tenants/tenant-policy', {
        validating: { namespaceSelector: { matchLabels: { tenant: 'none' } } },
      }),
    ],
    now,
  ),
);
const twelveBroken = containing(shownScenarios);
/** The clusters of the first screens. */
export const screens: Readonly<Record<string, Screen>> = {
  'nothing-broken': {
    start: ofScenarios(['many-webhooks-one-service', 'dual-stack']),
    probe: 'review',
    lines: 2,
  },
  'risks-only': { start: risksOnly, probe: 'review', lines: 12 },
  'rollout-waits': { start: rolloutWaits, probe: 'review', lines: 28 },
  'one-broken': { start: ofScenarios(['crash-loop']), probe: 'review', lines: 25 },
  'node-lost': { start: nodeLost, probe: 'review', lines: 35 },
  'twelve-broken': { start: twelveBroken, probe: 'review', lines: 45 },
  // Commands for a webhook that is named, and for findings of one check.
  'one-webhook': { start: twelveBroken, probe: 'review', lines: 60, only: { callouts: ['billing-policy'] } },
  'one-check': {
    start: ofScenarios(['service-port-missing', 'dual-stack']),
    probe: 'review',
    lines: 25,
    only: { check: ['service-port-missing'] },
  },
  'forty-of-300-broken': { start: () => startApiServer({ objects: many }), probe: 'none', lines: 45 },
  'few-permissions': {
    start: () => startApiServer({ objects: many.slice(0, 8), users: { reader: permissions } }),
    probe: 'none',
    user: 'reader',
    lines: 25,
  },
  'failed-open-by-us': { start: startingNow(() => ({ objects: opened() })), probe: 'none', lines: 25 },
};

/** The report of a screen's cluster. */
export async function examine(
  kubeconfig: string,
  { probe: level, only = {} }: Screen,
): Promise<DoctorReport> {
  const { reader, prober } = await openConnection({ kubeconfig }, {});
  try {
    return await doctor(reader, { ...only, now, probe: { level, prober } });
  } finally {
    reader.close();
  }
}

/** A terminal without colours. */
export const look = { colour: false, unicode: true, wide: false, all: false };

/**
 * Commands on a screen or page, with continued lines joined: alone, beside another column,
 * or in backquotes within a sentence.
 */
export const commandsOn = (text: string): readonly string[] => {
  const joined = text.replace(/ \\\n +/g, ' ').replace(/\n +(?=kubectl webhook undo)/g, '\n');
  return [
    ...new Set(
      [
        ...joined.matchAll(
          /\bkubectl (?!options)[a-z-](?:'[^']*'|.)*?(?= {2}|$|`| \|(?! kubectl)| \(--|")/gm,
        ),
      ].map(([line]) => line),
    ),
  ];
};

/** The visible text of a page, a line for each element. */
const textOf = (html: string | undefined): string =>
  (html ?? '')
    .replace(/<(script|style)[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]*>/g, '\n')
    .replace(/&(lt|gt|quot|#39|amp);/g, (_, entity: string) => entities[entity] ?? '');
const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };

/** Everything that a report shows: in terminals, details, pages and chats. */
export const textsOf = async (report: DoctorReport): Promise<string> => {
  const texts = await Promise.all([
    ...[80, 100, 120].flatMap((width) => [
      renderReport(report, undefined, { ...look, width }),
      renderReport(report, undefined, { ...look, width, details: true }),
    ]),
    ...(['brief', 'markdown'] as const).map((format) =>
      renderReport(report, format, { ...look, width: 100 }),
    ),
    renderReport(report, 'html', { ...look, width: 100 }).then(textOf),
  ]);
  return texts.join('\n');
};

/** What other commands print on the cluster: tables, certificates, recorded changes, and what can be fixed. */
export const othersOf = (kubeconfig: string): Promise<readonly string[]> =>
  Promise.all(
    ['list -o wide', 'cert-check', 'cert-check -o wide', 'changes', 'fix'].map(async (words) => {
      const { stdout, stderr } = await plugin(words.split(' '), { KUBECONFIG: kubeconfig });
      return `${stdout}${stderr}`;
    }),
  );
