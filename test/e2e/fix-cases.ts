import type { Client, KubeObject } from '../cluster/client.ts';
import { waitFor } from '../cluster/wait.ts';
import { type Authority, issue } from '../support/certificates.ts';

/** One fault, and the remedy for it. */
export interface FixCase {
  readonly remedy: string;
  /** Distinguishes cases of one remedy. */
  readonly name?: string;
  /** The check whose finding is fixed. */
  readonly check: string;
  /** Changes the healthy objects (Secret, Service, Deployment, configuration) before they are created. */
  readonly broken: (objects: FixObjects) => void;
  /** Arguments of the backend. */
  readonly args?: (namespace: string) => readonly string[];
  /** The number of writes of the first step. */
  readonly writes?: number;
  /** Further objects, created in the namespace before the Deployment. */
  readonly beside?: readonly KubeObject[];
  readonly withoutSecret?: true;
  /** Runs when the Pods run. */
  readonly next?: (objects: FixObjects, client: Client) => Promise<unknown>;
  /** The action of another client while the remedy is applied. */
  readonly meanwhile?: (objects: FixObjects, client: Client) => Promise<unknown>;
  /** A controller processes the change at once. */
  readonly takenUp?: true;
  /** Another process writes the field from then on: an undo changes nothing, and reports this. */
  readonly usedSince?: RegExp;
  /** The other action remains after an undo: the fault does not return. */
  readonly heals?: true;
  /** A warning before the confirmation. */
  readonly warns?: RegExp;
  /** Nothing is changed; this is printed for the owner of the object. */
  readonly print?: RegExp;
  /** Nothing is changed: the remedy would do harm here, and reports that. */
  readonly refused?: RegExp;
  /** Another remedy for the same finding that would do harm, and its message. */
  readonly refuses?: readonly [remedy: string, because: RegExp];
  /** The number of Pods that must be Ready before the fault counts. */
  readonly replicas?: number;
  readonly flags?: readonly string[];
  /** The API server's response before the fix; `created` if nothing is refused. */
  readonly before: RegExp;
  /** The call does not change: the API server may use an existing connection. */
  readonly keepsConnection?: true;
}

/** The objects of one case, in a separate namespace. */
export interface FixObjects {
  readonly namespace: string;
  readonly secret: KubeObject;
  readonly service: KubeObject;
  readonly deployment: KubeObject;
  readonly configuration: KubeObject;
  /** Signed the serving certificate. */
  readonly ca: Authority;
  /** PEM of another CA. */
  readonly otherCa: string;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const callFailed = /failed calling webhook "guard\.example\.com"/;

const rule = (over: object) => ({ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], ...over });
const serving = ({ deployment }: FixObjects) => deployment.spec.template.spec;

/** The permission of a namespace's Pods to elect a leader. */
export const leases: readonly KubeObject[] = [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'leader' },
    rules: [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['*'] }],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'leader' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'leader' },
    subjects: [{ kind: 'ServiceAccount', name: 'default' }],
  },
];

const inNamespace = (namespace: string, apiVersion: string, kind: string, name: string) => ({
  apiVersion,
  kind,
  metadata: { name, namespace },
});

