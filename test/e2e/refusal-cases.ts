import type { KubeObject } from '../cluster/client.ts';
import { type Authority, authority, issue } from '../support/certificates.ts';

/** A state in which a remedy would apply, and must not be used. */
export interface RefusalCase {
  readonly remedy: string;
  /** Finishes the sentence "REMEDY refuses …". */
  readonly name: string;
  /** The finding: `check:callout`; default: the webhook of the state. */
  readonly check: string;
  readonly callout?: (namespace: string) => string;
  /** Changes the healthy objects before they are created, and returns further ones. */
  readonly state: (
    objects: RefusalObjects,
  ) => readonly KubeObject[] | undefined | Promise<readonly KubeObject[] | undefined>;
  readonly flags?: readonly string[];
  /** The message of the rule. */
  readonly because: RegExp;
}

/** A backend that does not run: its objects, in a separate namespace, and the webhook. */
export interface RefusalObjects {
  readonly namespace: string;
  readonly service: KubeObject;
  readonly deployment: KubeObject;
  readonly configuration: KubeObject;
  /** Signed the serving certificate. */
  readonly ca: Authority;
  /** Another CA. */
  readonly otherCa: Authority;
}

const webhookOf = ({ configuration }: RefusalObjects) => configuration.webhooks[0];
const templateOf = ({ deployment }: RefusalObjects) => deployment.spec.template;

/** A Pod as its node would report it. */
const pod = (name: string, over: object = {}, status: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: 'guard' } },
  spec: { nodeName: 'nowhere', containers: [{ name: 'webhook', image: 'guard' }], ...over },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }], ...status },
});

const listening = (...ports: readonly object[]): KubeObject =>
  pod('guard-1', { containers: [{ name: 'webhook', image: 'guard', ports }] });

/** A workload next to the guard's own. */
const beside = ({ deployment }: RefusalObjects, name: string, labels: object): KubeObject => ({
  ...structuredClone(deployment),
  metadata: { name },
  spec: {
    ...structuredClone(deployment.spec),
    selector: { matchLabels: labels },
    template: { ...structuredClone(deployment.spec.template), metadata: { labels } },
  },
});

const certificate = ({ namespace }: RefusalObjects, name: string, conditions: readonly object[]) => ({
  apiVersion: 'cert-manager.io/v1',
  kind: 'Certificate',
  metadata: { name },
  spec: { secretName: 'guard', dnsNames: [`guard.${namespace}.svc`], issuerRef: { name: 'ca' } },
  status: { conditions },
});

const tlsSecret = (stringData: object): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'guard' },
  type: 'kubernetes.io/tls',
  stringData,
});

/** A Pod that mounts the Secret of the certificate. */
const mounting = (): KubeObject =>
  pod('guard-1', {
    containers: [
      {
        name: 'webhook',
        image: 'guard',
        ports: [{ name: 'https', containerPort: 8443 }],
        volumeMounts: [{ name: 'tls', mountPath: '/tmp/k8s-webhook-server/serving-certs' }],
      },
    ],
    volumes: [{ name: 'tls', secret: { secretName: 'guard' } }],
  });

/** A revision of the guard's Deployment, with another image. */
const revision = ({ deployment }: RefusalObjects, count: number, image: string): KubeObject => {
  const { selector, template } = structuredClone(deployment.spec);
  const hash = { 'pod-template-hash': `r${count}` };
  template.metadata.labels = { ...template.metadata.labels, ...hash };
  template.spec.containers[0].image = image;
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `guard-r${count}`,
      annotations: { 'deployment.kubernetes.io/revision': `${count}` },
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'Deployment', name: 'guard', uid: 'guard', controller: true },
      ],
    },
    spec: { selector: { matchLabels: { ...selector.matchLabels, ...hash } }, template },
  };
};

/** A webhook for the Pods of its own namespace. */
function matchOwnPods(objects: RefusalObjects): void {
  const only = { 'kubernetes.io/metadata.name': objects.namespace };
  webhookOf(objects).namespaceSelector = { matchLabels: only };
  webhookOf(objects).rules[0].resources = ['pods'];
}

