import { replicaCrashLooping } from '../../../../src/checks/replica/pod-failure/replica-crash-looping.ts';
import { complete } from '../../../../src/facts/lookup.ts';
import type { Container } from '../../../../src/facts/objects/pod.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { aggregatedApi, healthy, lists, takenAt, webhook } from '../../../support/snapshot.ts';
import { ago, as, beside, doubts, event, events, only, silences, status, unready } from '../replicas.ts';

const end = { exitCode: 1, reason: 'Error', startedAt: ago(62), finishedAt: ago(61) };
const withStatus = (over: Parameters<typeof status>[0], ready = false) =>
  unready({
    status: {
      phase: 'Running',
      containerStatuses: [status(over)],
      ...(ready ? { conditions: [{ type: 'Ready', status: 'True' }] } : {}),
    },
  });
const backingOff = withStatus({
  restartCount: 4,
  state: {
    waiting: { reason: 'CrashLoopBackOff', message: 'back-off 20s restarting failed container=webhook' },
  },
  lastState: { terminated: end },
});
const found = { pods: 'Pod policy-1', container: 'webhook', code: 1, reason: 'Error', restarts: 4 };
const startup = 'Startup probe failed: dial tcp 198.51.100.15:9999: connect: connection refused';
const liveness = 'Liveness probe failed: dial tcp 198.51.100.15:9999: connect: connection refused';
const between = (ready: boolean, runsFor: number, restartCount: number, ranBefore = 12) =>
  withStatus(
    {
      ready,
      started: true,
      restartCount,
      state: { running: { startedAt: ago(runsFor) } },
      lastState: {
        terminated: { ...end, startedAt: ago(runsFor + 1 + ranBefore), finishedAt: ago(runsFor + 1) },
      },
    },
    ready,
  );

/** A crash-looping Pod whose container, with a liveness probe unless given, ended in this way. */
const endedWith = (
  exitCode: number,
  reason: string,
  probes: object = { livenessProbe: { httpGet: { port: 8443 } } },
) =>
  unready({
    spec: { containers: [{ name: 'webhook', ...probes }] },
    status: {
      phase: 'Running',
      containerStatuses: [
        status({
          restartCount: 4,
          state: { waiting: { reason: 'CrashLoopBackOff' } },
          lastState: { terminated: { ...end, exitCode, reason } },
        }),
      ],
    },
  });

/** A crash-looping Pod with these containers, whose log ends with an error about a port. */
const withoutPort = (line: string, ...containers: readonly Container[]) =>
  only([{ ...backingOff, spec: { ...backingOff.spec, containers } }], {
    logs: complete([['shop/policy-1/webhook', line]]),
  });
const absentSettings = withoutPort('fatal: configmaps "policy-settings" not found', { name: 'webhook' });
const throughItself = (webhook: string) =>
  `fatal: error in setup: Internal error occurred: failed calling webhook "${webhook}": failed to call webhook: Post "https://policy.shop.svc:443/validate?timeout=10s": dial tcp 203.0.113.44:443: connect: connection refused`;
const goInUse = 'panic: listen tcp :8443: bind: address already in use';
const nodeInUse = 'Error: listen EADDRINUSE: address already in use 0.0.0.0:8443';
const webhookAt8443 = { name: 'webhook', args: ['--webhook-port=8443'] };

/** A crash-looping Pod that mounts a ConfigMap and a Secret. */
const withConfiguration = (line: string, mountedIn = 'webhook') => {
  const mounting = {
    ...backingOff,
    spec: {
      ...backingOff.spec,
      containers: [
        {
          name: mountedIn,
          volumeMounts: [
            { name: 'conf', mountPath: '/conf/' },
            { name: 'certs', mountPath: '/certs' },
          ],
        },
      ],
      volumes: [
        { name: 'conf', configMap: { name: 'guard' } },
        { name: 'certs', secret: { secretName: 'guard' } },
      ],
    },
  };
  return only([mounting], { logs: complete([['shop/policy-1/webhook', line]]) });
};

const held = (holderIdentity: string) =>
  lists({
    shop: [
      {
        metadata: { namespace: 'shop', name: 'policy-leader' },
        spec: { holderIdentity, renewTime: takenAt, leaseDurationSeconds: 15 },
      },
    ],
  });

const unavailable =
  'unable to retrieve the complete list of server APIs: metrics.k8s.io/v1beta1: the server is currently unable to handle the request';
