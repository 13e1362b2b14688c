import { complete } from '../../../src/facts/lookup.ts';
import type { Container, Pod, PodSpec } from '../../../src/facts/objects/pod.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { fixPodTemplate } from '../../../src/remedies/pod-template/fix-pod-template.ts';
import { ago, event, events, only, status, unready } from '../../checks/replica/replicas.ts';
import { describeRemedy } from '../../support/describe-remedy.ts';
import { healthy, lists, webhook, workload } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const served = complete([['served', { resources: [], stale: [] }] as const]);
const running = { started: true, state: { running: { startedAt: ago(300) } } };
const crashed = (exitCode: number, ran = 30, name = 'webhook') => ({
  name,
  restartCount: 4,
  state: { waiting: { reason: 'CrashLoopBackOff' } },
  lastState: {
    terminated: { exitCode, reason: 'Error', startedAt: ago(60 + ran), finishedAt: ago(60) },
  },
});

interface Story {
  readonly container?: Partial<Container>;
  readonly spec?: Partial<PodSpec>;
  readonly statuses?: Pod['status'];
  readonly event?: string;
  readonly log?: string;
  readonly metadata?: object;
  readonly kind?: 'Deployment' | 'StatefulSet' | 'ReplicaSet';
  readonly over?: Partial<Facts>;
  /** The container of the Pod, if it differs from the template. */
  readonly older?: Partial<Container>;
}

/** A Deployment, and its failing Pod. */
function story({
  container = {},
  spec = {},
  statuses,
  event: text,
  log,
  metadata = {},
  kind = 'Deployment',
  over = {},
  older,
}: Story) {
  const template: PodSpec = { containers: [{ name: 'webhook', ...container }], ...spec };
  const containers = older === undefined ? template.containers : [{ name: 'webhook', ...older }];
  const made = unready({
    spec: { nodeName: 'n1', ...template, containers },
    status: { phase: 'Running', containerStatuses: [status(running)], ...statuses },
  });
  const { nodeName: _none, ...pending } = made.spec;
  const pod = statuses === unscheduled || statuses === ignored ? { ...made, spec: pending } : made;
  return only([pod], {
    served,
    workloads: lists({
      shop: [
        workload({
          kind,
          metadata,
          spec: { template: { metadata: { labels: { app: 'policy' } }, spec: template } },
        }),
      ],
    }),
    ...(text === undefined ? {} : events(event('Unhealthy', text))),
    ...(log === undefined ? {} : { logs: complete([['shop/policy-1/webhook', log]]) }),
    ...over,
  });
}

const edit = (path: string, expected: unknown, after: unknown, kind = 'Deployment') => ({
  object: { kind, namespace: 'shop', name: 'policy' },
  operation: 'patch' as const,
  path: `/spec/template/spec/${path}`,
  expected,
  after,
});
const warns = [/All its Pods are replaced/];

const plain = 'Readiness probe failed: Get "http://198.51.100.7:8443/readyz": EOF';
const overHttp = { readinessProbe: { httpGet: { path: '/readyz', port: 8443 } } };
const refused = 'Readiness probe failed: dial tcp 198.51.100.7:8444: connect: connection refused';
const wrongPort = { readinessProbe: { tcpSocket: { port: 8444 } }, ports: [{ containerPort: 8443 }] };
const healthProbe = {
  readinessProbe: { httpGet: { path: '/readyz', port: 8080 } },
  ports: [{ containerPort: 8443 }],
};
const healthRefused =
  'Readiness probe failed: Get "http://198.51.100.7:8080/readyz": dial tcp 198.51.100.7:8080: connect: connection refused';
const slow = { livenessProbe: { tcpSocket: { port: 8443 }, periodSeconds: 3, failureThreshold: 2 } };
const killed = 'Liveness probe failed: dial tcp 198.51.100.7:8443: connect: connection refused';
const slowStory = {
  container: slow,
  statuses: { containerStatuses: [status(crashed(137, 10))] },
  event: killed,
};
const crash = { containerStatuses: [status(crashed(1))] };
const ofSecret = (secret: object, more: Partial<PodSpec> = {}): Story => ({
  container: { volumeMounts: [{ name: 'certs', mountPath: '/certs' }] },
  spec: { volumes: [{ name: 'certs', secret: { secretName: 'policy-tls', ...secret } }], ...more },
  statuses: crash,
});
const items = { items: [{ key: 'tls.crt', path: 'cert.pem' }] };
const eacces = 'Error: open /certs/tls.key: permission denied';
const noPorts = "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.";
const unscheduled = {
  phase: 'Pending' as const,
  conditions: [{ type: 'PodScheduled', status: 'False' as const, reason: 'Unschedulable', message: noPorts }],
  containerStatuses: [],
};
const ignored = { phase: 'Pending' as const, conditions: [], containerStatuses: [] };
const asRoot = 'container has runAsNonRoot and image will run as root';
const config = {
  containerStatuses: [
    status({ state: { waiting: { reason: 'CreateContainerConfigError', message: asRoot } } }),
  ],
};
const ofPods = webhook({
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } },
  rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], scope: '*' }],
});