/** A rollout of an image that its Pod cannot pull. */
function badRollout(objects: RefusalObjects): readonly KubeObject[] {
  const image = templateOf(objects).spec.containers[0].image;
  const waiting = { reason: 'ImagePullBackOff', message: `Back-off pulling image "${image}"` };
  const stuck = pod(
    'guard-r2-1',
    {},
    {
      phase: 'Pending',
      conditions: [{ type: 'Ready', status: 'False' }],
      containerStatuses: [
        { name: 'webhook', image, imageID: '', ready: false, restartCount: 0, state: { waiting } },
      ],
    },
  );
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'guard-r2', uid: 'r2', controller: true };
  return [
    revision(objects, 1, 'guard:before'),
    revision(objects, 2, image),
    { ...stuck, metadata: { ...stuck.metadata, ownerReferences: [owner] } },
  ];
}

/** A webhook for the Secrets of its own namespace, with that many conditions. */
function withConditions(objects: RefusalObjects, count: number, expression: string): undefined {
  const webhook = webhookOf(objects);
  webhook.rules = [{ ...webhook.rules[0], resources: ['secrets'] }];
  webhook.matchConditions = Array.from({ length: count }, (_, at) => ({ name: `c${at}`, expression }));
}

const day = 24 * 60 * 60 * 1000;
const ended = { notBefore: new Date(Date.now() - 20 * day), notAfter: new Date(Date.now() - day) };

