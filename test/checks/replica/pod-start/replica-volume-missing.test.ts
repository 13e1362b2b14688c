import { replicaVolumeMissing } from '../../../../src/checks/replica/pod-start/replica-volume-missing.ts';
import { complete } from '../../../../src/facts/lookup.ts';
import type { Pod } from '../../../../src/facts/objects/pod.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { lists, pod, slice, webhook } from '../../../support/snapshot.ts';
import { forbidden } from '../../../support/unread.ts';
import { as, beside, doubts, event, events, only, silences, status, unready, waiting } from '../replicas.ts';

const creating = waiting('ContainerCreating');
// The message of a 1.35.4 kubelet.
const noSecret = 'MountVolume.SetUp failed for volume "certs" : secret "policy-certs" not found';
const failed = (message: string, count = 8) => events(event('FailedMount', message, { count }));
const mounts = (secret: object, mounted = true): Pod => ({
  ...creating,
  spec: {
    nodeName: 'n1',
    containers: [
      { name: 'webhook', ...(mounted ? { volumeMounts: [{ name: 'certs', mountPath: '/certs' }] } : {}) },
    ],
    volumes: [{ name: 'certs', secret }],
  },
});

const both = mounts({ secretName: 'policy-certs' });
/** A Pod that also mounts another Secret with a certificate. */
const withBoth: Pod = {
  ...both,
  spec: {
    ...both.spec,
    volumes: [...(both.spec.volumes ?? []), { name: 'tls', secret: { secretName: 'policy-tls' } }],
  },
};

/** A Pod that mounts a password only. */
const withPassword: Pod = {
  ...creating,
  spec: {
    nodeName: 'n1',
    containers: [{ name: 'webhook', volumeMounts: [{ name: 'db', mountPath: '/db' }] }],
    volumes: [{ name: 'db', secret: { secretName: 'db-password' } }],
  },
};

/** A webhook whose caBundle cert-manager should write, in a cluster that serves these API groups. */
const injected = (caBundle: string, ...groups: readonly string[]) => ({
  ...failed(noSecret, 1),
  callouts: [
    webhook({
      metadata: { name: 'policy', annotations: { 'cert-manager.io/inject-ca-from': 'shop/policy' } },
      client: { service: { namespace: 'shop', name: 'policy', port: 443 }, caBundle },
    }),
  ],
  served: complete([['served', { resources: groups.map((group) => ({ group })), stale: [] } as never]]),
});

/** Certificates of cert-manager for these names, by their Secrets. */
const certificates = (names: Readonly<Record<string, string>>) => ({
  certificates: lists({
    shop: Object.entries(names).map(([secretName, host]) => ({
      metadata: { namespace: 'shop', name: `for-${secretName}` },
      spec: { secretName, dnsNames: [host] },
    })),
  }),
});
const host = 'policy.shop.svc';
/** A webhook of this name for Secrets, with these Pods. */
const ofSecrets = (name: string, failurePolicy: 'Fail' | 'Ignore') =>
  webhook({
    webhook: name,
    failurePolicy,
    rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['secrets'] }],
  });