/** A container that exits with this last line, and an APIService of the metrics API with this condition. */
/** A Pod whose container ended with exit code 2 after that many seconds. */
const ended = (ran: number) =>
  unready({
    spec: { containers: [{ name: 'webhook', livenessProbe: { httpGet: { port: 9999 } } }] },
    status: {
      phase: 'Running',
      containerStatuses: [
        status({
          restartCount: 4,
          state: { waiting: { reason: 'CrashLoopBackOff' } },
          lastState: {
            terminated: { ...end, exitCode: 2, startedAt: ago(10 + ran), finishedAt: ago(10) },
          },
        }),
      ],
    },
  });

const besideApi = (status: 'True' | 'False', line: string) =>
  only([backingOff], {
    callouts: [
      ...(healthy().callouts ?? []),
      aggregatedApi({
        configuration: 'v1beta1.metrics.k8s.io',
        group: 'metrics.k8s.io',
        version: 'v1beta1',
        client: { service: { namespace: 'kube-system', name: 'metrics-server', port: 443 } },
        conditions: [{ type: 'Available', status, reason: 'MissingEndpoints', message: 'none' }],
      }),
    ],
    logs: complete([['shop/policy-1/webhook', line]]),
  });

const panicAfter = (line: string) =>
  `${line}\npanic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation]\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/policy/main.go:88 +0x21`;

