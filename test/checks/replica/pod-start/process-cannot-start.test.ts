import { processCannotStart } from '../../../../src/checks/replica/pod-start/process-cannot-start.ts';
import { complete, nothingRead } from '../../../../src/facts/lookup.ts';
import type { CertificateSecret } from '../../../../src/facts/objects/certificate-secret.ts';
import type { Metadata } from '../../../../src/facts/objects/metadata.ts';
import type { Container, Pod } from '../../../../src/facts/objects/pod.ts';
import type { ServedResource } from '../../../../src/facts/served-resources.ts';
import type { Facts } from '../../../../src/facts/snapshot.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { healthy, pod, webhook } from '../../../support/snapshot.ts';
import { forbidden } from '../../../support/unread.ts';
import { allows, ended, replica, tried } from '../../probed.ts';
import { ago, as, beside, doubts, only, silences, status, unready } from '../replicas.ts';

/** The volume that Kubernetes adds to each Pod. */
const tokenVolume = {
  name: 'token',
  projected: { sources: [{ serviceAccountToken: {} }, { configMap: { name: 'kube-root-ca.crt' } }] },
};

const end = { exitCode: 1, reason: 'Error', startedAt: ago(62), finishedAt: ago(61) };
const exiting = {
  phase: 'Running' as const,
  containerStatuses: [
    status({
      restartCount: 4,
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: { terminated: end },
    }),
  ],
};
/** The Pod policy-1, whose container exits repeatedly. */
const crashing = (container: Partial<Container> = {}, spec: Partial<Pod['spec']> = {}): Pod =>
  unready({ spec: { containers: [{ name: 'webhook', ...container }], ...spec }, status: exiting });
/** The Pod policy-1, whose container runs and is not ready. */
const silent = unready({
  status: {
    phase: 'Running',
    containerStatuses: [status({ started: true, state: { running: { startedAt: ago(600) } } })],
  },
});
const crashed = {
  restartCount: 4,
  state: { waiting: { reason: 'CrashLoopBackOff' } },
  lastState: { terminated: end },
};
/** The Pod policy-1, whose second container exits repeatedly. */
const withSidecar = unready({
  spec: { containers: [{ name: 'webhook' }, { name: 'etcd' }] },
  status: { phase: 'Running', containerStatuses: [status({}), status({ name: 'etcd', ...crashed })] },
});
const says = (...lines: readonly string[]) => ({
  logs: complete([['shop/policy-1/webhook', lines.join('\n')]]),
});
const waited = (seconds: number) =>
  `I0105 12:42:17.254125       1 request.go:665] Waited for ${seconds}s due to client-side throttling, not priority and fairness, request: GET:https://203.0.113.1:443/apis/a.example.com/v1?timeout=32s`;
const tooLate =
  'E0105 12:42:32.910411       1 main.go:462] setup "msg"="Timeout registering admission control webhooks" "error"=null';
const closed = says(
  'E1023 server.go:513] "failed to listen" "error"="listen tcp :443: bind: permission denied"',
);

/** Of CloudNativePG 1.27.1, whose operator exits. */
const noRegistration = says(
  '{"level":"error","ts":"2026-01-01T09:43:34Z","msg":"unable to setup PKI infrastructure","error":"validatingwebhookconfigurations.admissionregistration.k8s.io \\"policy-validation\\" not found"}',
);
const registered = (names: readonly string[]) => ({
  configurations: complete([
    ['validating', names],
    ['mutating', []],
  ]),
});

const tenant: ServedResource = {
  group: 'example.com',
  version: 'v1',
  resource: 'tenants',
  kind: 'Tenant',
  singular: 'tenant',
  namespaced: true,
  verbs: ['list'],
};
const serves = (resources: readonly ServedResource[], stale: readonly string[] = []) => ({
  served: complete([['served', { resources, stale }]]),
});
const noTenant = says(
  '{"level":"error","msg":"if kind is a CRD, it should be installed before calling Start","error":"no matches for kind \\"Tenant\\" in version \\"example.com/v1\\""}',
);
const noDefinition = says(
  '2026-01-01T09:43:35Z ERR main.go:502 > sanity checks failed error="failed to check CRD: customresourcedefinitions.apiextensions.k8s.io \\"tenants.example.com\\" not found" logger=setup',
);
const awaitsDefinition = says(
  'time="2026-01-01T07:59:50Z" level=info msg="Waiting for CRD tenants.example.com to become available"',
);
const noList = says(
  'E1129 07:19:42.384704       1 reflector.go:227] "Failed to watch" err="failed to list *v1.Tenant: the server could not find the requested resource (get tenants.example.com)" logger="UnhandledError" reflector="k8s.io/client-go@v0.36.5/tools/cache/reflector.go:343" type="*v1.Tenant"',
);
const noFile = says('problem running manager: open /certs/tls.crt: no such file or directory');
const mounted = (mountPath: string, source: object = {}) =>
  crashing(
    { volumeMounts: [{ name: 'tls', mountPath }] },
    { volumes: [{ name: 'tls', secret: { secretName: 'policy-tls', ...source } }] },
  );
const noPair = says(
  'E0817 "failed verifying CA keypair: tls: failed to find any PEM data in certificate input"',
);
const noSocket = says(
  'ERROR setup failed to mint initial webhook certificate {"error": "connection error: desc = \\"transport: Error while dialing dial unix /run/spire/sockets/api.sock: connect: no such file or directory\\""}',
);
/** The Pod policy-1, which exits, with this volume for sockets, beside another container that mounts these volumes. */
const withSocket = (source: object, ...ofOther: readonly string[]) =>
  unready({
    spec: {
      nodeName: 'n1',
      containers: [
        { name: 'webhook', volumeMounts: [{ name: 'sockets', mountPath: '/run/spire/sockets' }] },
        { name: 'spire', volumeMounts: ofOther.map((name) => ({ name, mountPath: '/run/spire/sockets' })) },
      ],
      volumes: [{ name: 'sockets', ...source }],
    },
    status: exiting,
  });