describeCheck(replicaVolumeMissing, {
  reports: [
    {
      name: 'a Secret that cert-manager should issue, which is not installed',
      facts: only([mounts({ secretName: 'policy-certs' })], injected('', 'apps')),
      expect: {
        messageId: 'noIssuer',
        data: { pods: 'Pod policy-1', what: 'Secret shop/policy-certs' },
        names: { secret: 'policy-certs' },
      },
    },
    {
      name: 'the same, with a caBundle of before',
      facts: only([mounts({ secretName: 'policy-certs' })], injected('Q0E=', 'apps')),
      expect: { messageId: 'noIssuer' },
    },
    {
      name: 'another Secret than the serving one, where cert-manager is not installed',
      facts: only([mounts({ secretName: 'policy-certs' })], {
        ...injected('', 'apps'),
        ...failed('MountVolume.SetUp failed for volume "db" : secret "db-password" not found', 1),
      }),
      expect: { messageId: 'missing', data: { pods: 'Pod policy-1', what: 'Secret shop/db-password' } },
    },
    ...[
      ['is installed', injected('', 'apps', 'cert-manager.io')],
      ['is not requested', { ...injected('', 'apps'), callouts: [webhook()] }],
      ['may be installed: discovery was not read', { ...injected(''), served: forbidden('apis') }],
    ].map(([name, facts]) => ({
      name: `a Secret, where cert-manager ${name}`,
      facts: only([mounts({ secretName: 'policy-certs' })], facts as object),
      expect: { messageId: 'missing' },
    })),
    {
      name: 'a Secret that does not exist',
      facts: only([creating], failed(noSecret, 1)),
      expect: { messageId: 'missing', data: { pods: 'Pod policy-1', what: 'Secret shop/policy-certs' } },
    },
    {
      name: 'a Secret that does not exist, where the Certificate of the Service writes another one',
      facts: only([mounts({ secretName: 'policy-certs' })], {
        ...failed(noSecret, 1),
        ...certificates({ 'policy-tls': host }),
      }),
      expect: {
        messageId: 'otherName',
        data: {
          pods: 'Pod policy-1',
          what: 'Secret shop/policy-certs',
          certificate: 'for-policy-tls',
          other: 'policy-tls',
        },
        names: { certificate: 'for-policy-tls', secret: 'policy-tls' },
      },
    },
    {
      name: 'a Secret with a password, where the Certificate of the Service writes the serving one',
      facts: only([withPassword], {
        ...failed('MountVolume.SetUp failed for volume "db" : secret "db-password" not found', 1),
        ...certificates({ 'policy-tls': host }),
      }),
      expect: { messageId: 'missing' },
    },
    {
      name: 'a Secret of certificates, beside the mounted one of the Certificate of the Service',
      facts: only([withBoth], { ...failed(noSecret, 1), ...certificates({ 'policy-tls': host }) }),
      expect: { messageId: 'missing' },
    },
    ...[
      ['a Certificate of another Service', { 'web-tls': 'web.shop.svc' }],
      ['two Certificates of the Service', { 'policy-tls': host, 'policy-new': host }],
      ['a Certificate that writes it', { 'policy-certs': host, 'policy-tls': host }],
    ].map(([name, names]) => ({
      name: `a Secret that does not exist, beside ${name}`,
      facts: only([creating], { ...failed(noSecret, 1), ...certificates(names as Record<string, string>) }),
      expect: { messageId: 'missing' },
    })),
    {
      name: 'a Secret that cert-manager writes, and whose creation another webhook of these Pods must admit',
      facts: only([creating], {
        ...failed(noSecret, 1),
        ...certificates({ 'policy-certs': host }),
        callouts: [ofSecrets('pods.example.com', 'Ignore'), ofSecrets('secrets.example.com', 'Fail')],
      }),
      expect: [
        {
          messageId: 'blockedIssue',
          data: { pods: 'Pod policy-1', what: 'Secret shop/policy-certs', webhook: 'secrets.example.com' },
          names: { blocker: 'policy' },
        },
        { messageId: 'blockedIssue' },
      ],
    },
    {
      name: 'such a Secret, if the webhook of another Service must admit it',
      facts: only([creating], {
        ...failed(noSecret, 1),
        ...certificates({ 'policy-certs': host }),
        callouts: [
          ofSecrets('pods.example.com', 'Ignore'),
          {
            ...ofSecrets('secrets.example.com', 'Fail'),
            configuration: 'other',
            client: { service: { namespace: 'shop', name: 'other', port: 443 } },
          },
        ],
      }),
      expect: { messageId: 'missing' },
    },
    {
      name: 'a Secret that the program of a known product fills',
      facts: only([creating], {
        ...failed(noSecret.replace('policy-certs', 'webhook-certs'), 1),
        callouts: [webhook({ webhook: 'validation.webhook.pipeline.tekton.dev' })],
      }),
      expect: {
        messageId: 'fills',
        data: { pods: 'Pod policy-1', what: 'Secret shop/webhook-certs', by: "Tekton's webhook" },
        names: { secret: 'webhook-certs' },
      },
    },
    {
      name: 'a Secret that the program of a known product creates',
      facts: only([creating], {
        ...failed(noSecret.replace('policy-certs', 'kedaorg-certs'), 1),
        callouts: [webhook({ webhook: 'vscaledobject.kb.io' })],
      }),
      expect: {
        messageId: 'creates',
        data: { pods: 'Pod policy-1', what: 'Secret shop/kedaorg-certs', by: "KEDA's operator" },
      },
    },
    {
      name: 'the Secret of this product, if the caBundle is requested from a Certificate',
      facts: only([creating], {
        ...failed(noSecret.replace('policy-certs', 'kedaorg-certs'), 1),
        callouts: [
          webhook({
            webhook: 'vscaledobject.kb.io',
            metadata: { name: 'keda', annotations: { 'cert-manager.io/inject-ca-from': 'shop/keda' } },
          }),
        ],
      }),
      expect: { messageId: 'missing' },
    },
    {
      name: 'another Secret of this product',
      facts: only([creating], {
        ...failed(noSecret, 1),
        callouts: [webhook({ webhook: 'validation.webhook.pipeline.tekton.dev' })],
      }),
      expect: { messageId: 'missing' },
    },
    {
      name: 'a Secret that the installation of a known product writes',
      facts: only([creating], {
        ...failed(noSecret.replace('policy-certs', 'vpa-tls-certs'), 1),
        callouts: [webhook({ webhook: 'vpa.k8s.io' })],
      }),
      expect: { messageId: 'missing' },
    },
    {
      name: 'a ConfigMap that does not exist, and whose creation the webhook itself must admit',
      facts: only(
        [creating],
        failed('MountVolume.SetUp failed for volume "conf" : configmap "policy-config" not found'),
      ),
      expect: {
        messageId: 'blocked',
        data: { pods: 'Pod policy-1', what: 'ConfigMap shop/policy-config', webhook: 'policy.example.com' },
      },
    },
    {
      name: 'such a ConfigMap, if the webhook fails open',
      facts: only([creating], {
        ...failed('MountVolume.SetUp failed for volume "conf" : configmap "policy-config" not found'),
        callouts: [webhook({ failurePolicy: 'Ignore' })],
      }),
      expect: { messageId: 'missing', data: { pods: 'Pod policy-1', what: 'ConfigMap shop/policy-config' } },
    },
    {
      name: 'such a ConfigMap, if the webhook is not called for its namespace and version',
      facts: only([creating], {
        ...failed('MountVolume.SetUp failed for volume "conf" : configmap "policy-config" not found'),
        callouts: [
          webhook({
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } },
            rules: [
              {
                operations: ['CREATE'],
                apiGroups: [''],
                apiVersions: ['v2'],
                resources: ['configmaps'],
                scope: '*',
              },
            ],
          }),
        ],
      }),
      expect: { messageId: 'missing' },
    },
    {
      name: 'a key that the Secret does not have',
      facts: only(
        [creating],
        failed('MountVolume.SetUp failed for volume "certs" : references non-existent secret key: tls.crt'),
      ),
      expect: { messageId: 'key', data: { pods: 'Pod policy-1', holder: 'Secret', key: 'tls.crt' } },
    },
    ...(
      [
        [
          'secret',
          { secret: { secretName: 'policy-certs' } },
          'Secret shop/policy-certs',
          'secret/policy-certs',
        ],
        ['config', { configMap: { name: 'settings' } }, 'ConfigMap shop/settings', 'configmap/settings'],
        [
          'secret',
          {
            projected: {
              sources: [{ secret: { name: 'policy-certs' } }, { configMap: { name: 'settings' } }],
            },
          },
          'Secret shop/policy-certs',
          'secret/policy-certs',
        ],
        [
          'secret',
          { projected: { sources: [{ secret: { name: 'a' } }, { secret: { name: 'b' } }] } },
          'Secret',
          undefined,
        ],
      ] as const
    ).map(([word, source, holder, mounted]) => ({
      name: `a key that ${JSON.stringify(source)} lacks`,
      facts: only(
        [{ ...creating, spec: { ...creating.spec, volumes: [{ name: 'v', ...source }] } }],
        failed(`MountVolume.SetUp failed for volume "v" : references non-existent ${word} key: a.yaml`),
      ),
      expect: {
        messageId: 'key',
        data: { pods: 'Pod policy-1', holder, key: 'a.yaml' },
        names: { mounted },
      },
    })),
    {
      name: 'a Secret that is known to be missing, where events must not be read',
      facts: only([mounts({ secretName: 'policy-certs' })], { events: forbidden() }),
      expect: { messageId: 'missing', data: { pods: 'Pod policy-1', what: 'Secret shop/policy-certs' } },
    },
    {
      name: 'a volume that does not come for another reason',
      facts: only(
        [creating],
        failed(
          'MountVolume.MountDevice failed for volume "d" : driver name csi.example.com not found in the list of registered CSI drivers',
          3,
        ),
      ),
      expect: {
        messageId: 'driver',
        data: { pods: 'Pod policy-1', volume: 'd', driver: 'csi.example.com', nodes: 'node n1' },
      },
    },
    {
      name: 'the error about a volume',
      facts: only([creating], failed('MountVolume.SetUp failed for volume "d" : permission denied', 3)),
      expect: {
        messageId: 'volume',
        data: { pods: 'Pod policy-1', volume: 'd', detail: 'permission denied' },
      },
    },
    {
      name: 'an error without the name of a volume',
      facts: only([creating], failed('Unable to attach or mount volumes: timed out', 3)),
      expect: { messageId: 'failing' },
    },
    {
      name: 'an init container that waits for it too',
      facts: only(
        [
          unready({
            spec: { nodeName: 'n1', initContainers: [{ name: 'setup' }], containers: [{ name: 'webhook' }] },
            status: {
              initContainerStatuses: [
                status({ name: 'setup', state: { waiting: { reason: 'PodInitializing' } } }),
              ],
              containerStatuses: [status({ state: { waiting: { reason: 'PodInitializing' } } })],
            },
          }),
        ],
        failed(noSecret),
      ),
      expect: { messageId: 'missing' },
    },
    {
      name: 'one Pod among others that answer',
      facts: beside([creating], failed(noSecret)),
      expect: { messageId: 'some', data: { pods: 'Pod policy-1', detail: noSecret } },
    },
  ],
  reportsNothing: [
    ...silences(creating, failed(noSecret)),
    { name: 'the Pod is being started', facts: only([creating]) },
    {
      name: 'the first attempt was too early',
      facts: only(
        [creating],
        failed(
          'MountVolume.SetUp failed for volume "kube-api-access-x" : failed to sync configmap cache: timed out waiting for the condition',
          1,
        ),
      ),
    },
    {
      name: 'the Secret came, and the Pod runs',
      facts: only([], {
        ...failed(noSecret),
        pods: lists({ 'shop/policy': [pod()] }),
        endpointSlices: lists({ 'shop/policy': [slice()] }),
      }),
    },
    {
      name: 'the event is about a former Pod of the same name',
      facts: only([as(creating, { uid: 'uid-2' })], failed(noSecret)),
    },
    {
      name: 'the missing Secret is optional',
      facts: only([mounts({ secretName: 'policy-certs', optional: true })]),
    },
    {
      name: 'no container mounts the missing Secret',
      facts: only([mounts({ secretName: 'policy-certs' }, false)]),
    },
  ],
  isUnknown: [
    ...doubts,
    {
      name: 'a Pod does not start and events must not be read',
      facts: only([creating], { events: forbidden() }),
    },
  ],
});