const definitionOf = (
  singular: string,
  kind: string,
  subresources: Readonly<Record<string, unknown>>,
): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${singular}s.cert-manager.io` },
  spec: {
    group: 'cert-manager.io',
    scope: 'Namespaced',
    names: { plural: `${singular}s`, singular, kind },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
});

/** The CRD of cert-manager's Certificate, with the fields that remedies use. */
export const certificateDefinition = definitionOf('certificate', 'Certificate', { status: {} });

/** The CRD of cert-manager's Issuer; an Issuer is created with its status. */
export const issuerDefinition = definitionOf('issuer', 'Issuer', {});

export const certificateOf = (namespace: string) =>
  inNamespace(namespace, 'cert-manager.io/v1', 'Certificate', 'guard');

/** A serving certificate that the Secret does not contain yet. */
async function anotherSecret({ namespace, ca, secret }: FixObjects): Promise<KubeObject> {
  const { cert, key } = await issue(ca, { dns: [`guard.${namespace}.svc`] });
  const stringData = { ...secret.stringData, 'tls.crt': cert, 'tls.key': key };
  return { ...secret, metadata: { ...secret.metadata, namespace }, stringData };
}

/** The action of cert-manager for a Certificate that must be issued. */
async function issueOnce(objects: FixObjects, client: Client): Promise<void> {
  const { namespace } = objects;
  const certificate = certificateOf(namespace);
  await waitFor(
    'the Certificate to be issued',
    async () => {
      const { conditions = [] } = (await client.get(certificate))?.status ?? {};
      return conditions.some(
        ({ type, status }: { type: string; status: string }) => type === 'Issuing' && status === 'True',
      );
    },
    { timeout: 150_000 },
  );
  await client.create(await anotherSecret(objects));
  const conditions = [
    { type: 'Ready', status: 'True', reason: 'Ready', message: 'Certificate is up to date' },
  ];
  await client.patch(certificate, { status: { conditions } }, 'status');
  // A new Pod does not wait for the kubelet's next retry.
  for (const { metadata } of await client.list('v1', 'Pod', namespace))
    await client.delete({ apiVersion: 'v1', kind: 'Pod', metadata }, 0);
}

/** A rollout of an image that does not exist. */
async function rollOutNoImage(objects: FixObjects, client: Client): Promise<void> {
  const { namespace } = objects;
  const [container] = serving(objects).containers;
  const template = { spec: { containers: [{ ...container, image: 'localhost/nope:1' }] } };
  await client.patch(inNamespace(namespace, 'apps/v1', 'Deployment', 'guard'), { spec: { template } });
  await waitFor(
    'the kubelet to miss the image',
    async () =>
      (await client.list('v1', 'Pod', namespace)).some(
        ({ status }) => status.containerStatuses?.[0]?.state.waiting?.reason === 'ErrImageNeverPull',
      ),
    { timeout: 150_000 },
  );
}

/** The slowest cases come first. */
export const fixCases: readonly FixCase[] = [
  {
    remedy: 'restart-workload',
    name: 'restart-workload-of-its-own-pods',
    check: 'replica-hangs',
    args: () => ['--fault', 'hang-http'],
    broken: (objects) => {
      delete serving(objects).containers[0].readinessProbe;
      objects.configuration.webhooks[0].timeoutSeconds = 1;
    },
    replicas: 1,
    // Its own Pod must not match it.
    next: async ({ configuration }, client) => {
      const [webhook] = configuration.webhooks;
      const rules = [...webhook.rules, rule({ resources: ['pods'] })];
      await client.patch(configuration, { webhooks: [{ ...webhook, rules }] });
    },
    refused:
      /^guard\.example\.com intercepts new Pods of Deployment \S+\/guard, and does not respond: exclude/,
    before: /context deadline exceeded/,
  },
  {
    remedy: 'set-timeout',
    name: 'set-timeout-of-a-slow-one',
    check: 'timeout-too-long',
    args: () => ['--delay', '2600ms'],
    broken: ({ configuration }) => {
      configuration.webhooks[0].timeoutSeconds = 30;
    },
    replicas: 1,
    refused: /^A response took \d\.\d s: with 5 s, some calls would fail\. Make the webhook faster/,
    before: /^created$/,
  },
  {
    remedy: 'scale-to-one',
    check: 'leader-gated-listener',
    args: (namespace) => ['--leader-gated', 'listener', '--lease', `${namespace}/guard`],
    beside: leases,
    broken: (objects) => {
      delete serving(objects).containers[0].readinessProbe;
    },
    replicas: 2,
    next: ({ namespace }, client) =>
      waitFor(
        'a leader',
        async () => {
          const lease = await client.get(inNamespace(namespace, 'coordination.k8s.io/v1', 'Lease', 'guard'));
          return Boolean(lease?.spec.holderIdentity);
        },
        { timeout: 150_000 },
      ),
    refuses: ['scale-up', /^Only .* serves: with more replicas, more calls fail\.$/],
    before: /^created$|connection refused/,
  },
  {
    remedy: 'release-lease',
    check: 'leader-lease-stale',
    args: (namespace) => ['--leader-gated', 'listener', '--lease', `${namespace}/guard`],
    beside: [
      ...leases,
      {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'guard' },
        spec: {
          holderIdentity: 'guard-bcdfg-zzzzz_0a1b2c3d',
          leaseDurationSeconds: 86400,
          renewTime: new Date(Date.now() - 600_000).toISOString().replace('Z', '000Z'),
        },
      },
    ],
    broken: (objects) => {
      delete serving(objects).containers[0].readinessProbe;
    },
    replicas: 1,
    usedSince: /holderIdentity/,
    before: /connection refused/,
  },
  {
    remedy: 'renew-certificate',
    check: 'certificate-not-issued',
    beside: [
      {
        apiVersion: 'cert-manager.io/v1',
        kind: 'Issuer',
        metadata: { name: 'ca' },
        status: { conditions: [{ type: 'Ready', status: 'True' }] },
      },
      {
        apiVersion: 'cert-manager.io/v1',
        kind: 'Certificate',
        metadata: { name: 'guard' },
        spec: { secretName: 'guard', issuerRef: { name: 'ca' } },
      },
    ],
    withoutSecret: true,
    broken: () => undefined,
    next: async ({ namespace }, client) => {
      const conditions = [{ type: 'Ready', status: 'False', reason: 'DoesNotExist', message: 'not issued' }];
      await client.patch(certificateOf(namespace), { spec: { dnsNames: [`guard.${namespace}.svc`] } });
      await client.patch(certificateOf(namespace), { status: { conditions } }, 'status');
      await waitFor(
        'the kubelet to miss the Secret',
        async () =>
          (await client.list('v1', 'Event', namespace)).some(({ reason }) => reason === 'FailedMount'),
        { timeout: 150_000 },
      );
    },
    meanwhile: issueOnce,
    takenUp: true,
    heals: true,
    before: callFailed,
  },
  {
    remedy: 'add-pre-stop',
    check: 'no-drain-before-stop',
    broken: (objects) => {
      serving(objects).terminationGracePeriodSeconds = 6;
    },
    replicas: 1,
    before: /^created$/,
  },
  {
    remedy: 'add-pre-stop,add-readiness-probe',
    name: 'two-remedies',
    check: 'no-drain-before-stop',
    broken: (objects) => {
      serving(objects).terminationGracePeriodSeconds = 6;
      delete serving(objects).containers[0].readinessProbe;
    },
    replicas: 1,
    before: /^created$/,
  },
  {
    remedy: 'undo-rollout',
    check: 'replica-image-pull-failing',
    broken: ({ deployment }) => {
      deployment.spec.strategy = { type: 'Recreate' };
    },
    replicas: 1,
    next: rollOutNoImage,
    warns:
      /^The Deployment was available with revision 1 when the last rollout started, and has not been available since/,
    before: callFailed,
  },
  {
    remedy: 'undo-rollout',
    name: 'undo-rollout-while-the-old-one-serves',
    check: 'replica-image-pull-failing',
    broken: () => undefined,
    replicas: 1,
    next: rollOutNoImage,
    warns: /^Revision 1 serves: ReplicaSet guard-\w+ still has 1 ready Pod\.$/,
    before: /^created$/,
  },
  {
    remedy: 'restart-workload',
    check: 'served-certificate-differs-from-secret',
    args: () => ['--no-reload'],
    broken: () => undefined,
    replicas: 1,
    next: async (objects, client) => client.apply(await anotherSecret(objects)),
    heals: true,
    before: /^created$/,
  },
  {
    remedy: 'add-readiness-probe',
    check: 'readiness-does-not-cover-webhook',
    broken: (objects) => {
      delete serving(objects).containers[0].readinessProbe;
    },
    replicas: 1,
    before: /^created$/,
  },
  {
    remedy: 'undo-scale-to-zero',
    // The webhook matches the Deployment itself, but not its scale.
    name: 'undo-scale-to-zero-by-scale',
    check: 'workload-scaled-to-zero',
    broken: ({ deployment, configuration }) => {
      deployment.spec.replicas = 0;
      configuration.webhooks[0].rules.push(
        rule({ apiGroups: ['apps'], operations: ['UPDATE'], resources: ['deployments'] }),
      );
    },
    before: callFailed,
  },
  {
    remedy: 'add-disruption-budget',
    check: 'no-disruption-budget',
    broken: () => undefined,
    replicas: 2,
    before: /^created$/,
  },
  {
    remedy: 'exclude-system-namespaces',
    check: 'covers-system-namespaces',
    broken: ({ configuration }) => {
      configuration.webhooks[0].rules = [rule({ resources: ['pods'] })];
      configuration.webhooks[0].namespaceSelector = {
        matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' },
      };
    },
    replicas: 1,
    before: /^created$/,
  },
  {
    remedy: 'add-pre-stop',
    name: 'add-pre-stop-elsewhere',
    check: 'no-drain-before-stop',
    broken: (objects) => {
      serving(objects).terminationGracePeriodSeconds = 6;
      objects.deployment.metadata.labels = { 'app.kubernetes.io/managed-by': 'Helm' };
      objects.deployment.metadata.annotations = {
        'meta.helm.sh/release-name': 'guard',
        'meta.helm.sh/release-namespace': objects.namespace,
      };
    },
    replicas: 1,
    print: /^ {8}- name: webhook\n {10}lifecycle:\n {12}preStop:/m,
    before: /^created$/,
  },
  {
    remedy: 'fix-target-port',
    keepsConnection: true,
    check: 'target-port-name-missing',
    broken: ({ service }) => {
      service.spec.ports[0].targetPort = 'htps';
    },
    before: callFailed,
  },
  {
    remedy: 'fix-pod-template',
    name: 'fix-pod-template-of-a-probe',
    check: 'replica-readiness-failing',
    keepsConnection: true,
    broken: (objects) => {
      const probe = serving(objects).containers[0].readinessProbe;
      probe.httpGet.scheme = 'HTTP';
      // The kubelet drops Events about a Pod after 25 of them: those of a closed port must not use them up.
      probe.periodSeconds = 10;
    },
    next: ({ namespace }, client) =>
      waitFor(
        'the kubelet to probe over HTTP',
        async () =>
          // Before the process listens, its port is closed.
          (await client.list('v1', 'Event', namespace))
            .filter(({ reason }) => reason === 'Unhealthy')
            .some(({ message }) => !String(message).includes('connection refused')),
        { timeout: 150_000 },
      ),
    before: callFailed,
  },
  {
    remedy: 'fix-pod-template',
    name: 'fix-pod-template-of-a-volume',
    check: 'process-cannot-start',
    keepsConnection: true,
    broken: (objects) => {
      const items = [
        { key: 'tls.crt', path: 'cert.pem' },
        { key: 'tls.key', path: 'key.pem' },
      ];
      serving(objects).volumes[0].secret.items = items;
    },
    next: ({ namespace }, client) =>
      waitFor(
        'the program to crash',
        async () =>
          (await client.list('v1', 'Pod', namespace)).some(
            ({ status }) => (status.containerStatuses?.[0]?.restartCount ?? 0) > 0,
          ),
        { timeout: 150_000 },
      ),
    before: callFailed,
  },
  {
    remedy: 'resume-rollout',
    check: 'rollout-paused',
    keepsConnection: true,
    broken: ({ deployment }) => {
      deployment.spec.paused = true;
    },
    // Its Pods exist from then on.
    heals: true,
    before: callFailed,
  },
  {
    remedy: 'fix-service-port',
    check: 'service-port-missing',
    broken: ({ configuration }) => {
      configuration.webhooks[0].clientConfig.service.port = 8443;
    },
    replicas: 1,
    before: /no service port 8443 found/,
  },
  {
    remedy: 'fix-service-settings',
    check: 'service-not-proxied',
    keepsConnection: true,
    broken: ({ service }) => {
      service.spec.ports[0].protocol = 'UDP';
    },
    replicas: 1,
    before: callFailed,
  },
  {
    remedy: 'replace-url',
    check: 'url-in-cluster-name',
    broken: ({ configuration, namespace }) => {
      const { clientConfig } = configuration.webhooks[0];
      const { path } = clientConfig.service;
      clientConfig.url = `https://guard.${namespace}.svc${path}`;
      clientConfig.service = undefined;
    },
    replicas: 1,
    before: callFailed,
  },
  {
    remedy: 'fix-service-reference',
    check: 'service-missing',
    broken: ({ configuration }) => {
      configuration.webhooks[0].clientConfig.service.name = 'guard-webhook';
    },
    replicas: 1,
    before: /service "guard-webhook" not found/,
  },
  {
    remedy: 'raise-memory-limit',
    keepsConnection: true,
    check: 'replica-out-of-memory',
    broken: (objects) => {
      serving(objects).containers[0].resources = { limits: { memory: '12Mi' } };
    },
    before: callFailed,
  },
  {
    remedy: 'fix-service-selector',
    keepsConnection: true,
    check: 'selector-matches-no-pod',
    broken: ({ service }) => {
      service.spec.selector = { app: 'gard' };
    },
    before: callFailed,
  },
  {
    remedy: 'undo-scale-to-zero',
    check: 'workload-scaled-to-zero',
    // At zero an autoscaler is inactive; its minimum is the number to restore.
    beside: [
      {
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'guard' },
        spec: {
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'guard' },
          minReplicas: 2,
          maxReplicas: 3,
        },
      },
    ],
    writes: 2,
    broken: ({ deployment }) => {
      deployment.spec.replicas = 0;
    },
    before: callFailed,
  },
  {
    remedy: 'inject-ca-bundle',
    check: 'stale-ca-bundle',
    broken: ({ configuration, otherCa }) => {
      configuration.webhooks[0].clientConfig.caBundle = base64(otherCa);
    },
    replicas: 1,
    before: /certificate signed by unknown authority/,
  },
  {
    remedy: 'exclude-namespace',
    check: 'service-missing',
    broken: ({ configuration, deployment }) => {
      deployment.spec.replicas = 0;
      configuration.webhooks[0].clientConfig.service.name = 'nobody';
    },
    flags: ['-n', 'NAMESPACE'],
    before: /service "nobody" not found/,
  },
  {
    remedy: 'exclude-namespace',
    name: 'exclude-namespace-of-denials',
    check: 'denies-plain-object',
    args: () => ['--answer', 'deny', '--message', 'license expired on 2026-11-01'],
    broken: () => undefined,
    replicas: 1,
    flags: ['-n', 'NAMESPACE'],
    before: /denied the request: license expired/,
  },
  {
    remedy: 'flip-failure-policy',
    check: 'service-missing',
    broken: ({ configuration, deployment }) => {
      deployment.spec.replicas = 0;
      configuration.webhooks[0].clientConfig.service.name = 'nobody';
    },
    before: /service "nobody" not found/,
  },
  {
    remedy: 'set-timeout',
    check: 'timeout-too-long',
    broken: ({ configuration }) => {
      configuration.webhooks[0].timeoutSeconds = 30;
    },
    replicas: 1,
    before: /^created$/,
  },
  {
    remedy: 'delete-orphaned-configuration',
    check: 'orphaned-configuration',
    broken: ({ configuration, deployment }) => {
      deployment.spec.replicas = 0;
      configuration.metadata.annotations = {
        'meta.helm.sh/release-name': 'left',
        'meta.helm.sh/release-namespace': 'gone',
      };
      configuration.webhooks[0].clientConfig.service = { namespace: 'gone', name: 'left', path: '/validate' };
    },
    before: /service "left" not found/,
  },
  {
    remedy: 'scale-up',
    check: 'outage-risk-single-replica',
    broken: () => undefined,
    replicas: 1,
    before: /^created$/,
  },
  {
    remedy: 'exclude-backend-namespace',
    check: 'bootstrap-deadlock',
    // Its Pods exist from then on.
    heals: true,
    broken: ({ configuration }) => {
      configuration.webhooks[0].rules.push(rule({ resources: ['pods'] }));
    },
    before: callFailed,
  },
  {
    remedy: 'exclude-by-condition',
    check: 'bootstrap-deadlock',
    // Its Pods exist from then on.
    heals: true,
    broken: ({ configuration }) => {
      configuration.webhooks[0].rules.push(rule({ resources: ['pods'] }));
    },
    before: callFailed,
  },
];