/** The Pod with a sidecar that mounts the sockets. */
const withAgent = (pod: Pod): Pod => ({
  ...pod,
  spec: {
    ...pod.spec,
    initContainers: [
      {
        name: 'agent',
        restartPolicy: 'Always',
        volumeMounts: [{ name: 'sockets', mountPath: '/run/spire/sockets' }],
      },
    ],
  },
});
const identityMissing = '[WARN] X509Source: rpc error: code = PermissionDenied desc = no identity issued';
const noIdentity = says(identityMissing, '[INFO] Retrying watch in 2s');
const spiffeIds: ServedResource = {
  ...tenant,
  group: 'spire.spiffe.io',
  version: 'v1alpha1',
  resource: 'clusterspiffeids',
  kind: 'ClusterSPIFFEID',
  singular: 'clusterspiffeid',
};
/** Ready Pods of a closed port, whose log has a warning about a file. */
const warning = (container: Partial<Container>, ...lines: readonly string[]) =>
  tried([ended({ stage: 'connect', kind: 'refused' })], {
    pods: [
      replica(1, {
        spec: {
          containers: [
            { name: 'webhook', volumeMounts: [{ name: 'tls', mountPath: '/certs' }], ...container },
          ],
          volumes: [
            {
              name: 'tls',
              secret: { secretName: 'policy-tls', items: [{ key: 'tls.crt', path: 'tls.crt' }] },
            },
          ],
        },
      }),
    ],
    facts: says(
      'level=warn msg="client verification disabled" err="stat /certs/ca.crt: no such file or directory"',
      ...lines,
    ),
  });
const twoSecrets = crashing(
  { args: ['--secret-name=policy-config'], volumeMounts: [{ name: 'tls', mountPath: '/certs' }] },
  { volumes: [{ name: 'tls', secret: { secretName: 'policy-tls' } }] },
);
const secretIs = (
  certificates: Readonly<Record<string, string>>,
  metadata: Partial<Metadata> = {},
): Pick<Facts, 'secrets'> => ({
  secrets: complete([
    [
      `shop/${metadata.name ?? 'policy-tls'}`,
      {
        metadata: { namespace: 'shop', name: 'policy-tls', ...metadata },
        type: 'kubernetes.io/tls',
        keys: ['tls.crt', 'tls.key'],
        certificates,
      },
    ],
  ]),
});
/** The Secret policy-tls with these keys. */
const holding = (...keys: readonly string[]): Pick<Facts, 'secrets'> => ({
  secrets: complete([
    [
      'shop/policy-tls',
      { metadata: { namespace: 'shop', name: 'policy-tls' }, type: 'Opaque', keys, certificates: {} },
    ],
  ]),
});
/** The Pods of CloudNativePG, whose operator creates this Secret; with this line of its log. */
const creates = (line: string, secrets: Partial<Facts> = {}) =>
  only([mounted('/certs', { secretName: 'cnpg-webhook-cert' })], {
    ...says(line),
    ...secrets,
    callouts: [webhook({ webhook: 'vcluster.cnpg.io' })],
  });
const created = { name: 'cnpg-webhook-cert' };
/** Both Secrets of {@link twoSecrets}, with the keys of the other one. */
const bothSecrets = (keys: readonly string[]): Pick<Facts, 'secrets'> => ({
  secrets: complete([
    ...(secretIs({ 'tls.crt': 'PEM' }).secrets?.entries() ?? []),
    [
      'shop/policy-config',
      {
        metadata: { namespace: 'shop', name: 'policy-config' },
        type: 'Opaque',
        keys,
        certificates: { 'tls.crt': 'PEM' },
      },
    ],
  ]),
});
const emptyPair = 'tls: failed to find any PEM data in certificate input';
const owned = says('{"level":"info","logger":"leader","msg":"Found existing lock","LockOwner":"policy-old"}');
/** The log of a Pod that waits for the lock of another one of its Deployment. */
const lock = {
  logs: complete([
    [
      'shop/policy-6c8f9d7b5-x2x4z/webhook',
      '{"level":"info","logger":"leader","msg":"Found existing lock","LockOwner":"policy-6c8f9d7b5-q2x7z"}\n{"level":"info","logger":"leader","msg":"Not the leader. Waiting."}',
    ],
  ]),
};
/** It has waited for ten minutes. */
const sibling = as(
  unready({
    status: {
      phase: 'Running',
      containerStatuses: [
        status({ restartCount: 4, started: true, state: { running: { startedAt: ago(600) } } }),
      ],
    },
  }),
  { name: 'policy-6c8f9d7b5-x2x4z' },
);
const owner = (over: Partial<Pod['status']>, deletionTimestamp?: string): Pod =>
  as(unready({ status: { containerStatuses: [], ...over } }), {
    name: 'policy-old',
    uid: 'uid-old',
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
  });