describeCheck(replicaCrashLooping, {
  reports: [
    {
      name: 'a program that exits because an APIService is not Available',
      facts: besideApi('False', `Error: ${unavailable}`),
      expect: {
        messageId: 'api',
        data: {
          pods: 'Pod policy-1',
          container: 'webhook',
          api: 'v1beta1.metrics.k8s.io',
          detail: unavailable,
        },
      },
    },
    {
      name: 'the error alone, if the APIService is Available again',
      facts: besideApi('True', `Error: ${unavailable}`),
      expect: { messageId: 'allLogged' },
    },
    {
      name: 'the error alone, if the log names another API whose name ends like that of the APIService',
      facts: besideApi('False', `Error: ${unavailable.replace('metrics.k8s.io', 'custom.metrics.k8s.io')}`),
      expect: { messageId: 'allLogged' },
    },
    {
      name: 'an APIService that the error names after another one',
      facts: besideApi(
        'False',
        `Error: ${unavailable.replace(': metrics', ': a.example.com/v1: stale, metrics')}`,
      ),
      expect: { messageId: 'api' },
    },
    {
      name: 'a leader whose requests to renew its Lease timed out',
      facts: withoutPort(
        'E0620 03:10:05.0 1 leaderelection.go:330] error retrieving resource lock shop/leader: Get "https://203.0.113.1:443/apis": context deadline exceeded\nI0620 03:10:05.1 1 leaderelection.go:283] failed to renew lease shop/leader: timed out waiting for the condition\nFATAL leader election lost',
        webhookAt8443,
      ),
      expect: {
        messageId: 'lostLease',
        data: { pods: 'Pod policy-1', container: 'webhook', lease: 'shop/leader' },
      },
    },
    {
      name: 'the error alone, if a leader had no connection to the API server',
      facts: withoutPort(
        'E0620 03:10:05.0 1 leaderelection.go:330] error retrieving resource lock shop/leader: Get "https://203.0.113.1:443/apis": dial tcp 203.0.113.1:443: connect: connection refused\nI0620 03:10:05.1 1 leaderelection.go:283] failed to renew lease shop/leader: timed out waiting for the condition\nFATAL leader election lost',
        webhookAt8443,
      ),
      expect: { messageId: 'allLogged' },
    },
    {
      name: 'a runtime error of a Go program, with the first frame of its own',
      facts: withoutPort(
        'panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation]\n\ngoroutine 7 [running]:\npanic({0x1, 0x2})\n\t/usr/local/go/src/runtime/panic.go:770 +0x132\nexample.com/policy/validation.(*Handler).Handle(0xc0)\n\t/src/policy/validation/handler.go:88 +0x21\nnet/http.serve()\n\t/usr/local/go/src/net/http/server.go:3142 +0x8e',
        webhookAt8443,
      ),
      expect: {
        messageId: 'panicked',
        data: {
          pods: 'Pod policy-1',
          container: 'webhook',
          place: 'validation/handler.go:88',
          detail: 'runtime error: invalid memory address or nil pointer dereference',
          code: 1,
          restarts: 4,
        },
      },
    },
    ...[
      '{"level":"error","msg":"unable to start","error":"open /certs/tls.crt: no such file or directory"}',
      'E1127 reflector.go:150] failed to list *v1.Pod: pods is forbidden: User "system:serviceaccount:shop:policy" cannot list resource "pods" in API group "" at the cluster scope',
      'E1127 main.go:20] no such policy',
    ].map((line) => ({
      name: `the error that a program logged before it panics: ${line.slice(0, 40)}`,
      facts: withoutPort(panicAfter(line), webhookAt8443),
      expect: { messageId: 'allLogged' } as const,
    })),
    {
      name: 'both errors, if a program panics after an error',
      facts: withoutPort(panicAfter('Error: no such policy'), webhookAt8443),
      expect: {
        messageId: 'allLogged',
        data: {
          ...found,
          detail:
            'Error: no such policy, then runtime error: invalid memory address or nil pointer dereference',
        },
      },
    },
    {
      name: 'the port that is in use, if a program panics after that',
      facts: withoutPort(panicAfter('listen tcp :8443: bind: address already in use'), webhookAt8443, {
        name: 'proxy',
        ports: [{ containerPort: 8443 }],
      }),
      expect: { messageId: 'sharedPort' },
    },
    ...[
      'I1127 01:48:02.7 1 leaderelection.go:250] attempting to acquire leader lease shop/policy-leader...',
      'W1127 01:48:02.7 1 main.go:20] failed to read /conf/policy.yaml, using defaults',
    ].map((line) => ({
      name: `the panic, after a line that is no error: ${line.slice(0, 40)}`,
      facts: withoutPort(panicAfter(line), webhookAt8443),
      expect: { messageId: 'panicked' } as const,
    })),
    {
      name: 'the error alone, if a program panics for its configuration',
      facts: withoutPort(
        'panic: failed to read config: no such option\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/main.go:12 +0x21',
        webhookAt8443,
      ),
      expect: { messageId: 'allLogged' },
    },
    {
      name: 'a program that writes objects through its own webhook',
      facts: withoutPort(throughItself('policy.example.com'), webhookAt8443),
      expect: {
        messageId: 'writesThrough',
        data: { pods: 'Pod policy-1', container: 'webhook', webhook: 'policy.example.com' },
      },
    },
    {
      name: 'the error alone, if another webhook refuses what the program writes',
      facts: withoutPort(throughItself('other.example.com'), webhookAt8443),
      expect: { messageId: 'allLogged' },
    },
    {
      name: 'another container of the Pod with the same port',
      facts: withoutPort(nodeInUse, webhookAt8443, { name: 'proxy', ports: [{ containerPort: 8443 }] }),
      expect: {
        messageId: 'sharedPort',
        data: {
          pods: 'Pod policy-1',
          container: 'webhook',
          port: 8443,
          users: 'containers webhook and proxy',
        },
      },
    },
    {
      name: 'two servers of one process with the same port',
      facts: withoutPort(goInUse, {
        name: 'webhook',
        args: ['--webhook-port=8443', '--metrics-bind-address=:8443'],
      }),
      expect: {
        messageId: 'sharedPort',
        data: {
          ...{ pods: 'Pod policy-1', container: 'webhook', port: 8443 },
          users: 'settings webhook-port and metrics-bind-address of container webhook',
        },
      },
    },
    {
      name: 'who may use the port in the Pod, if no setting of another server has it',
      facts: withoutPort(
        goInUse,
        { name: 'webhook', args: ['--port=8443', '--bind-address=0.0.0.0:8443'] },
        {
          name: 'proxy',
          args: ['--upstream=http://127.0.0.1:8443', '--listen=:9443'],
          env: [{ name: 'OPA_ADDR', value: 'localhost:8443' }],
        },
      ),
      expect: {
        messageId: 'portInPod',
        data: {
          ...{ pods: 'Pod policy-1', container: 'webhook', port: 8443 },
          holder: 'container proxy or another server of its process',
        },
      },
    },
    {
      name: 'a port of the only container',
      facts: withoutPort(nodeInUse, { name: 'webhook' }),
      expect: { messageId: 'portInPod' },
    },
    {
      name: 'a ConfigMap that the program reads and does not find',
      facts: { ...absentSettings, callouts: [webhook({ failurePolicy: 'Ignore' })] },
      expect: { messageId: 'absent' },
    },
    {
      name: 'a Deployment that the program looks up and does not find',
      facts: withoutPort('Error: failed to fetch our deployment: deployments.apps "webhook" not found', {
        name: 'webhook',
      }),
      expect: { messageId: 'absentWorkload' },
    },
    {
      name: 'a custom resource that it does not find, named like a workload',
      facts: withoutPort('Error: modeldeployments.ml.example.com "a" not found', { name: 'webhook' }),
      expect: { messageId: 'allLogged' },
    },
    {
      name: 'the Service of a webhook that it needs, and that does not exist',
      facts: withoutPort(
        'Error: failed calling webhook "x.example.com": failed to call webhook: service "deployment" not found',
        { name: 'webhook' },
      ),
      expect: { messageId: 'allLogged' },
    },
    {
      name: 'a ConfigMap that it does not find, and whose creation must pass its own webhook',
      facts: absentSettings,
      expect: {
        messageId: 'absentBlocked',
        data: {
          pods: 'Pod policy-1',
          container: 'webhook',
          restarts: 4,
          what: 'ConfigMap shop/policy-settings',
          webhook: 'policy.example.com',
        },
      },
    },
    {
      name: 'a ConfigMap that it does not find, and a webhook for another version',
      facts: {
        ...absentSettings,
        callouts: [
          webhook({
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } },
            rules: [
              { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v2'], resources: ['configmaps'] },
            ],
          }),
        ],
      },
      expect: { messageId: 'absent' },
    },
    {
      name: 'a ConfigMap that it does not find, and a webhook that is not called for this namespace',
      facts: {
        ...absentSettings,
        callouts: [
          webhook({
            namespaceSelector: {
              matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['shop'] }],
            },
          }),
        ],
      },
      expect: { messageId: 'absent' },
    },
    {
      name: 'the ConfigMap that has its variables, if it is the only one',
      facts: withoutPort('Error: invalid value "1.2" of --tls-min', {
        name: 'webhook',
        envFrom: [{ configMapRef: { name: 'settings' } }],
        env: [{ name: 'MODE', valueFrom: { configMapKeyRef: { name: 'settings', key: 'mode' } } }],
      }),
      expect: { messageId: 'allLogged', names: { variables: 'configmap/settings' } },
    },
    {
      name: 'no ConfigMap, if there are several, or another container has it',
      facts: withoutPort(
        'Error: invalid value "1.2" of --tls-min',
        {
          name: 'webhook',
          envFrom: [{ configMapRef: { name: 'settings' } }, { configMapRef: { name: 'more' } }],
        },
        { name: 'proxy', envFrom: [{ configMapRef: { name: 'settings' } }] },
      ),
      expect: { messageId: 'allLogged', names: { variables: undefined } },
    },
    {
      name: 'the error alone, if the log has another reason',
      facts: besideApi('False', 'Error: flag provided but not defined: -metrics.k8s.io/v1beta1'),
      expect: {
        messageId: 'allLogged',
        data: { ...found, detail: 'Error: flag provided but not defined: -metrics.k8s.io/v1beta1' },
      },
    },
    {
      name: 'the error in the log of the second of two crashing Pods, if only that was read',
      facts: only([backingOff, { ...backingOff, metadata: { ...backingOff.metadata, name: 'policy-2' } }], {
        logs: complete([['shop/policy-2/webhook', 'Error: flag provided but not defined: -port']]),
      }),
      expect: {
        messageId: 'allLogged',
        data: {
          ...found,
          pods: 'the 2 Pods of Deployment policy',
          detail: 'Error: flag provided but not defined: -port',
        },
      },
    },
    {
      name: 'the ConfigMap with the file that the log names',
      facts: withConfiguration('Error: /conf/guard.yaml: line 2: mapping values'),
      expect: {
        messageId: 'mounted',
        data: {
          ...found,
          detail: 'Error: /conf/guard.yaml: line 2: mapping values',
          holder: 'ConfigMap shop/guard',
        },
      },
    },
    {
      name: 'the error alone, if another container mounts the ConfigMap there',
      facts: withConfiguration('Error: /conf/guard.yaml: line 2: mapping values', 'sidecar'),
      expect: { messageId: 'allLogged' },
    },
    {
      name: 'the error alone, if the log names a file beside the ConfigMap, in a Secret, or a URL',
      facts: withConfiguration('Error: /configuration/a, /certs/tls.crt or https://host/conf/a not found'),
      expect: { messageId: 'allLogged' },
    },
    {
      name: 'the crash alone, if no line of the log reports a problem',
      facts: besideApi('False', 'I1127 15:04:05.000000       1 main.go:51] starting'),
      expect: { messageId: 'all', data: found },
    },
    {
      name: 'the error of a new Pod beside others that serve',
      facts: beside([backingOff], {
        logs: complete([
          [
            'shop/policy-1/webhook',
            '{"level":"error","msg":"unable to load the configuration","error":"EOF"}',
          ],
        ]),
      }),
      expect: {
        messageId: 'logged',
        data: { pods: 'Pod policy-1', container: 'webhook', detail: 'unable to load the configuration: EOF' },
      },
    },
    {
      name: 'that only the Pod crashes that does not hold the Lease',
      facts: beside([backingOff], { leases: held('policy-good_0a1b') }),
      expect: {
        messageId: 'followers',
        data: {
          pods: 'Pod policy-1',
          container: 'webhook',
          lease: 'shop/policy-leader',
          detail: 'exit code 1, restart count 4',
        },
      },
    },
    {
      name: 'why the Pod crashes that does not hold the Lease',
      facts: beside([backingOff], {
        leases: held('policy-good_0a1b'),
        logs: complete([['shop/policy-1/webhook', 'E0101 main.go:1] cert-rotator caches did not sync']]),
      }),
      expect: {
        messageId: 'followers',
        data: {
          pods: 'Pod policy-1',
          container: 'webhook',
          lease: 'shop/policy-leader',
          detail: 'E0101 main.go:1] cert-rotator caches did not sync',
        },
      },
    },
    {
      name: 'that the holder of the Lease is of an older revision, which proves nothing',
      facts: beside(
        [
          as(backingOff, {
            ownerReferences: [
              {
                apiVersion: 'apps/v1',
                kind: 'ReplicaSet',
                name: 'policy-new',
                uid: 'rs-new',
                controller: true,
              },
            ],
          }),
        ],
        { leases: held('policy-good_0a1b') },
      ),
      expect: { messageId: 'some' },
    },
    {
      name: 'a container that has just ended for the second time',
      facts: only([
        withStatus({ restartCount: 1, state: { terminated: end }, lastState: { terminated: end } }),
      ]),
      expect: { messageId: 'all', data: { ...found, restarts: 1 } },
    },
    {
      name: 'a container that has just failed for the first time',
      facts: only([withStatus({ state: { terminated: end } })]),
      expect: { messageId: 'all', data: { ...found, restarts: 0 } },
    },
    {
      name: 'a container that has ended during the run, and not for the first time',
      facts: only([withStatus({ restartCount: 2, state: { terminated: { ...end, finishedAt: ago(-2) } } })]),
      expect: { messageId: 'all', data: { ...found, restarts: 2 } },
    },
    {
      name: 'a container whose node has restarted: the runtime did not see how it ended',
      facts: only([
        withStatus({ restartCount: 2, state: { terminated: { exitCode: 255, reason: 'Unknown' } } }),
      ]),
      expect: {
        messageId: 'unseen',
        data: { pods: 'Pod policy-1', container: 'webhook', restarts: 2, code: 255, reason: 'Unknown' },
      },
    },
    {
      name: 'a program that exits with that code itself',
      facts: only([
        withStatus({ restartCount: 2, state: { terminated: { exitCode: 255, reason: 'Error' } } }),
      ]),
      expect: { messageId: 'all', data: { ...found, restarts: 2, code: 255 } },
    },
    {
      name: 'a program that ends well, again and again',
      facts: only([
        withStatus({ restartCount: 2, state: { terminated: { exitCode: 0, reason: 'Completed' } } }),
      ]),
      expect: { messageId: 'ended', data: { pods: 'Pod policy-1', container: 'webhook', restarts: 2 } },
    },
    {
      name: 'a container that runs, not ready, since seconds after a crash',
      facts: only([between(false, 5, 1)]),
      expect: { messageId: 'all', data: { ...found, restarts: 1 } },
    },
    ...[
      { by: 'a liveness probe', code: 137, reason: 'Unhealthy', detail: liveness },
      {
        by: 'a liveness probe, with a program that ends as it is asked',
        code: 0,
        reason: 'Unhealthy',
        detail: liveness,
      },
      { by: 'a startup probe', code: 143, reason: 'Unhealthy', detail: startup },
      { by: 'a hook that fails', code: 137, reason: 'FailedPostStartHook', detail: 'PostStartHook failed' },
    ].map(({ by, code, reason, detail }) => ({
      name: `${by} that ends it`,
      facts: only(
        [
          withStatus({
            restartCount: 4,
            state: { waiting: { reason: 'CrashLoopBackOff' } },
            lastState: { terminated: { ...end, exitCode: code } },
          }),
        ],
        events(event(reason, detail)),
      ),
      expect:
        reason === 'Unhealthy'
          ? {
              messageId: 'kubelet' as const,
              data: { pods: 'Pod policy-1', container: 'webhook', restarts: 4, detail },
            }
          : {
              messageId: 'hook' as const,
              data: { pods: 'Pod policy-1', container: 'webhook', restarts: 4 },
            },
    })),
    {
      name: 'a liveness probe without a response: a busy process, or lost packets',
      facts: only(
        [
          {
            ...withStatus({
              restartCount: 3,
              state: { waiting: { reason: 'CrashLoopBackOff' } },
              lastState: { terminated: { ...end, exitCode: 137 } },
            }),
            spec: {
              ...unready().spec,
              containers: [
                { name: 'webhook', livenessProbe: { httpGet: { port: 8443 }, timeoutSeconds: 2 } },
              ],
            },
          },
        ],
        events(
          event(
            'Unhealthy',
            'Liveness probe failed: Get "https://198.51.100.27:8443/livez": context deadline exceeded',
          ),
        ),
      ),
      expect: {
        messageId: 'noResponse',
        data: { pods: 'Pod policy-1', container: 'webhook', restarts: 3, timeout: 2 },
      },
    },
    ...(
      [
        [
          { exec: { command: ['/bin/check'] } },
          'Liveness probe errored: rpc error: code = DeadlineExceeded desc = failed to exec in container: timeout 1s exceeded: context deadline exceeded',
        ],
        [
          { grpc: { port: 9443 } },
          'Liveness probe failed: timeout: failed to connect service ":9443" within 1s: context deadline exceeded',
        ],
      ] as const
    ).map(([probe, message]) => ({
      name: `a liveness probe that makes no connection of the kubelet: ${Object.keys(probe)[0]}`,
      facts: only(
        [
          {
            ...withStatus({
              restartCount: 3,
              state: { waiting: { reason: 'CrashLoopBackOff' } },
              lastState: { terminated: { ...end, exitCode: 137 } },
            }),
            spec: { ...unready().spec, containers: [{ name: 'webhook', livenessProbe: probe }] },
          },
        ],
        events(event('Unhealthy', message)),
      ),
      expect: { messageId: 'kubelet' as const },
    })),
    {
      name: 'a startup probe of the container, with its seconds',
      facts: only(
        [
          unready({
            spec: {
              containers: [
                {
                  name: 'webhook',
                  startupProbe: {
                    tcpSocket: { port: 9999 },
                    initialDelaySeconds: 1,
                    periodSeconds: 2,
                    failureThreshold: 3,
                  },
                },
              ],
            },
            status: {
              phase: 'Running',
              containerStatuses: [
                status({
                  restartCount: 4,
                  state: { waiting: { reason: 'CrashLoopBackOff' } },
                  lastState: { terminated: { ...end, exitCode: 143 } },
                }),
              ],
            },
          }),
        ],
        events(event('Unhealthy', startup)),
      ),
      expect: {
        messageId: 'startup',
        data: { pods: 'Pod policy-1', container: 'webhook', restarts: 4, detail: startup, budget: 7 },
      },
    },
    ...([137, 143] as const).map((code) => ({
      name: `exit code ${code} of a container with a liveness probe, whose Events are deleted`,
      facts: only([endedWith(code, 'Error')]),
      expect: {
        messageId: 'signalled' as const,
        data: { pods: 'Pod policy-1', container: 'webhook', code, restarts: 4 },
      },
    })),
    {
      name: 'the last error before a signal whose sender is unknown',
      facts: only([endedWith(143, 'Error')], {
        logs: complete([['shop/policy-1/webhook', 'level=error msg="cannot load certificate" err="EOF"']]),
      }),
      expect: {
        messageId: 'signalledAfter',
        data: {
          pods: 'Pod policy-1',
          container: 'webhook',
          code: 143,
          restarts: 4,
          detail: 'cannot load certificate: EOF',
        },
      },
    },
    ...(
      [
        ['none', 'signalled'],
        ['level=error msg="cannot load certificate" err="EOF"', 'signalledAfter'],
      ] as const
    ).map(([line, messageId]) => ({
      name: `errors of a process that stops after a signal, and before them ${line}`,
      facts: only([endedWith(143, 'Error')], {
        logs: complete([
          [
            'shop/policy-1/webhook',
            [
              line,
              'level=error msg="error received after stop sequence was engaged" err="context canceled"',
              '{"level":"error","msg":"error received after stop sequence was engaged","error":"context canceled"}',
              'level=error msg="server stopped" err="http: Server closed"',
              'E0101 00:00:00.000000 1 leaderelection.go:429] failed to renew lease: context canceled',
            ].join('\n'),
          ],
        ]),
      }),
      expect: { messageId },
    })),
    {
      name: 'no warning before a signal',
      facts: only([endedWith(143, 'Error')], {
        logs: complete([['shop/policy-1/webhook', 'level=warn msg="cannot load optional file" err="EOF"']]),
      }),
      expect: { messageId: 'signalled' },
    },
    ...(
      [
        ['exit code 1', endedWith(1, 'Error')],
        ['exit code 137 without a probe', endedWith(137, 'Error', {})],
        ['exit code 137 for another reason', endedWith(137, 'ContainerStatusUnknown')],
      ] as const
    ).map(([name, one]) => ({
      name: `no signal with ${name}`,
      facts: only([one]),
      expect: { messageId: 'all' as const },
    })),
    ...(['startup', 'liveness'] as const).map((probe) => ({
      name: `a ${probe} probe that the server refuses`,
      facts: only(
        [
          unready({
            spec: {
              containers: [
                { name: 'webhook', [`${probe}Probe`]: { httpGet: { port: 8443, path: '/started' } } },
              ],
            },
            status: {
              containerStatuses: [
                status({
                  restartCount: 4,
                  state: { waiting: { reason: 'CrashLoopBackOff' } },
                  lastState: { terminated: { ...end, exitCode: 143 } },
                }),
              ],
            },
          }),
        ],
        events(
          event(
            'Unhealthy',
            `${probe === 'startup' ? 'Startup' : 'Liveness'} probe failed: HTTP probe failed with statuscode: 404`,
          ),
        ),
      ),
      expect: {
        messageId: 'refusedProbe' as const,
        data: {
          pods: 'Pod policy-1',
          container: 'webhook',
          restarts: 4,
          status: '404',
          probe,
          path: '/started',
        },
      },
    })),
    ...[
      {
        by: 'a liveness probe that ends a Go program without a handler for SIGTERM',
        ran: 21,
        log: 'Listening',
        messageId: 'kubelet' as const,
      },
      {
        by: 'an exit before the liveness probe failed three times',
        ran: 19,
        log: 'Listening',
        messageId: 'all' as const,
      },
      {
        by: 'a panic',
        ran: 21,
        log: 'panic: nil map\n\ngoroutine 1 [running]:',
        messageId: 'allLogged' as const,
      },
    ].map(({ by, ran, log, messageId }) => ({
      name: by,
      facts: only([ended(ran)], {
        ...events(event('Unhealthy', liveness)),
        logs: complete([['shop/policy-1/webhook', log]]),
      }),
      expect: { messageId },
    })),
    {
      name: 'a liveness probe of another port than the one that the server opens, by its log',
      facts: only(
        [
          withStatus({
            restartCount: 4,
            state: { waiting: { reason: 'CrashLoopBackOff' } },
            lastState: { terminated: { ...end, exitCode: 0 } },
          }),
        ],
        {
          ...events(
            event(
              'Unhealthy',
              'Liveness probe failed: Get "https://198.51.100.5:10250/livez": dial tcp 198.51.100.5:10250: connect: connection refused',
            ),
          ),
          logs: complete([['shop/policy-1/webhook', 'I1127 01:48:02.7 Serving securely on [::]:4443']]),
        },
      ),
      expect: {
        messageId: 'elsewhere',
        data: { pods: 'Pod policy-1', container: 'webhook', port: 10250, served: 4443 },
      },
    },
    {
      name: 'a crash of its own that the liveness probe saw as well',
      facts: only([backingOff], events(event('Unhealthy', liveness))),
      expect: { messageId: 'all' },
    },
    {
      name: 'a sidecar that crashes and keeps the rest from starting',
      facts: only([
        unready({
          spec: {
            initContainers: [{ name: 'proxy', restartPolicy: 'Always' }],
            containers: [{ name: 'webhook' }],
          },
          status: {
            initContainerStatuses: [
              status({
                name: 'proxy',
                restartCount: 1,
                state: { waiting: { reason: 'CrashLoopBackOff' } },
                lastState: { terminated: end },
              }),
            ],
            containerStatuses: [status({ state: { waiting: { reason: 'PodInitializing' } } })],
          },
        }),
      ]),
      expect: { messageId: 'all', data: { ...found, container: 'proxy', restarts: 1 } },
    },
    {
      name: 'the second of two containers',
      facts: only([
        unready({
          status: {
            phase: 'Running',
            containerStatuses: [
              status({ name: 'webhook', ready: true, state: { running: { startedAt: ago(600) } } }),
              status({ name: 'rotator', restartCount: 3, state: { terminated: { ...end, exitCode: 2 } } }),
            ],
          },
        }),
      ]),
      expect: { messageId: 'all', data: { ...found, container: 'rotator', code: 2, restarts: 3 } },
    },
    {
      name: 'a Pod that ended permanently',
      facts: only([
        as(
          unready({
            spec: { restartPolicy: 'Never' },
            status: { phase: 'Failed', containerStatuses: [status({ state: { terminated: end } })] },
          }),
          { ownerReferences: [] },
        ),
      ]),
      expect: { messageId: 'all', data: { ...found, restarts: 0 } },
    },
    {
      name: 'a Pod that is ready between two crashes',
      facts: beside([between(true, 8, 6)], {}, true),
      expect: { messageId: 'reachable', data: { ...found, restarts: 6 } },
    },
    {
      name: 'one Pod among others that answer',
      facts: beside([backingOff]),
      expect: { messageId: 'some', data: found },
    },
    {
      name: 'one Pod among others that answer, which a liveness probe ends',
      facts: beside([ended(21)], events(event('Unhealthy', liveness))),
      expect: { messageId: 'logged', data: { container: 'webhook', detail: liveness, pods: 'Pod policy-1' } },
    },
    {
      name: 'the same, if its log has the reason',
      facts: beside([ended(21)], {
        ...events(event('Unhealthy', liveness)),
        logs: complete([['shop/policy-1/webhook', 'error: license has expired']]),
      }),
      expect: {
        messageId: 'logged',
        data: { container: 'webhook', detail: 'error: license has expired', pods: 'Pod policy-1' },
      },
    },
    {
      name: 'one Pod among others that answer, which exits before a liveness probe ends it',
      facts: beside([ended(19)], events(event('Unhealthy', liveness))),
      expect: { messageId: 'some' },
    },
    {
      name: 'two Pods at once',
      facts: only([backingOff, as(backingOff, { name: 'policy-2', uid: 'uid-2' })]),
      expect: { messageId: 'all', data: { ...found, pods: 'the 2 Pods of Deployment policy' } },
    },
  ],
  reportsNothing: [
    ...silences(backingOff),
    {
      name: 'it was killed out of memory',
      facts: only([
        withStatus({ restartCount: 1, state: { terminated: { exitCode: 137, reason: 'OOMKilled' } } }),
      ]),
    },
    {
      name: 'it ended for the first time during the run',
      facts: only([
        withStatus({ state: { terminated: { ...end, finishedAt: ago(-2) } } }),
        as(
          withStatus({
            restartCount: 1,
            state: { running: { startedAt: ago(-3) } },
            lastState: { terminated: { ...end, finishedAt: ago(-2) } },
          }),
          { name: 'policy-2', uid: 'uid-2' },
        ),
      ]),
    },
    { name: 'it restarted once while it waited for its certificate', facts: only([between(true, 30, 1)]) },
    { name: 'it restarted often, long ago', facts: only([between(true, 86_400, 40)]) },
    { name: 'its rare restarts lie days apart', facts: only([between(true, 60, 5, 400_000)]) },
    {
      name: 'an init container of it fails',
      facts: only([
        unready({
          spec: { initContainers: [{ name: 'wait' }], containers: [{ name: 'webhook' }] },
          status: {
            initContainerStatuses: [status({ name: 'wait', restartCount: 3, state: { terminated: end } })],
            containerStatuses: [status({ state: { waiting: { reason: 'PodInitializing' } } })],
          },
        }),
      ]),
    },
  ],
  isUnknown: doubts,
});