describeRemedy(fixPodTemplate, {
  plans: [
    {
      name: 'HTTPS for a probe of the webhook port',
      facts: story({ container: overHttp, event: plain }),
      expect: {
        edits: [edit('containers/0/readinessProbe/httpGet/scheme', undefined, 'HTTPS')],
        summary: /^Deployment shop\/policy: the probes of port 8443 use HTTPS$/,
        fixes: ['validating/policy/policy.example.com'],
        warns,
      },
    },
    {
      name: 'HTTPS for every probe of the port',
      facts: story({
        container: { ...overHttp, livenessProbe: { httpGet: { port: 8443, scheme: 'HTTP' } } },
        event: plain,
      }),
      expect: {
        edits: [
          edit('containers/0/readinessProbe/httpGet/scheme', undefined, 'HTTPS'),
          edit('containers/0/livenessProbe/httpGet/scheme', 'HTTP', 'HTTPS'),
        ],
        warns,
      },
    },
    {
      name: 'the port that the log reports',
      facts: story({
        container: { readinessProbe: { tcpSocket: { port: 8444 } } },
        event: refused,
        log: 'Serving webhook server on port=8443',
      }),
      expect: { edits: [edit('containers/0/readinessProbe/tcpSocket/port', 8444, 8443)], warns },
    },
    {
      name: 'the port that the log reports, which the Service does not target either',
      facts: story({
        container: { readinessProbe: { tcpSocket: { port: 8443 } } },
        event: 'Readiness probe failed: dial tcp 198.51.100.7:8443: connect: connection refused',
        log: 'Serving webhook server on port=8444',
      }),
      expect: {
        edits: [edit('containers/0/readinessProbe/tcpSocket/port', 8443, 8444)],
        warns,
        unsure: 'the Service targets port 8443, too',
      },
    },
    {
      name: 'the number of the named port that the probe uses',
      facts: story({
        container: {
          ports: [
            { name: 'metrics', containerPort: 8080 },
            { name: 'https', containerPort: 8444 },
          ],
          readinessProbe: { tcpSocket: { port: 'https' } },
        },
        event: refused,
        log: 'Serving webhook server on port=8443',
      }),
      expect: {
        edits: [edit('containers/0/ports/1/containerPort', 8444, 8443)],
        summary: /port https of container webhook is 8443 instead of 8444$/,
        warns,
      },
    },
    {
      name: 'the port of the health server that the log reports, for a probe over HTTP',
      facts: story({
        container: healthProbe,
        event: healthRefused,
        log: 'Serving webhook server on port=8443\n"starting server" name="health probe" addr="[::]:8081"',
      }),
      expect: { edits: [edit('containers/0/readinessProbe/httpGet/port', 8080, 8081)], warns },
    },
    {
      name: 'the only port that the container declares, which may not help',
      facts: story({ container: wrongPort, event: refused }),
      expect: {
        edits: [edit('containers/0/readinessProbe/tcpSocket/port', 8444, 8443)],
        summary: /use port 8443 instead of 8444$/,
        warns,
        unsure: 'no log line names that port',
      },
    },
    {
      name: 'the port of a sidecar',
      problem: { check: 'replica-readiness-failing' },
      facts: story({
        spec: {
          initContainers: [
            {
              name: 'proxy',
              restartPolicy: 'Always',
              args: ['--health-port=15020'],
              startupProbe: { tcpSocket: { port: 15021 } },
            },
          ],
        },
        event: 'Startup probe failed: dial tcp 198.51.100.7:15021: connect: connection refused',
      }),
      expect: {
        edits: [edit('initContainers/0/startupProbe/tcpSocket/port', 15021, 15020)],
        warns,
        unsure: 'no log line names that port',
      },
    },
    {
      name: 'a startupProbe for a process that its liveness probe stops',
      problem: { check: 'replica-crash-looping' },
      facts: story(slowStory),
      expect: {
        edits: [
          edit('containers/0/startupProbe', undefined, {
            tcpSocket: { port: 8443 },
            periodSeconds: 3,
            failureThreshold: 200,
          }),
        ],
        warns: [...warns, /starts slowly/],
        unsure: 'the process may never open the port',
      },
    },
    {
      name: 'more time for a process that its startup probe stops',
      problem: { check: 'replica-crash-looping' },
      facts: story({
        ...slowStory,
        container: { startupProbe: slow.livenessProbe },
        event: killed.replace('Liveness', 'Startup'),
      }),
      expect: {
        edits: [edit('containers/0/startupProbe/failureThreshold', 2, 200)],
        warns: [...warns, /starts slowly/],
        unsure: 'the process may never open the port',
      },
    },
    {
      name: 'the same, where the readiness probe fails, too',
      problem: { check: 'replica-crash-looping' },
      facts: story({
        ...slowStory,
        over: events(
          event('Unhealthy', killed.replace('Liveness', 'Readiness'), { lastTimestamp: ago(1) }),
          event('Unhealthy', killed),
        ),
      }),
      expect: {
        edits: [
          edit('containers/0/startupProbe', undefined, {
            tcpSocket: { port: 8443 },
            periodSeconds: 3,
            failureThreshold: 200,
          }),
        ],
        warns: [...warns, /starts slowly/],
        unsure: 'the process may never open the port',
      },
    },
    {
      name: 'the token of the ServiceAccount',
      problem: { check: 'process-cannot-start' },
      facts: story({
        spec: { automountServiceAccountToken: false },
        statuses: crash,
        log: 'error: open /var/run/secrets/kubernetes.io/serviceaccount/token: no such file or directory',
      }),
      expect: { edits: [edit('automountServiceAccountToken', false, true)], warns },
    },
    {
      name: 'the files of a Secret under their own names',
      problem: { check: 'process-cannot-start' },
      facts: story({ ...ofSecret(items), log: 'open /certs/tls.crt: no such file or directory' }),
      expect: { edits: [edit('volumes/0/secret/items', items.items, undefined)], warns },
    },
    {
      name: 'a group that can read the files of the process',
      problem: { check: 'process-cannot-start' },
      facts: story({ ...ofSecret({}, { securityContext: { runAsUser: 1001 } }), log: eacces }),
      expect: { edits: [edit('securityContext/fsGroup', undefined, 1001)], warns },
    },
    {
      name: 'a group where the template names no user, in a new securityContext',
      problem: { check: 'process-cannot-start' },
      facts: story({ ...ofSecret({}), log: eacces }),
      expect: { edits: [edit('securityContext/fsGroup', undefined, 1000)], warns },
    },
    {
      name: 'no port of the node',
      problem: { check: 'host-network-port-conflict' },
      facts: story({
        container: { ports: [{ containerPort: 8443, hostPort: 9443 }] },
        statuses: unscheduled,
      }),
      expect: {
        edits: [edit('containers/0/ports/0/hostPort', 9443, undefined)],
        warns: [...warns, /through the Service/],
      },
    },
    {
      name: 'the default scheduler, where another has made no decision',
      problem: { check: 'replica-unschedulable' },
      facts: story({
        spec: { schedulerName: 'gang-scheduler' },
        statuses: ignored,
      }),
      expect: {
        edits: [edit('schedulerName', 'gang-scheduler', 'default-scheduler')],
        summary: /use scheduler default-scheduler instead of gang-scheduler$/,
        warns: [...warns, /What only gang-scheduler considers/],
      },
    },
    {
      name: 'a user other than root, which may not help',
      problem: { check: 'replica-config-error' },
      facts: story({ statuses: config }),
      expect: {
        edits: [edit('containers/0/securityContext/runAsUser', undefined, 65532)],
        warns: [...warns, /as another user/],
        unsure: 'the program may need root',
      },
    },
    {
      name: 'the Pod of a StatefulSet, which must be deleted',
      facts: story({ container: overHttp, event: plain, kind: 'StatefulSet' }),
      expect: {
        edits: [edit('containers/0/readinessProbe/httpGet/scheme', undefined, 'HTTPS', 'StatefulSet')],
        warns: [...warns, /delete that Pod/],
      },
    },
    {
      name: 'a patch to declare, where GitOps would revert it',
      problem: { check: 'host-network-port-conflict' },
      facts: story({
        container: { ports: [{ name: 'https', containerPort: 8443, hostPort: 9443 }] },
        statuses: unscheduled,
        metadata: { annotations: { 'argocd.argoproj.io/tracking-id': 'acme:apps/Deployment:shop/policy' } },
      }),
      expect: {
        edits: [],
        print: /- name: webhook\n +ports:\n +- containerPort: 8443\n +hostPort: null/,
        warns: [...warns, /through the Service/, /Argo CD/],
      },
    },
  ],
  refuses: [
    {
      name: 'where new Pods must pass the webhook itself, which fails',
      facts: story({ container: overHttp, event: plain, over: { callouts: [ofPods] } }),
      because: /^policy\.example\.com intercepts new Pods.*exclude-backend-namespace/,
    },
  ],
  doesNotFit: [
    {
      name: 'the default scheduler has made no decision',
      problem: { check: 'replica-unschedulable' },
      facts: story({ statuses: ignored }),
    },
    {
      name: 'the probe is over HTTPS',
      facts: story({
        container: { readinessProbe: { httpGet: { port: 8443, scheme: 'HTTPS' } } },
        event: plain,
      }),
    },
    {
      name: 'the error is of another probe',
      facts: story({ container: overHttp, event: plain.replace('Readiness', 'Startup') }),
    },
    {
      name: 'the Pod is of another template',
      facts: story({ container: overHttp, older: { args: ['--old'] }, event: plain }),
    },
    {
      name: 'the container declares the port of the probe',
      facts: story({
        container: { ...wrongPort, ports: [{ containerPort: 8443 }, { containerPort: 8444 }] },
        event: refused,
      }),
    },
    {
      name: 'a probe over HTTP, and only the port of the webhook is declared and logged',
      facts: story({
        container: healthProbe,
        event: healthRefused,
        log: 'Serving webhook server on port=8443',
      }),
    },
    {
      name: 'the container declares several other ports',
      facts: story({
        container: { ...wrongPort, ports: [{ containerPort: 8443 }, { containerPort: 8080 }] },
        event: refused,
      }),
    },
    {
      name: 'its liveness probe gets no response: the port is open, or packets are lost',
      problem: { check: 'replica-crash-looping' },
      facts: story({
        ...slowStory,
        event: 'Liveness probe failed: command timed out: context deadline exceeded',
      }),
    },
    {
      name: 'the process was ready for longer than its probe needs to fail',
      problem: { check: 'replica-crash-looping' },
      facts: story({ ...slowStory, statuses: { containerStatuses: [status(crashed(137, 3000))] } }),
    },
    {
      name: 'the process exits by itself',
      problem: { check: 'replica-crash-looping' },
      facts: story({ ...slowStory, statuses: { containerStatuses: [status(crashed(1, 10))] } }),
    },
    {
      name: 'there is a startupProbe',
      problem: { check: 'replica-crash-looping' },
      facts: story({ ...slowStory, container: { ...slow, startupProbe: { tcpSocket: { port: 8443 } } } }),
    },
    {
      name: 'the log names no cause',
      problem: { check: 'process-cannot-start' },
      facts: story({ statuses: crash, log: 'error: broken' }),
    },
    {
      name: 'the program needs a kind that is not served',
      problem: { check: 'process-cannot-start' },
      facts: story({
        statuses: crash,
        log: 'panic: no matches for kind "Policy" in version "example.com/v1"',
        over: { configurations: complete([['validating', []] as const]) },
      }),
    },
    {
      name: 'the program needs a webhook configuration that does not exist',
      problem: { check: 'process-cannot-start' },
      facts: story({
        statuses: crash,
        log: 'panic: validatingwebhookconfigurations "policy" not found',
        over: { configurations: complete([['validating', []] as const]) },
      }),
    },
    {
      name: 'the group is set',
      problem: { check: 'process-cannot-start' },
      facts: story({ ...ofSecret({}, { securityContext: { fsGroup: 3 } }), log: eacces }),
    },
    {
      name: 'it uses two ports of the node',
      problem: { check: 'host-network-port-conflict' },
      facts: story({
        container: {
          ports: [
            { containerPort: 8443, hostPort: 9443 },
            { containerPort: 1, hostPort: 2 },
          ],
        },
        statuses: unscheduled,
      }),
    },
    {
      name: 'it uses the network of the node',
      problem: { check: 'host-network-port-conflict' },
      facts: story({
        container: { ports: [{ containerPort: 8443, hostPort: 8443 }] },
        spec: { hostNetwork: true },
        statuses: unscheduled,
      }),
    },
    {
      name: 'only a ReplicaSet makes the Pods',
      facts: story({ container: overHttp, event: plain, kind: 'ReplicaSet' }),
    },
    {
      name: 'a startup probe that allows enough time already',
      problem: { check: 'replica-crash-looping' },
      facts: story({
        ...slowStory,
        container: { startupProbe: { ...slow.livenessProbe, failureThreshold: 200 } },
        event: killed.replace('Liveness', 'Startup'),
      }),
    },
    { name: 'nothing makes the Pods', facts: story({ over: { workloads: lists({}) } }) },
    {
      name: 'a URL is called',
      facts: healthy({ callouts: [webhook({ client: { url: 'https://a.example' } })] }),
    },
  ],
  isUnknown: [
    { name: 'the workloads could not be read', facts: story({ over: { workloads: forbidden() } }) },
  ],
});