/** The Ready Pod policy-1, with the Secret at another path, whose handshake ends with this alert. */
const alerting = (alert: string | undefined, log: ReturnType<typeof says>) => {
  const { spec } = mounted('/certificates');
  const failed = alert && ended({ stage: 'tls', kind: 'alert', alert });
  return tried([failed || allows], { pods: [replica(1, { spec })], facts: log });
};
/** Of the injector of Vault, which loads its certificate only when it has written the caBundle of this configuration. */
const misnamed = (
  alert: string | undefined,
  existing: readonly string[],
  env: Container['env'] = [{ name: 'TLS_AUTO', value: 'policy-old' }],
  callouts = [webhook()],
) => {
  const failed = alert && ended({ stage: 'tls', kind: 'alert', alert });
  const log = says(
    'WARN  certwatcher: Fetching webhook config directly failed: err="mutatingwebhookconfigurations.admissionregistration.k8s.io \\"policy-old\\" not found"',
    'ERROR handler: http: TLS handshake error from 192.0.2.1:52776: no certificate available',
  );
  const spec = { containers: [{ name: 'webhook', env }] };
  const kinds = [
    ['validating', []],
    ['mutating', existing],
  ] as const;
  const facts = { ...log, configurations: complete(kinds), callouts };
  return tried([failed || allows], { pods: [replica(1, { spec })], facts });
};
const of = (what: string, detail = '') => ({ pods: 'Pod policy-1', what, detail });

const unknownFieldError = 'strict decoding error: unknown field "leaderElektion"';
const unknownField =
  'ERROR setup unable to load the configuration {"error": "strict decoding error: unknown field \\"leaderElektion\\""}';

/** The Pod policy-1 of this ReplicaSet, which exits, beside a Pod of ReplicaSet policy-abc that serves. */
const besideFormer = (replicaSet: string, ...facts: readonly Partial<Facts>[]) => {
  const bad = crashing();
  const owner = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name: replicaSet,
    uid: 'rs-2',
    controller: true,
  };
  const fresh = { ...bad, metadata: { ...bad.metadata, ownerReferences: [owner] } };
  return beside([fresh], Object.assign({}, ...facts));
};