export const refusalCases: readonly RefusalCase[] = [
  {
    remedy: 'undo-rollout',
    name: 'a Deployment that is paused',
    check: 'replica-image-pull-failing',
    state: (objects) => {
      objects.deployment.spec.paused = true;
      return badRollout(objects);
    },
    because:
      /guard is paused, and replaces no Pods until it is resumed: kubectl -n \S+ rollout resume deployment\/guard$/,
  },
  {
    remedy: 'fix-pod-template',
    name: 'where new Pods must pass the webhook themselves',
    check: 'host-network-port-conflict',
    state: (objects) => {
      const [container] = templateOf(objects).spec.containers;
      container.ports[0].hostPort = 9443;
      matchOwnPods(objects);
      const message =
        "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.";
      const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }];
      const spec = { nodeName: undefined, containers: [container] };
      return [pod('guard-1', spec, { phase: 'Pending', conditions })];
    },
    because: /^guard\.example\.com intercepts new Pods of Deployment \S+, and does not respond: exclude/,
  },
  {
    remedy: 'resume-rollout',
    name: 'where new Pods must pass the webhook themselves',
    check: 'rollout-paused',
    state: (objects) => {
      objects.deployment.spec.paused = true;
      matchOwnPods(objects);
      return [];
    },
    because: /^guard\.example\.com intercepts new Pods of Deployment \S+, and does not respond: exclude/,
  },
  {
    remedy: 'undo-scale-to-zero',
    name: 'where new Pods must pass the webhook themselves',
    check: 'workload-scaled-to-zero',
    state: (objects) => {
      objects.deployment.spec.replicas = 0;
      matchOwnPods(objects);
      return [];
    },
    because: /^guard\.example\.com intercepts new Pods of Deployment \S+, and does not respond: exclude/,
  },
  {
    remedy: 'undo-rollout',
    name: 'where new Pods must pass the webhook themselves',
    check: 'replica-image-pull-failing',
    state: (objects) => {
      matchOwnPods(objects);
      return badRollout(objects);
    },
    because: /^guard\.example\.com intercepts new Pods of Deployment \S+, and does not respond: exclude/,
  },
  {
    remedy: 'fix-service-port',
    name: 'to choose between two ports',
    check: 'service-port-missing',
    state: ({ service, ...objects }) => {
      webhookOf({ service, ...objects }).clientConfig.service.port = 8080;
      service.spec.ports = [
        { name: 'a', port: 443, targetPort: 8443 },
        { name: 'b', port: 9443, targetPort: 9443 },
      ];
      return [];
    },
    because: /has ports 443 and 9443; it is unknown which of them serves the webhook\./,
  },
  {
    remedy: 'fix-service-port',
    name: 'a Service without a TCP port',
    check: 'service-port-missing',
    state: ({ service }) => {
      service.spec.ports = [{ port: 5353, protocol: 'UDP' }];
      return [];
    },
    because: /has no TCP port: nothing can be called\./,
  },
  {
    remedy: 'fix-service-reference',
    name: 'to choose between two namespaces',
    check: 'service-missing',
    state: (objects) => {
      webhookOf(objects).clientConfig.service.name = 'twin';
      return ['default', 'kube-public'].map((namespace) => ({
        ...structuredClone(objects.service),
        metadata: { name: 'twin', namespace },
      }));
    },
    because: /Namespaces default and kube-public have a Service twin; it is unknown which/,
  },
  {
    remedy: 'fix-target-port',
    name: 'Pods that declare no other port',
    check: 'target-port-name-missing',
    state: ({ service }) => {
      service.spec.ports[0].targetPort = 'htps';
      return [listening()];
    },
    because: /declare no other port: it is unknown which port serves the webhook\./,
  },
  {
    remedy: 'fix-target-port',
    name: 'to choose between two ports of the Pods',
    check: 'target-port-name-missing',
    state: ({ service }) => {
      service.spec.ports[0].targetPort = 'htps';
      return [listening({ name: 'api', containerPort: 8080 }, { name: 'https', containerPort: 8443 })];
    },
    because:
      /declare ports 8080 \(api\) and 8443 \(https\); it is unknown which of them serves the webhook\./,
  },
  {
    remedy: 'fix-service-selector',
    name: 'to choose between two workloads',
    check: 'selector-matches-no-pod',
    state: (objects) => {
      objects.service.spec.selector = { app: 'gard' };
      return [beside(objects, 'guard-two', { app: 'guard-two' })];
    },
    because: /Deployment \S+\/guard and Deployment \S+\/guard-two all declare the port\. It is unknown/,
  },
  {
    remedy: 'fix-service-selector',
    name: 'a workload that nothing joins to the Service',
    check: 'selector-matches-no-pod',
    state: ({ service, deployment }) => {
      service.spec.selector = { app: 'gard' };
      service.metadata.name = 'admission';
      deployment.metadata.name = 'policy';
      return [];
    },
    because: /No workload in the namespace declares the port and clearly belongs to Service/,
  },
  {
    remedy: 'fix-service-selector',
    name: 'a workload that selects by expressions, where no pair is left',
    check: 'selector-matches-no-pod',
    state: ({ service, deployment }) => {
      service.spec.selector = { ap: 'guard' };
      deployment.spec.selector = {
        matchExpressions: [{ key: 'app', operator: 'In', values: ['guard'] }],
      };
      return [];
    },
    because: /selects its Pods by matchExpressions, and a Service cannot\./,
  },
  {
    remedy: 'fix-service-selector',
    name: 'labels that another workload carries too',
    check: 'selector-matches-no-pod',
    state: (objects) => {
      objects.service.spec.selector = { app: 'gard' };
      const other = beside(objects, 'other', { app: 'guard', tier: 'other' });
      other.spec.template.spec.containers[0].ports = [];
      return [other];
    },
    because: /The labels app=guard would also select Pods of other workloads\./,
  },
  {
    remedy: 'inject-ca-bundle',
    name: 'a CA that did not sign what is served',
    check: 'ca-bundle-expired',
    state: async (objects) => {
      const { namespace, ca, otherCa } = objects;
      const old = await authority({ cn: 'webhook-ca', ...ended });
      webhookOf(objects).clientConfig.caBundle = Buffer.from(old.cert).toString('base64');
      const { cert, key } = await issue(ca, { dns: [`guard.${namespace}.svc`] });
      return [tlsSecret({ 'ca.crt': otherCa.cert, 'tls.crt': cert, 'tls.key': key }), mounting()];
    },
    because:
      /^The ca\.crt of Secret \S+\/guard would not fix the calls: the certificate of Secret guard is not accepted: tls: failed to verify certificate: x509: certificate signed by unknown authority/,
  },
  {
    remedy: 'renew-certificate',
    name: 'to choose between two Certificates',
    check: 'serving-certificate-expired',
    state: async (objects) => {
      const { namespace, ca } = objects;
      const { cert, key } = await issue(ca, { dns: [`guard.${namespace}.svc`], ...ended });
      return [
        tlsSecret({ 'ca.crt': ca.cert, 'tls.crt': cert, 'tls.key': key }),
        mounting(),
        certificate(objects, 'one', []),
        certificate(objects, 'two', []),
      ];
    },
    because: /^Certificates one and two are all for guard\.\S+\.svc; it is unknown which of them is served\./,
  },
  {
    remedy: 'renew-certificate',
    name: 'while its issuer does not exist',
    check: 'serving-certificate-expired',
    state: async (objects) => {
      const { namespace, ca } = objects;
      const { cert, key } = await issue(ca, { dns: [`guard.${namespace}.svc`], ...ended });
      return [
        tlsSecret({ 'ca.crt': ca.cert, 'tls.crt': cert, 'tls.key': key }),
        mounting(),
        certificate(objects, 'guard', []),
      ];
    },
    because:
      /^Issuer \S+\/ca does not exist: cert-manager issues Certificate \S+\/guard by itself when it exists\./,
  },
  {
    remedy: 'renew-certificate',
    name: 'what is being issued already',
    check: 'serving-certificate-expired',
    state: async (objects) => {
      const { namespace, ca } = objects;
      const { cert, key } = await issue(ca, { dns: [`guard.${namespace}.svc`], ...ended });
      return [
        tlsSecret({ 'ca.crt': ca.cert, 'tls.crt': cert, 'tls.key': key }),
        mounting(),
        certificate(objects, 'guard', [{ type: 'Issuing', status: 'True', reason: 'Renewing' }]),
      ];
    },
    because: /^Certificate \S+\/guard is being issued already: `kubectl -n \S+ describe/,
  },
  {
    remedy: 'delete-orphaned-configuration',
    name: 'a configuration of which one webhook has a backend',
    check: 'orphaned-configuration',
    callout: (namespace) => `validating/guard-${namespace}/left.example.com`,
    state: (objects) => {
      const { configuration } = objects;
      configuration.metadata.annotations = {
        'meta.helm.sh/release-name': 'left',
        'meta.helm.sh/release-namespace': 'gone',
      };
      configuration.webhooks.push({
        ...structuredClone(webhookOf(objects)),
        name: 'left.example.com',
        clientConfig: { service: { namespace: 'gone', name: 'left' } },
      });
      return [];
    },
    because:
      /^Its webhook guard\.example\.com still has a backend: the configuration is only partly orphaned/,
  },
  {
    remedy: 'delete-orphaned-configuration',
    name: 'an APIService',
    check: 'orphaned-configuration',
    callout: (namespace) => `apiservice/v1.${namespace}.example.com`,
    state: ({ namespace }) => [
      {
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: {
          name: `v1.${namespace}.example.com`,
          annotations: {
            'meta.helm.sh/release-name': 'left',
            'meta.helm.sh/release-namespace': 'gone',
          },
        },
        spec: {
          group: `${namespace}.example.com`,
          version: 'v1',
          groupPriorityMinimum: 100,
          versionPriority: 100,
          insecureSkipTLSVerify: true,
          service: { namespace: 'gone', name: 'left' },
        },
      },
    ],
    because:
      /is an APIService: reinstall the product, or delete the APIService manually once nothing needs its API\./,
  },
  {
    remedy: 'delete-orphaned-configuration',
    name: 'a CustomResourceDefinition',
    check: 'orphaned-configuration',
    callout: (namespace) => `crd/things.${namespace}.example.com`,
    state: ({ namespace, ca }) => [
      {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: {
          name: `things.${namespace}.example.com`,
          annotations: {
            'meta.helm.sh/release-name': 'left',
            'meta.helm.sh/release-namespace': 'gone',
          },
        },
        spec: {
          group: `${namespace}.example.com`,
          scope: 'Namespaced',
          names: { plural: 'things', singular: 'thing', kind: 'Thing' },
          conversion: {
            strategy: 'Webhook',
            webhook: {
              conversionReviewVersions: ['v1'],
              clientConfig: {
                service: { namespace: 'gone', name: 'left' },
                caBundle: Buffer.from(ca.cert).toString('base64'),
              },
            },
          },
          versions: ['v1', 'v2'].map((name) => ({
            name,
            served: true,
            storage: name === 'v1',
            schema: { openAPIV3Schema: { type: 'object' } },
          })),
        },
      },
    ],
    because: /is a CustomResourceDefinition: deleting it deletes every object of its kind\./,
  },
  {
    remedy: 'add-pre-stop',
    name: 'a Pod that gets no longer to end than the pause would take',
    check: 'no-drain-before-stop',
    state: (objects) => {
      templateOf(objects).spec.terminationGracePeriodSeconds = 5;
      return [];
    },
    because:
      /have 5 s to terminate, and a preStop of 5 s would use all of it\. Raise terminationGracePeriodSeconds first\./,
  },
  {
    remedy: 'exclude-namespace',
    name: 'a namespace that is not there',
    check: 'service-missing',
    state: (objects) => {
      webhookOf(objects).clientConfig.service.name = 'nobody';
      return [];
    },
    flags: ['-n', 'nowhere'],
    because: /^There is no namespace nowhere\./,
  },
  {
    remedy: 'exclude-namespace',
    name: 'a namespace that the webhook is not asked about',
    check: 'service-missing',
    state: (objects) => {
      webhookOf(objects).clientConfig.service.name = 'nobody';
      return [];
    },
    flags: ['-n', 'default'],
    because: /^Namespace default is already excluded: this webhook does not block requests there\./,
  },
  {
    remedy: 'exclude-by-condition',
    name: 'a 65th condition',
    check: 'covers-own-configuration-path',
    state: (objects) => withConditions(objects, 64, 'true'),
    because: /would have 65 matchConditions, and the API allows 64/,
  },
  {
    remedy: 'exclude-by-condition',
    name: 'more calls of the authorizer than a request may cost',
    check: 'covers-own-configuration-path',
    state: (objects) =>
      withConditions(objects, 7, 'authorizer.path("/healthz").check("get").allowed() || true'),
    because: /would exceed their cost budget/,
  },
  {
    remedy: 'flip-failure-policy',
    name: 'to let a policy engine be passed by',
    check: 'service-missing',
    callout: (namespace) => `validating/guard-${namespace}/validation.gatekeeper.sh`,
    state: (objects) => {
      webhookOf(objects).name = 'validation.gatekeeper.sh';
      webhookOf(objects).clientConfig.service.name = 'nobody';
      return [];
    },
    because: /^Gatekeeper does not enforce .*--i-accept-unchecked-admission accepts that$/,
  },
];

/** Refusals that cannot occur on an API server without nodes, and where each is tested instead. */
export const refusedElsewhere: Readonly<Record<string, readonly string[]>> = {
  'add-disruption-budget': [
    'no finding leads there: no-disruption-budget is about two replicas and more; test/remedies',
  ],
  'add-readiness-probe': [
    'no finding leads there: readiness-does-not-cover-webhook passes over probes that ask no port; test/remedies',
  ],
  'delete-orphaned-configuration': [
    'no finding leads there: orphaned-configuration passes over what somebody keeps; test/remedies',
    'a configuration counts as left by an upgrade two minutes after its creation; test/remedies',
  ],
  'exclude-backend-namespace': [
    'where namespaces may not be read bootstrap-deadlock cannot tell either, and nothing leads there; test/remedies',
  ],
  'inject-ca-bundle': ['needs Certificates and the CA injector of cert-manager; test/remedies'],
  'exclude-by-condition': ['no API server before 1.28 is built here; test/remedies'],
  'renew-certificate': [
    "the Lease of cert-manager's controller is that of the whole cluster; test/remedies",
    'a Certificate stays Ready without its Secret only while no controller runs; test/remedies',
  ],
  'restore-scheduler': [
    'a Pod counts as parked after half a minute: a Pod parked itself; test/remedies',
    'a Job, likewise',
    'a scheduling gate, likewise',
  ],
};
