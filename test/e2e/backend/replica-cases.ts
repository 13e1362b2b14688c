import { waitForEndpoints } from '../../cluster/backend-pods.ts';
import { backendImage } from '../../cluster/image.ts';
import { asStatefulSet, barePod, born, deserted, script } from './breaks.ts';
import type { Case } from './case.ts';
import {
  backingOff,
  eventSays,
  nodeGivenUp,
  olderThan,
  podIs,
  restarted,
  runsFor,
  scheduledNot,
  waitingFor,
} from './conditions.ts';

/** A program that does not find this file, and repeats that it is not ready. */
const neverReady = (file: string) =>
  script(
    `console.log('E1123 10:00:00.000000 1 main.go:1] open ${file}: no such file or directory');
     setInterval(() => console.log('I1123 10:00:01.000000 1 main.go:2] "Probe failed" err="not ready"'), 500)`,
    { readinessProbe: { tcpSocket: { port: 8443 }, periodSeconds: 1 } },
  );

/** Pods that cannot serve. */
export const replicaCases: readonly Case[] = [
  {
    name: 'an image that is not there',
    make: born({ container: { image: 'localhost/nope:1' } }),
    until: waitingFor('ErrImageNeverPull'),
    because: 'replica-image-pull-failing',
    says: ['localhost/nope:1'],
  },
  {
    name: 'a program that crashes, with its last words',
    make: born({ args: ['--no-such-flag'] }),
    until: backingOff,
    because: 'replica-crash-looping',
    says: ['exit code 1', "Unknown option '--no-such-flag'"],
  },
  {
    name: 'a process that may not open a port below 1024',
    make: born({ args: ['--port', '443'], podSpec: { securityContext: { runAsUser: 1000 } } }),
    until: backingOff,
    because: 'process-cannot-start',
    says: ['cannot listen on port 443'],
  },
  {
    name: 'a program that reads its certificate from a directory that no volume provides',
    make: born(
      script(
        "console.error('open /tmp/k8s-webhook-server/serving-certs/tls.crt: no such file or directory'); process.exit(1)",
        { volumeMounts: [{ name: 'certs', mountPath: '/certs' }] },
      ),
    ),
    until: backingOff,
    because: 'process-cannot-start',
    says: ['but Secret guard is mounted at /certs'],
  },
  {
    name: 'a Secret volume that gives the keys other names than the program reads',
    make: born({
      podSpec: {
        volumes: [
          { name: 'certs', secret: { secretName: 'guard', items: [{ key: 'tls.crt', path: 'cert.pem' }] } },
        ],
      },
    }),
    until: backingOff,
    because: 'process-cannot-start',
    says: ['Secret guard provides /certs/cert.pem'],
  },
  {
    name: 'an optional Secret that does not exist',
    make: born(
      { podSpec: { volumes: [{ name: 'certs', secret: { secretName: 'guard', optional: true } }] } },
      ['Secret'],
    ),
    until: backingOff,
    because: 'process-cannot-start',
    says: [/from Secret case-\w+\/guard, which does not exist/],
  },
  {
    name: 'a certificate that the user of the process may not read',
    make: born({
      podSpec: {
        securityContext: { runAsUser: 1000 },
        volumes: [{ name: 'certs', secret: { secretName: 'guard', defaultMode: 0o400 } }],
      },
    }),
    until: backingOff,
    because: 'process-cannot-start',
    says: ['no permission to read /certs/tls.crt of Secret guard'],
  },
  {
    name: 'a nameserver of the Pod that does not respond',
    make: born({
      ...script(
        `console.error('E1123 10:00:00.000000 1 main.go:80] err="Get \\"https://kubernetes.default.svc:443/version\\": dial tcp: lookup kubernetes.default.svc on 192.0.2.250:53: i/o timeout"'); process.exit(1)`,
      ),
      podSpec: { dnsPolicy: 'None', dnsConfig: { nameservers: ['192.0.2.250'] } },
    }),
    until: backingOff,
    because: 'pods-cannot-reach-api-server',
    says: ['with nameserver 192.0.2.250, which `dnsConfig` of the Pod names'],
  },
  {
    name: 'a program that needs a kind of a CRD that is not installed',
    make: born(
      script(
        'console.error(\'no matches for kind "Tenant" in version "tenants.example.com/v1"\'); process.exit(1)',
      ),
    ),
    until: backingOff,
    because: 'process-cannot-start',
    says: ['does not serve kind Tenant of tenants.example.com/v1'],
  },
  {
    name: 'a liveness probe that ends a program, which obeys',
    make: born({
      container: { livenessProbe: { tcpSocket: { port: 9999 }, periodSeconds: 1, failureThreshold: 2 } },
    }),
    until: backingOff,
    because: 'replica-crash-looping',
    says: ['The kubelet restarts container', /Liveness probe failed: dial tcp .*:9999/],
  },
  {
    name: 'a program that needs too much memory',
    make: born(
      script('const all = []; setInterval(() => all.push(Buffer.alloc(2e7, 1)), 50)', {
        resources: { limits: { memory: '96Mi' } },
      }),
    ),
    until: backingOff,
    because: 'replica-out-of-memory',
    says: ['limit 96Mi'],
  },
  {
    name: 'an evicted Pod that nothing replaces',
    make: barePod({
      container: {
        ...script("require('fs').writeFileSync('/scratch/x', Buffer.alloc(3e7)); setInterval(() => {}, 1000)")
          .container,
        volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }],
      },
      podSpec: { volumes: [{ name: 'scratch', emptyDir: { sizeLimit: '1Mi' } }] },
    }),
    until: podIs('evicted', ({ status }) => status.reason === 'Evicted'),
    because: 'replica-evicted',
    says: ['Usage of EmptyDir volume "scratch" exceeds the limit'],
  },
  {
    name: 'a claim that does not exist',
    make: born({
      podSpec: {
        volumes: [
          { name: 'certs', secret: { secretName: 'guard' } },
          { name: 'cache', persistentVolumeClaim: { claimName: 'cache' } },
        ],
      },
    }),
    until: scheduledNot('Unschedulable'),
    because: 'replica-unschedulable',
    says: ['PersistentVolumeClaim cache does not exist'],
  },
  {
    name: 'a Pod that fits no node',
    make: born({ container: { resources: { requests: { memory: '4000Gi' } } } }),
    until: scheduledNot('Unschedulable'),
    because: 'replica-unschedulable',
    says: [/[12] Insufficient memory/],
  },
  {
    name: 'a scheduling gate',
    make: born({ podSpec: { schedulingGates: [{ name: 'example.com/wait' }] } }),
    until: scheduledNot('SchedulingGated'),
    because: 'replica-unschedulable',
    says: ['example.com/wait'],
  },
  {
    name: 'a scheduler that nobody runs',
    make: born({ podSpec: { schedulerName: 'nobody' } }),
    until: olderThan(31),
    because: 'replica-unschedulable',
    says: ['scheduler nobody has made no decision'],
  },
  {
    name: 'a missing serving Secret',
    make: born({}, ['Secret']),
    until: eventSays('FailedMount'),
    because: 'replica-volume-missing',
    says: [/Secret case-\w+\/guard is missing/],
  },
  {
    name: 'a CSI driver that no node has',
    make: born({ podSpec: { volumes: [{ name: 'certs', csi: { driver: 'secrets.example.com' } }] } }),
    until: eventSays('FailedMount'),
    because: 'replica-volume-missing',
    says: ['CSI driver secrets.example.com is not registered on node node1'],
  },
  {
    name: 'an environment from a missing ConfigMap',
    make: born({ container: { envFrom: [{ configMapRef: { name: 'settings' } }] } }),
    until: waitingFor('CreateContainerConfigError'),
    because: 'replica-config-error',
    says: ['configmap "settings" not found'],
  },
  {
    name: 'a command that the image does not have',
    make: born({ container: { command: ['/no/such/program'] } }),
    until: restarted,
    because: 'replica-config-error',
    says: ['exec: "/no/such/program"'],
  },
  {
    name: 'a seccomp profile that no node has',
    make: born({
      podSpec: {
        securityContext: {
          seccompProfile: { type: 'Localhost', localhostProfile: 'profiles/guard.json' },
        },
      },
    }),
    until: waitingFor('CreateContainerError'),
    because: 'replica-config-error',
    says: ['seccomp profile profiles/guard.json does not exist on node node1'],
  },
  {
    name: 'an init container that fails',
    make: born({
      podSpec: {
        initContainers: [
          { name: 'wait', image: backendImage, imagePullPolicy: 'Never', args: ['--no-such-flag'] },
        ],
      },
    }),
    until: restarted,
    because: 'replica-init-stuck',
    says: ['Init container wait', 'exit code 1'],
  },
  {
    name: 'a readiness probe that fails',
    make: born({ args: ['--not-ready'] }),
    until: runsFor(21),
    because: 'replica-readiness-failing',
    says: ['the readiness probe of container', 'returns HTTP 503'],
  },
  {
    name: 'a readiness probe over HTTP of the port that serves HTTPS',
    make: born({ container: { readinessProbe: { httpGet: { port: 8443 }, periodSeconds: 1 } } }),
    until: runsFor(21),
    because: 'replica-readiness-failing',
    says: ['the probe calls port 8443 over HTTP'],
  },
  {
    name: 'a program that is never Ready, with the line of its log that says why',
    make: born(neverReady('/pki/ca.crt')),
    until: runsFor(21),
    because: 'process-cannot-start',
    says: ['open /pki/ca.crt: no such file'],
  },
  {
    name: 'a program that is never Ready, as its Secret lacks a key that it reads',
    make: born(neverReady('/certs/ca.crt')),
    until: runsFor(21),
    because: 'serving-secret-incomplete',
    link: 'tls',
    says: ['has no key ca.crt, which the container reads'],
  },
  {
    name: 'a readiness gate that nobody opens',
    make: born({ podSpec: { readinessGates: [{ conditionType: 'example.com/registered' }] } }),
    until: scheduledNot('ReadinessGatesNotReady'),
    because: 'replica-readiness-failing',
    says: ['readiness gate "example.com/registered"'],
  },
  {
    name: 'a Pod of a StatefulSet that a finalizer holds',
    make: async (scene) => {
      await asStatefulSet()(scene);
      await waitForEndpoints(scene, 'guard', 1);
      const pod = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'guard-0', namespace: scene.namespace },
      };
      await scene.client.patch(pod, { metadata: { finalizers: ['example.com/hold'] } });
      await scene.client.delete(pod);
    },
    until: podIs(
      'overdue',
      ({ metadata }) => Date.now() - Date.parse(String(metadata.deletionTimestamp)) > 31_000,
    ),
    because: 'replica-terminating-stuck',
    says: ['example.com/hold'],
  },
  {
    name: 'a node that no kubelet speaks for',
    make: barePod({ podSpec: { nodeName: deserted.metadata.name } }),
    until: nodeGivenUp,
    because: 'replica-node-not-ready',
    says: [`Node ${deserted.metadata.name}, which runs`, 'NodeStatusNeverUpdated'],
  },
];
