import type { BackendPodsOptions } from '../../cluster/backend-pods.ts';
import { backendImage } from '../../cluster/image.ts';

/** A backend with a real fault, and doctor's expected result. */
export interface ProbeCase {
  /** Name of the Deployment, the Service and the webhook. */
  readonly name: string;
  readonly backend?: Omit<BackendPodsOptions, 'name' | 'ca'>;
  /** Applied to the running backend. */
  readonly harm?:
    | 'stop'
    | 'drop'
    /** Of new connections only: the one that the API server has goes on. */
    | 'drop-new'
    | 'no-route'
    /** A NetworkPolicy, and what a plugin that enforces it does. */
    | 'policy'
    | 'wrong-port'
    | 'second-version'
    /** One more replica, with a certificate of another authority. */
    | 'swapped'
    | 'rollout'
    | 'stale-lease';
  readonly state: 'healthy' | 'degraded' | 'failing';
  readonly link?: string;
  /** The cause. */
  readonly because?: string;
  /** Every check with a finding about a link of the call. */
  readonly checks?: readonly string[];
  /** One more expected check. */
  readonly also?: string;
  /** One more possible check, which depends on the duration. */
  readonly perhaps?: string;
  /** States of the replicas, sorted. */
  readonly replicas?: readonly string[];
  /** In the message of the cause. */
  readonly says?: RegExp;
  /** `--probe connect` predicts the exact error, without a dry run. */
  readonly foreseen?: true;
}

const unprobed = { readinessProbe: null } as const;
type Backend = NonNullable<ProbeCase['backend']>;
const answering = (...args: readonly string[]): Backend => ({
  replicas: 1,
  args,
});
const unready = (...args: readonly string[]): Backend => ({
  ...answering(...args),
  container: unprobed,
});
/**
 * A mesh sidecar on the Pod's port, without its packet filter: on the Pod's address its proxy responds first.
 */
function behindSidecar(): Backend {
  const container = (name: string, ...args: readonly string[]) => ({
    name,
    image: backendImage,
    imagePullPolicy: 'Never',
    args: ['--cert-dir', '/certs', ...args],
    env: [{ name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }],
    volumeMounts: [{ name: 'certs', mountPath: '/certs' }],
  });
  const webhook = {
    ...container('webhook', '--bind', '127.0.0.1'),
    ports: [{ name: 'https', containerPort: 8443 }],
  };
  const proxy = container('istio-proxy', '--bind', '$(POD_IP)', '--fault', 'close-tls');
  return { replicas: 1, podSpec: { containers: [webhook, proxy] } };
}
/** A server that supports only HTTP/2, like gRPC servers. */
const onlyHttp2 = `
const { readFileSync } = require('node:fs');
const [key, cert] = ['key', 'crt'].map((end) => readFileSync('/certs/tls.' + end));
require('node:http2').createSecureServer({ key, cert }).listen(8443);
`;
const led = (
  gate: string,
  name: string,
  namespace: string,
  {
    container = unprobed,
    args = [],
  }: { readonly container?: object; readonly args?: readonly string[] } = {},
): Backend => ({
  replicas: 3,
  args: ['--leader-gated', gate, '--lease', `${namespace}/${name}`, ...args],
  container,
});

/** Another namespace, for a Lease. */
export const afar = (namespace: string): string => `${namespace}-afar`;