describeCheck(processCannotStart, {
  reports: [
    {
      name: 'a file that a server needs which declares its port, and has a flag for that of metrics',
      facts: warning({ args: ['--web.listen-address=:8080'], ports: [{ containerPort: 8443 }] }),
      expect: { messageId: 'items' },
    },
    {
      name: 'a process that may not open a port below 1024, and exits',
      facts: only([crashing()], closed),
      expect: { messageId: 'port', data: of('443') },
    },
    {
      name: 'a process that may not open a port below 1024, and continues without it',
      facts: only([silent], closed),
      expect: { messageId: 'port', data: of('443') },
    },
    ...[
      'Error: listen EACCES: permission denied 0.0.0.0:443',
      'nginx: [emerg] bind() to 0.0.0.0:443 failed (13: Permission denied)',
    ].map((line) => ({
      name: `a port below 1024, in the words ${line}`,
      facts: only([crashing()], says(line)),
      expect: { messageId: 'port', data: of('443') },
    })),
    {
      name: 'a port below 1024, without probes',
      facts: only([crashing()], {
        ...closed,
        probes: nothingRead({ what: 'probes', why: 'not-requested' }),
      }),
      expect: { messageId: 'port', data: of('443') },
    },
    {
      name: 'a node that allows no more inotify instances',
      facts: only([crashing()], says('panic: failed to new ca-cert watcher: too many open files')),
      expect: { messageId: 'limit' },
    },
    {
      name: 'an image for another processor',
      facts: only([crashing()], says('exec /usr/local/bin/webhook: exec format error')),
      expect: { messageId: 'architecture' },
    },
    {
      name: 'an argument of another container than the first',
      facts: only([withSidecar], {
        logs: complete([['shop/policy-1/etcd', 'flag provided but not defined: -data-dirs']]),
      }),
      expect: {
        messageId: 'argument',
        data: {
          pods: 'container etcd of Pod policy-1',
          what: 'flag provided but not defined: -data-dirs',
          detail: '',
        },
      },
    },
    {
      name: 'an argument of another release, before the usage',
      facts: only(
        [crashing()],
        says('flag provided but not defined: -enable-webhook', 'Usage of /controller:'),
      ),
      expect: { messageId: 'argument', data: of('flag provided but not defined: -enable-webhook') },
    },
    {
      name: 'an unknown field, in a structured line',
      facts: only(
        [crashing()],
        says(
          'ERROR setup unable to load the configuration {"error": "strict decoding error: unknown field \\"leaderElektion\\"", "errorCauses": [{"error": "unknown field"}]}',
        ),
      ),
      expect: {
        messageId: 'argument',
        data: of('strict decoding error: unknown field "leaderElektion"'),
      },
    },
    ...(
      [
        [
          'the only ConfigMap that the container mounts',
          ['config'],
          [],
          unknownField,
          unknownFieldError,
          'ConfigMap config',
        ],
        [
          'the file of two that an argument names',
          ['config', 'ca'],
          ['--config=/config/webhook.yaml'],
          unknownField,
          unknownFieldError,
          'webhook.yaml of ConfigMap config',
        ],
        [
          'the file that the line names',
          ['config', 'ca'],
          [],
          'level=fatal msg="/config/a.yaml: yaml: unmarshal errors:\\n  line 2: field ommon not found in type csconfig.Config"',
          'field ommon not found in type csconfig.Config',
          'a.yaml of ConfigMap config',
        ],
        [
          'the file of a decoder of JSON',
          ['config'],
          ['-c', '/config/app.json'],
          'Error: cannot read /config/app.json: json: unknown field "securePrt"',
          'json: unknown field "securePrt"',
          'app.json of ConfigMap config',
        ],
      ] as const
    ).map(([name, configMaps, args, line, what, detail]) => ({
      name: `a field that the program does not accept, in ${name}`,
      facts: only(
        [
          crashing(
            { args, volumeMounts: configMaps.map((one) => ({ name: one, mountPath: `/${one}` })) },
            { volumes: configMaps.map((one) => ({ name: one, configMap: { name: one } })) },
          ),
        ],
        says(line),
      ),
      expect: {
        messageId: 'configuration' as const,
        data: of(what, detail),
        names: { mounted: 'configmap/config' },
      },
    })),
    ...(
      [
        ['one of two ConfigMaps', ['config', 'ca'], unknownField],
        ['an argument', ['config'], 'flag provided but not defined: -a'],
      ] as const
    ).map(([name, configMaps, line]) => ({
      name: `what the program does not support, which may be in ${name}`,
      facts: only(
        [
          crashing(
            { volumeMounts: ['token', ...configMaps].map((one) => ({ name: one, mountPath: `/${one}` })) },
            { volumes: [tokenVolume, ...configMaps.map((one) => ({ name: one, configMap: { name: one } }))] },
          ),
        ],
        says(line),
      ),
      expect: { messageId: 'argument' as const, names: { mounted: undefined } },
    })),
    ...[
      ['the file of a Secret', '/etc/config/config.yaml', '--client-ca-file=/etc/ca/ca.crt'],
      ['a file that a setting names in a Secret', 'config', '--config=/etc/config/config.yaml'],
      ['a text beside a ConfigMap of a CA', 'config', '--client-ca-file=/etc/ca/ca.crt'],
    ].map(([name = '', what, arg = '']) => ({
      name: `a syntax error in ${name}, and not in the only ConfigMap`,
      facts: only(
        [
          crashing(
            {
              args: [arg, '--client-ca-file=/etc/ca/ca.crt'],
              volumeMounts: ['config', 'ca'].map((one) => ({ name: one, mountPath: `/etc/${one}` })),
            },
            {
              volumes: [
                { name: 'config', secret: { secretName: 'policy-config' } },
                { name: 'ca', configMap: { name: 'trusted-ca' } },
              ],
            },
          ),
        ],
        says(`Error: cannot load ${what}: yaml: line 3: did not find expected key`),
      ),
      expect: {
        messageId: 'argument' as const,
        data: of('yaml: line 3: did not find expected key'),
        names: { mounted: undefined },
      },
    })),
    {
      name: 'a configuration file of a ConfigMap that is no YAML, by an error without a line',
      facts: only(
        [
          crashing(
            {
              args: ['--config=/etc/config/config.yaml'],
              volumeMounts: [{ name: 'config', mountPath: '/etc/config' }],
            },
            { volumes: [{ name: 'config', configMap: { name: 'policy-config' } }] },
          ),
        ],
        says(
          'F1130 00:23:04 adapter.go:340] unable to parse config: yaml: did not find expected node content',
        ),
      ),
      expect: { messageId: 'configuration', names: { mounted: 'configmap/policy-config' } },
    },
    {
      name: 'a value of a configuration file that another release supports',
      facts: only(
        [crashing()],
        says(
          '{"level":"error","msg":"Unable to load the configuration","error":"integrations.frameworks[0]: Unsupported value: \\"batch/jobb\\": supported values: \\"batch/job\\", \\"pod\\""}',
        ),
      ),
      expect: {
        messageId: 'argument',
        data: of(
          'load the configuration: integrations.frameworks[0]: Unsupported value: "batch/jobb": supported values: "batch/job", "pod"',
        ),
      },
    },
    ...[
      'Error: unknown command "serve" for "webhook"',
      "error: unexpected argument '--enable-webhook' found",
    ].map((line) => ({
      name: `an argument of another release, in the words ${line}`,
      facts: only([crashing()], says(line)),
      expect: { messageId: 'argument' },
    })),
    {
      name: 'a kind that the API server does not serve',
      facts: only([crashing()], { ...noTenant, ...serves([]) }),
      expect: { messageId: 'kind', data: of('Tenant', 'example.com/v1') },
    },
    {
      name: 'a kind that an informer waits for, and the API server does not serve',
      facts: only([crashing()], { ...noList, ...serves([]) }),
      expect: { messageId: 'kind', data: of('Tenant', 'example.com') },
    },
    {
      name: 'a CustomResourceDefinition that does not exist',
      facts: only([crashing()], { ...noDefinition, ...serves([]) }),
      expect: { messageId: 'definition', data: of('tenants.example.com') },
    },
    {
      name: 'a CustomResourceDefinition that the program waits for, and that does not exist',
      facts: only([crashing()], { ...awaitsDefinition, ...serves([]) }),
      expect: { messageId: 'definition', data: of('tenants.example.com') },
    },
    {
      name: 'a webhook configuration that does not exist, and that the program looks up',
      facts: only([crashing()], { ...noRegistration, ...registered([]) }),
      expect: {
        messageId: 'registration',
        data: of('ValidatingWebhookConfiguration', 'policy-validation'),
      },
    },
    {
      name: 'a webhook configuration that OLM has created under another name',
      facts: only([crashing()], {
        ...noRegistration,
        ...registered(['policy.example.com-x7k2p']),
        callouts: [
          webhook({ metadata: { name: 'policy.example.com-x7k2p', labels: { 'olm.owner': 'policy.v1' } } }),
        ],
      }),
      expect: { messageId: 'generatedName' },
    },
    {
      name: 'a new revision that does not start, while the former one serves',
      facts: besideFormer('policy-def', noTenant, serves([])),
      expect: { messageId: 'kind', severity: 'warning' },
    },
    {
      name: 'a variable that Kubernetes sets for a Service',
      facts: only(
        [silent],
        says(
          'panic: failed to convert the environment variable "WEBHOOK_PORT" : strconv.Atoi: parsing "tcp://203.0.113.7:9090": invalid syntax',
        ),
      ),
      expect: { messageId: 'variable', data: of('WEBHOOK_PORT', 'tcp://203.0.113.7:9090') },
    },
    {
      name: 'a program that writes its configuration as v1beta1',
      facts: only(
        [silent],
        says('Error updating MutatingWebhookConfiguration: the server could not find the requested resource'),
      ),
      expect: { messageId: 'removed', data: of('admissionregistration.k8s.io/v1beta1', '') },
    },
    {
      name: 'a program that requests its certificate as v1beta1',
      facts: alerting(
        'internal error',
        says(
          'E1130 00:12:57.517714 1 certificate_manager.go:596] "Failed while requesting a signed certificate" err="cannot create certificate signing request: the server could not find the requested resource"',
        ),
      ),
      expect: { messageId: 'removed' },
    },
    {
      name: 'a program that reports several such requests, and the error at the end',
      facts: only(
        [silent],
        says(
          `Error: ${'certificate signing request '.repeat(20)}: the server could not find the requested resource`,
        ),
      ),
      expect: { messageId: 'removed', data: of('certificates.k8s.io/v1beta1', '') },
    },
    {
      name: 'a certificate file in a directory without a volume',
      facts: only([crashing()], noFile),
      expect: { messageId: 'unmounted', data: of('/certs/tls.crt') },
    },
    {
      name: 'a Secret that is mounted at another path',
      facts: only([mounted('/certificates')], noFile),
      expect: {
        messageId: 'elsewhere',
        data: of('/certs/tls.crt', 'Secret policy-tls is mounted at /certificates'),
      },
    },
    {
      name: 'a Secret volume that gives the keys other names, by an error of Node',
      facts: only(
        [mounted('/certs', { items: [{ key: 'tls.crt', path: 'cert.pem' }] })],
        says("Error: ENOENT: no such file or directory, open '/certs/tls.crt'"),
      ),
      expect: {
        messageId: 'items',
        data: of('/certs/tls.crt', 'Secret policy-tls provides /certs/cert.pem'),
      },
    },
    {
      name: 'a Secret with other keys, as a Job for certificates fills it, by an error of ingress-nginx',
      facts: only([mounted('/certs')], {
        ...says(
          'E1130 13:22:31.078344 1 ssl.go:514] unexpected error: lstat /certs/tls.key: no such file or directory',
        ),
        ...holding('key', 'cert', 'ca'),
      }),
      expect: {
        messageId: 'keys',
        data: of('/certs/tls.key', 'Secret policy-tls has the keys ca, cert and key'),
        names: { secret: 'policy-tls' },
      },
    },
    {
      name: 'an optional Secret that does not exist',
      facts: only([mounted('/certs', { optional: true })], noFile),
      expect: { messageId: 'absent', data: of('/certs/tls.crt', 'shop/policy-tls') },
    },
    {
      name: 'a file of a Secret that the process must not read',
      facts: only([mounted('/certs')], says("[Errno 13] Permission denied: '/certs/tls.key'")),
      expect: { messageId: 'unreadable', data: of('/certs/tls.key', 'Secret policy-tls') },
    },
    {
      name: 'a file that the process creates in a read-only root file system',
      facts: only([crashing()], says("Error: EROFS: read-only file system, open '/tmp/serving.pem'")),
      expect: {
        messageId: 'readOnly',
        data: of('/tmp/serving.pem', 'the root file system of its container'),
      },
    },
    {
      name: 'a file that the process creates in the volume of a Secret',
      facts: only([mounted('/certs')], says('mkdir /certs/new: read-only file system')),
      expect: { messageId: 'readOnly', data: of('/certs/new', 'the volume at /certs') },
    },
    {
      name: 'a socket that another container of the Pod creates',
      facts: only([withSocket({}, 'sockets')], noSocket),
      expect: {
        messageId: 'socket',
        data: {
          pods: 'container webhook of Pod policy-1',
          what: '/run/spire/sockets/api.sock',
          detail: 'container spire',
        },
        names: { pod: 'policy-1' },
      },
    },
    {
      name: 'a socket that one of several other containers creates, a sidecar among them',
      facts: only([withAgent(withSocket({}, 'sockets'))], noSocket),
      expect: {
        messageId: 'socket',
        data: {
          pods: 'container webhook of Pod policy-1',
          what: '/run/spire/sockets/api.sock',
          detail: 'another container',
        },
      },
    },
    {
      name: 'a socket that a sidecar creates, and on which it does not listen',
      facts: only(
        [withAgent(withSocket({}, 'other'))],
        says(
          'ERROR setup failed {"error": "dial unix /run/spire/sockets/api.sock: connect: connection refused"}',
        ),
      ),
      expect: {
        messageId: 'socket',
        data: {
          pods: 'container webhook of Pod policy-1',
          what: '/run/spire/sockets/api.sock',
          detail: 'container agent',
        },
      },
    },
    {
      name: 'a socket that a process on the node creates',
      facts: only([withSocket({ hostPath: { path: '/run/spire' } })], noSocket),
      expect: { messageId: 'nodeSocket', names: { node: 'n1' } },
    },
    {
      name: 'an identity that SPIRE has not issued',
      facts: only([silent], { ...noIdentity, ...serves([spiffeIds]) }),
      expect: { messageId: 'identity', data: of('') },
    },
    {
      name: 'an identity that SPIRE has not issued, where its entries are no custom resources',
      facts: only([silent], { ...noIdentity, ...serves([tenant]) }),
      expect: { messageId: 'entry', data: of('') },
    },
    {
      name: 'an identity that SPIRE has not issued, where discovery was not read',
      facts: only([silent], { ...noIdentity, served: forbidden('apis') }),
      expect: { messageId: 'anyEntry', data: of('') },
    },
    {
      name: 'a token that is not mounted',
      facts: only(
        [crashing()],
        says('panic: open /var/run/secrets/kubernetes.io/serviceaccount/token: no such file or directory'),
      ),
      expect: { messageId: 'token', data: of('') },
    },
    {
      name: 'a CA Secret that an argument names, and that contains no PEM',
      facts: only(
        [
          crashing({
            args: ['--ca-secret-namespace=shop', '--ca-secret-name=policy-ca', '--port=8443'],
          }),
        ],
        noPair,
      ),
      expect: {
        messageId: 'keyPair',
        data: of('policy-ca', 'failed to find any PEM data in certificate input'),
      },
    },
    {
      name: 'the one of two Secrets whose certificate is empty',
      facts: only([twoSecrets], { ...noPair, ...secretIs({}) }),
      expect: {
        messageId: 'keyPair',
        data: of('policy-tls', 'failed to find any PEM data in certificate input'),
      },
    },
    {
      name: 'the one of two Secrets that is for a certificate, which does not parse',
      facts: only([twoSecrets], { ...says('Error: x509: malformed certificate'), ...bothSecrets(['token']) }),
      expect: { messageId: 'keyPair', data: of('policy-tls', 'x509: malformed certificate') },
    },
    ...[
      { name: 'which was not read', secrets: { secrets: forbidden<CertificateSecret>() } },
      { name: 'which certainly contains no certificate', secrets: secretIs({}, created) },
    ].map(({ name, secrets }) => ({
      name: `a Secret that the program itself creates, and does not fill, ${name}`,
      facts: creates(emptyPair, secrets),
      expect: {
        messageId: 'createdPair' as const,
        data: { pods: 'Pod policy-1', what: 'cnpg-webhook-cert', by: "CloudNativePG's operator" },
      },
    })),
    ...[
      {
        name: 'with the key of another certificate',
        line: 'tls: private key does not match public key',
        secrets: secretIs({ 'tls.crt': 'PEM' }, created),
      },
      {
        name: 'which was not read, with the key of another certificate',
        line: 'tls: private key does not match public key',
        secrets: { secrets: forbidden<CertificateSecret>() },
      },
      {
        name: 'which contains a certificate now',
        line: emptyPair,
        secrets: secretIs({ 'tls.crt': 'PEM' }, created),
      },
      {
        name: 'which cert-manager fills',
        line: emptyPair,
        secrets: secretIs({}, { ...created, annotations: { 'cert-manager.io/certificate-name': 'webhook' } }),
      },
    ].map(({ name, line, secrets }) => ({
      name: `a Secret that the program itself creates, ${name}`,
      facts: creates(line, secrets),
      expect: { messageId: 'keyPair' as const },
    })),
    ...[
      'panic: tls: failed to parse private key',
      'cannot load TLS: error:1C800064:Provider routines::bad decrypt',
    ].map((line) => ({
      name: `a private key with a passphrase, in the words ${line}`,
      facts: only([mounted('/certs')], says(line)),
      expect: { messageId: 'encrypted', data: of('policy-tls') },
    })),
    ...['internal error', 'handshake failure'].map((alert) => ({
      name: `a server that listens without the certificate of another path, and sends ${alert}`,
      facts: alerting(alert, noFile),
      expect: {
        messageId: 'elsewhere',
        data: of('/certs/tls.crt', 'Secret policy-tls is mounted at /certificates'),
      },
    })),
    {
      name: 'a server without a certificate, which looks up a configuration of another name',
      facts: misnamed('internal error', ['policy'], undefined, [
        webhook({ kind: 'mutating', ref: { kind: 'MutatingWebhookConfiguration', name: 'policy' } }),
      ]),
      expect: {
        messageId: 'misnamed',
        data: of('MutatingWebhookConfiguration policy-old', 'TLS_AUTO'),
        names: { setting: 'TLS_AUTO' },
      },
    },
    {
      name: 'a server without a certificate, whose configuration of the other kind was deleted',
      facts: misnamed('internal error', []),
      expect: { messageId: 'misnamed', names: { setting: 'TLS_AUTO', configuration: undefined } },
    },
    {
      name: 'the lock of a Pod on a lost node',
      facts: only([silent, owner({ phase: 'Running' }, ago(3600))], owned),
      expect: { messageId: 'lock', data: of('policy-old', 'Terminating') },
    },
    {
      name: 'a kube-apiserver without the flags of the aggregation layer',
      facts: only([crashing()], says("Error: cluster doesn't provide requestheader-client-ca-file")),
      expect: { messageId: 'aggregation', data: of('--requestheader-client-ca-file', '') },
    },
    {
      name: 'a release that calls a version of an API that the cluster removed',
      facts: only(
        [crashing()],
        says(
          'E0213 11:36:27.463870 1 webhook.go:196] Failed to make webhook authorizer request: the server could not find the requested resource',
          'E0213 11:36:27.464009 1 errors.go:77] the server could not find the requested resource',
        ),
      ),
      expect: { messageId: 'review', data: of('SubjectAccessReview', '') },
    },
    {
      name: 'a start that is too slow because requests are throttled',
      facts: only([crashing()], says(waited(1.04), waited(11.09), tooLate)),
      expect: { messageId: 'throttled' },
    },
    {
      name: 'the lock of an evicted Pod',
      facts: only([silent, owner({ phase: 'Failed', reason: 'Evicted' })], owned),
      expect: { messageId: 'lock', data: of('policy-old', 'Evicted') },
    },
  ],
  reportsNothing: [
    {
      name: 'an identity that SPIRE issued later: the Pod waits for something else',
      facts: only([silent], {
        ...says(
          identityMissing,
          '[INFO] X509-SVID received for spiffe://example.org/ns/shop/sa/policy',
          '[INFO] waiting for cache sync of widgets.example.com',
        ),
        ...serves([spiffeIds]),
      }),
    },
    { name: 'a socket in a directory of the container', facts: only([crashing()], noSocket) },
    {
      name: 'a socket in a volume that no other container mounts',
      facts: only([withSocket({}, 'other')], noSocket),
    },
    {
      name: 'a socket that the program does without: it exits for another reason',
      facts: only(
        [withSocket({}, 'sockets')],
        says(
          'WARN tracing disabled: dial unix /run/spire/sockets/apm.sock: connect: no such file or directory',
          'FATAL unable to load policy bundle: checksum mismatch',
        ),
      ),
    },
    {
      name: 'a Pod that exits beside one of the same revision that serves',
      facts: besideFormer('policy-abc', noTenant, serves([])),
    },
    {
      name: 'a release that calls a version of an API that the cluster removed, but exits for another reason',
      facts: only(
        [crashing()],
        says(
          'E0213 11:36:27.463870 1 webhook.go:196] Failed to make webhook authorizer request: the server could not find the requested resource',
          'F0213 11:36:28.412984 1 main.go:30] unable to load policy bundle: checksum mismatch',
        ),
      ),
    },
    ...[
      "W0101 08:52:11.1 1 authentication.go:1] cluster doesn't provide client-ca-file in configmap/extension-apiserver-authentication in kube-system, so client certificate authentication won't work.",
      "W0101 08:52:11.1 1 authentication.go:1] cluster doesn't provide requestheader-client-ca-file in configmap/extension-apiserver-authentication in kube-system, so request-header client certificate authentication won't work.",
    ].map((line) => ({
      name: `a server that starts after a warning: ${line.slice(40, 100)}`,
      facts: only([crashing()], says(line, 'I0101 08:52:11.4 1 serving.go:1] Serving securely on [::]:4443')),
    })),
    ...[
      'unable to register ValidatingWebhookConfiguration policy: json: cannot unmarshal string into Go value of type int',
      "unable to read kubeconfig from https://sts: invalid character '<' looking for beginning of value",
    ].map((line) => ({
      name: `a text that is not the configuration: ${line.slice(0, 60)}`,
      facts: only(
        [
          crashing(
            { volumeMounts: [{ name: 'config', mountPath: '/config' }] },
            { volumes: [{ name: 'config', configMap: { name: 'config' } }] },
          ),
        ],
        says(`Error: ${line}`),
      ),
    })),
    ...[
      [tooLate],
      [waited(1.04), tooLate],
      [waited(11.09), 'Error: dial tcp 198.51.100.9:5432: timeout while the cache was initialized'],
      [waited(11.09), 'Error: unknown policy engine'],
      [waited(11.09), 'panic: timed out waiting for cert-manager to be ready'],
      [waited(11.09), 'panic: timed out waiting for vault to be initialized'],
      [
        waited(1.04).replace('/apis/a.example.com/v1?timeout=32s', '/apis/a.example.com/v1/leases/policy'),
        tooLate,
      ],
      [
        waited(11.09),
        'E0105 reflector.go:138] Failed to list *v1.Tenant: conversion webhook failed',
        'Error: timed out waiting for caches to sync',
      ],
    ].map((lines) => ({
      name: `requests that are not throttled for long, or are not the cause: ${lines.at(-1)}`,
      facts: only([crashing()], says(...lines)),
    })),
    ...silences(crashing(), closed),
    ...[
      'wait for cache sync: interrupted or cancelled',
      'Failed to make webhook authorizer request: Post "https://203.0.113.1:443/apis": context canceled',
      'failed to decrypt session: bad decrypt',
      'cannot read encrypted private key of SSH deploy key',
    ].map((line) => ({
      name: `no key of the server: ${line}`,
      facts: only([mounted('/certs')], says(line)),
      outcome: 'pass' as const,
    })),
    {
      name: 'the server listens on the port of a flag, and warns of a file that it does not need',
      facts: warning({ args: ['--web.listen-address=:9443'] }),
      outcome: 'pass',
    },
    {
      name: 'the server listens on another port by its log, and warns of a file that it does not need',
      facts: warning({}, 'level=info msg="starting secure server" address=[::]:9443'),
      outcome: 'pass',
    },
    {
      name: 'a Ready server that completes the handshake logged the error before',
      facts: alerting(undefined, noFile),
      outcome: 'pass',
    },
    {
      name: 'a Ready server sends an alert for another reason',
      facts: alerting('internal error', closed),
      outcome: 'pass',
    },
    {
      name: 'a server that has its certificate looked up a configuration of another name',
      facts: misnamed(undefined, ['policy']),
      outcome: 'pass',
    },
    {
      name: 'the configuration that a setting names exists now',
      facts: misnamed('internal error', ['policy-old']),
      outcome: 'pass',
    },
    {
      name: 'no setting names the configuration, which can be of another product',
      facts: misnamed('internal error', [], []),
      outcome: 'pass',
    },
    { name: 'other Pods serve requests', facts: beside([crashing()], closed), outcome: 'pass' },
    {
      name: 'another server does not support a command',
      facts: only([crashing()], says("panic: ERR unknown command 'HELLO', with args beginning with: '3'")),
      outcome: 'pass',
    },
    {
      name: 'the port is above 1023',
      facts: only([crashing()], says('listen tcp :8443: bind: permission denied')),
      outcome: 'pass',
    },
    {
      name: 'a program that continues without the kind',
      facts: only([crashing()], {
        ...says(
          '{"level":"info","logger":"setup","msg":"skipping setup of Indexer","error":"no matches for kind \\"Ingress\\" in version \\"networking.k8s.io/v1beta1\\""}',
        ),
        ...serves([]),
      }),
      outcome: 'pass',
    },
    {
      name: 'the API server serves the kind for which an informer waited',
      facts: only([crashing()], { ...noList, ...serves([tenant]) }),
      outcome: 'pass',
    },
    {
      name: 'the version for which an informer waits is stale in discovery',
      facts: only([crashing()], { ...noList, ...serves([], ['example.com/v1']) }),
      outcome: 'pass',
    },
    {
      name: 'the API server serves the kind now',
      facts: only([crashing()], { ...noTenant, ...serves([tenant]) }),
      outcome: 'pass',
    },
    {
      name: 'the CustomResourceDefinition exists now',
      facts: only([crashing()], { ...noDefinition, ...serves([tenant]) }),
      outcome: 'pass',
    },
    {
      name: 'the program waited for a CustomResourceDefinition that the API server serves now',
      facts: only([crashing()], { ...awaitsDefinition, ...serves([tenant]) }),
    },
    {
      name: 'the program waited for a CustomResourceDefinition, and is Ready',
      facts: healthy({ ...awaitsDefinition, ...serves([]) }),
    },
    {
      name: 'the program waits for CRDs without a name',
      facts: only([crashing()], {
        ...says('level=info msg="Waiting for CRDs to be established"'),
        ...serves([]),
      }),
    },
    {
      name: 'discovery of the group failed',
      facts: only([crashing()], { ...noTenant, ...serves([], ['example.com/v1']) }),
      outcome: 'pass',
    },
    {
      name: 'the Secret has the key of the file now',
      facts: only([mounted('/certs')], { ...noFile, ...holding('tls.crt', 'tls.key') }),
      outcome: 'pass',
    },
    ...['ca.crt', 'cacert.pem', 'ca_cert.pem'].map((file) => ({
      name: `a file of a CA, which a program may not need: ${file}`,
      facts: only([mounted('/certs')], {
        ...says(`error: stat /certs/${file}: no such file or directory`),
        ...holding('tls.crt', 'tls.key'),
      }),
      outcome: 'pass' as const,
    })),
    {
      name: 'a file that the program can do without, before the error with which it exits',
      facts: only([mounted('/certs')], {
        ...says(
          'error: open /certs/client.crt: no such file or directory',
          'I0101 main.go:60] continuing without a client certificate',
          'panic: license expired',
        ),
        ...holding('tls.crt', 'tls.key'),
      }),
      outcome: 'pass',
    },
    {
      name: 'a warning about a file that the Secret does not have',
      facts: only([mounted('/certs')], {
        ...says(
          'level=warn msg="no client certificate" err="open /certs/client.crt: no such file or directory"',
        ),
        ...holding('tls.crt', 'tls.key'),
      }),
      outcome: 'pass',
    },
    { name: 'a volume is mounted at the file', facts: only([mounted('/certs/')], noFile), outcome: 'pass' },
    {
      name: 'the certificate that does not parse is in one of two Secrets for certificates',
      facts: only([twoSecrets], {
        ...says('Error: x509: malformed certificate'),
        ...bothSecrets(['tls.crt', 'tls.key']),
      }),
      outcome: 'pass',
    },
    {
      name: 'the certificate of a client does not parse, and the process ends for another reason',
      facts: only([twoSecrets], {
        ...says(
          'level=error msg="tls: failed to parse certificate from client: x509: malformed certificate"\nError: x509: malformed issuer\npanic: no such zone',
        ),
        ...bothSecrets(['token']),
      }),
      outcome: 'pass',
    },
    {
      name: 'the pair is in one of two Secrets',
      facts: only(
        [crashing({ args: ['--ca-secret=shop/policy-ca', '--tls-secret=shop/policy-tls'] })],
        noPair,
      ),
      outcome: 'pass',
    },
    {
      name: 'the pair is in one of two Secrets, and the known one contains a certificate',
      facts: only([twoSecrets], { ...noPair, ...secretIs({ 'tls.crt': 'PEM' }) }),
      outcome: 'pass',
    },
    {
      name: 'the webhook configuration exists now',
      facts: only([crashing()], { ...noRegistration, ...registered(['policy-validation']) }),
      outcome: 'pass',
    },
    {
      name: 'a program that continues without the webhook configuration, and exits because of another error',
      facts: only([crashing()], {
        ...says(
          'E1129 07:19:42.384704 1 rotator.go:300] validatingwebhookconfigurations.admissionregistration.k8s.io "policy-validation" not found',
          'panic: license expired',
        ),
        ...registered([]),
      }),
      outcome: 'pass',
    },
    {
      name: 'a program that creates the webhook configuration itself',
      facts: only([crashing()], {
        ...says(
          'I1129 07:19:42.384704 1 main.go:30] creating: mutatingwebhookconfigurations.admissionregistration.k8s.io "policy" not found',
          'panic: license expired',
        ),
        ...registered([]),
      }),
      outcome: 'pass',
    },
    {
      name: 'the owner of the lock is not among the Pods of the Service, as a leader without its labels',
      facts: only([sibling], lock),
      outcome: 'pass',
    },
    {
      name: 'a standby whose log names a former owner of the lock, beside a leader that serves',
      facts: beside([sibling], lock),
      outcome: 'pass',
    },
    {
      name: 'the owner of the lock runs',
      facts: only([silent, as(pod(), { name: 'policy-old', uid: 'uid-old' })], owned),
      outcome: 'pass',
    },
    { name: 'the log names no cause', facts: only([crashing()], says('exit status 1')), outcome: 'pass' },
    { name: 'the log was not read', facts: only([crashing()]), outcome: 'pass' },
  ],
  isUnknown: doubts,
});