/** The cases, in a namespace. */
export const probeCases = (namespace: string): readonly ProbeCase[] => [
  {
    name: 'sound',
    backend: { replicas: 2 },
    state: 'healthy',
    checks: [],
    replicas: ['ready', 'ready'],
  },
  {
    name: 'slow',
    backend: { replicas: 2, args: ['--delay', '3s'] },
    state: 'healthy',
    checks: ['response-slow'],
  },
  {
    name: 'idle',
    backend: { replicas: 2, args: ['--idle-timeout', '5s'] },
    state: 'healthy',
    checks: ['keep-alive-shorter-than-api-server'],
  },
  {
    name: 'denying',
    backend: answering('--answer', 'deny', '--message', 'not today'),
    state: 'healthy',
    checks: ['denies-plain-object'],
  },
  {
    name: 'stopped',
    backend: unready(),
    harm: 'stop',
    state: 'failing',
    link: 'replica',
    because: 'replica-hangs',
    replicas: ['hangs'],
    foreseen: true,
  },
  {
    name: 'mute',
    backend: unready('--fault', 'hang-tls'),
    state: 'failing',
    link: 'replica',
    because: 'replica-hangs',
    foreseen: true,
  },
  {
    name: 'mum',
    backend: unready('--fault', 'hang-http'),
    state: 'failing',
    link: 'replica',
    because: 'replica-hangs',
  },
  {
    name: 'dropped',
    backend: unready(),
    harm: 'drop',
    state: 'failing',
    link: 'network',
    because: 'firewall-target-port',
    replicas: ['unreachable'],
    foreseen: true,
  },
  {
    name: 'shielded',
    backend: unready(),
    harm: 'policy',
    state: 'failing',
    link: 'network',
    because: 'network-policy-shields-webhook',
    also: 'firewall-target-port',
    replicas: ['unreachable'],
    says: /Packets from the control plane to port \d+ .* are dropped/,
  },
  {
    name: 'meshed',
    backend: behindSidecar(),
    state: 'failing',
    link: 'network',
    because: 'mesh-intercepts-port',
    replicas: ['intercepted'],
    says: /istio-proxy of .* closes connections to port 8443/,
  },
  {
    name: 'unroutable',
    backend: unready(),
    harm: 'no-route',
    state: 'failing',
    link: 'network',
    because: 'unreachable-from-control-plane',
    replicas: ['unreachable'],
    says: /no route to host/,
  },
  {
    name: 'localhost',
    backend: unready('--bind', '127.0.0.1'),
    state: 'failing',
    link: 'replica',
    because: 'replica-listens-on-loopback-only',
    replicas: ['loopback-only'],
    foreseen: true,
  },
  {
    name: 'plain',
    backend: { replicas: 1, container: { ...unprobed, args: ['--answer', 'allow'] } },
    state: 'failing',
    link: 'replica',
    because: 'replica-speaks-plain-http',
    replicas: ['plain-http'],
    foreseen: true,
  },
  {
    name: 'closing',
    backend: unready('--fault', 'close-tls'),
    state: 'failing',
    link: 'replica',
    because: 'replica-closes-connections',
    foreseen: true,
  },
  {
    name: 'ending',
    backend: unready('--fault', 'close-http'),
    state: 'failing',
    link: 'replica',
    because: 'replica-closes-connections',
  },
  {
    name: 'old-tls',
    backend: unready('--tls-min', 'TLSv1', '--tls-max', 'TLSv1.1'),
    state: 'failing',
    link: 'tls',
    because: 'tls-version-unsupported',
    foreseen: true,
  },
  {
    name: 'mutual',
    backend: unready('--client-ca', '/certs/tls.crt'),
    state: 'failing',
    link: 'tls',
    because: 'client-certificate-demanded',
    replicas: ['tls-refused'],
  },
  {
    name: 'http2',
    backend: {
      replicas: 1,
      container: { ...unprobed, command: ['/usr/bin/node', '-e', onlyHttp2], args: [] },
    },
    state: 'failing',
    link: 'tls',
    because: 'replica-closes-connections',
    replicas: ['tls-refused'],
    says: /Port 8443 of .* no HTTP\/1\.1: .*no application protocol/,
    foreseen: true,
  },
  {
    name: 'swapped',
    backend: { replicas: 1 },
    harm: 'swapped',
    state: 'degraded',
    link: 'tls',
    because: 'replicas-serve-different-certificates',
    foreseen: true,
  },
  {
    name: 'wrong-port',
    backend: { replicas: 1 },
    harm: 'wrong-port',
    state: 'failing',
    link: 'backend',
    because: 'target-port-closed',
    says: /9999.*8443/,
    foreseen: true,
  },
  {
    name: 'not-found',
    backend: answering('--answer', 'raw', '--status', '404', '--body', '404 page not found'),
    state: 'failing',
    link: 'response',
    because: 'response-path-not-found',
  },
  {
    name: 'crashing',
    backend: answering('--answer', 'raw', '--status', '500', '--body', 'nil pointer'),
    state: 'failing',
    link: 'response',
    because: 'response-server-error',
  },
  {
    name: 'guarded',
    backend: answering('--answer', 'raw', '--status', '401', '--body', 'who are you'),
    state: 'failing',
    link: 'response',
    because: 'response-unauthorized',
  },
  {
    name: 'redirecting',
    backend: answering('--answer', 'redirect'),
    state: 'failing',
    link: 'response',
    because: 'response-redirects',
  },
  {
    name: 'forgetful',
    backend: answering('--answer', 'wrong-uid'),
    state: 'failing',
    link: 'response',
    because: 'response-uid-mismatch',
  },
  {
    name: 'chatty',
    backend: answering('--answer', 'not-json'),
    state: 'failing',
    link: 'response',
    because: 'response-not-a-review',
  },
  {
    name: 'silent',
    backend: answering('--answer', 'empty'),
    state: 'failing',
    link: 'response',
    because: 'response-empty',
  },
  {
    name: 'outdated',
    backend: answering('--answer', 'wrong-kind'),
    state: 'failing',
    link: 'response',
    because: 'response-version-mismatch',
  },
  {
    name: 'listener',
    backend: led('listener', 'listener', namespace),
    state: 'degraded',
    link: 'replica',
    because: 'leader-gated-listener',
    replicas: ['not-listening', 'not-listening', 'ready'],
    says: /2 of 3 new connections/,
    foreseen: true,
  },
  {
    // Neither its arguments nor its namespace show the Lease.
    name: 'afar',
    backend: {
      replicas: 3,
      args: ['--leader-gated', 'listener', '--lease', '$(HELD)'],
      container: { ...unprobed, env: [{ name: 'HELD', value: `${afar(namespace)}/afar` }] },
    },
    state: 'degraded',
    link: 'replica',
    because: 'leader-gated-listener',
    replicas: ['not-listening', 'not-listening', 'ready'],
    says: /2 of 3 new connections/,
    foreseen: true,
  },
  {
    name: 'answer',
    backend: led('answer', 'answer', namespace),
    state: 'degraded',
    link: 'replica',
    because: 'leader-gated-answer',
    says: /2 of 3 new connections/,
  },
  {
    name: 'certificate',
    backend: led('certificate', 'certificate', namespace),
    state: 'degraded',
    link: 'replica',
    because: 'leader-gated-answer',
    replicas: ['ready', 'tls-refused', 'tls-refused'],
    says: /has a certificate that the API server accepts; the other 2 Pods: /,
    foreseen: true,
  },
  {
    name: 'cold-cache',
    backend: led('cache', 'cold-cache', namespace, { args: ['--warm-up', '999s'] }),
    state: 'degraded',
    link: 'replica',
    because: 'leader-gated-answer',
    replicas: ['denies', 'denies', 'ready'],
    says: /allows the test object. Calls to .* are denied \(2 of 3 new connections\): .*cluster "shop" not found/,
  },
  {
    name: 'filled-cache',
    backend: led('cache', 'filled-cache', namespace, { args: ['--warm-up', '0s'] }),
    state: 'healthy',
    checks: [],
    replicas: ['ready', 'ready', 'ready'],
  },
  {
    name: 'readiness',
    backend: led('readiness', 'readiness', namespace, { container: {} }),
    state: 'healthy',
    checks: ['leader-gated-readiness'],
    // Not while they count as starting.
    perhaps: 'replica-readiness-failing',
  },
  {
    name: 'leaderless',
    // The ServiceAccount may not touch the Lease of another namespace.
    backend: { ...led('listener', 'leaderless', 'default'), replicas: 2 },
    harm: 'stale-lease',
    state: 'failing',
    link: 'replica',
    because: 'service-account-lacks-rights',
    foreseen: true,
  },
  {
    name: 'two-versions',
    backend: { replicas: 2 },
    harm: 'second-version',
    state: 'degraded',
    link: 'replica',
    because: 'replicas-disagree',
    says: /\(1 of 3 /,
  },
  {
    name: 'rollout',
    backend: { replicas: 2 },
    harm: 'rollout',
    state: 'degraded',
    link: 'replica',
    because: 'replicas-disagree',
    replicas: ['http-error', 'ready', 'ready'],
    says: /another Pod template .*\(1 of 3 /,
  },
  // The last one: the API server keeps an idle connection for 90 s.
  {
    name: 'latent',
    backend: unready(),
    harm: 'drop-new',
    state: 'failing',
    link: 'network',
    because: 'firewall-target-port',
    also: 'kept-connection-hides-break',
    replicas: ['unreachable'],
    foreseen: true,
  },
];
