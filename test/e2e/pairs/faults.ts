import type { BackendPodsOptions } from '../../cluster/backend-pods.ts';

/** Links of a call in the order of the API server. Two faults of one place exclude each other. */
export const places = [
  'condition',
  'service',
  'endpoints',
  'replica',
  'time',
  'name',
  'trust',
  'response',
] as const;

/** One fault, as changes of healthy objects. */
export interface Fault {
  readonly name: string;
  readonly place: (typeof places)[number];
  /** Doctor's checks for it: the first is the usual one. */
  readonly checks: readonly string[];
  /** Merged over the webhook. */
  readonly webhook?: object;
  /** Merged over the webhook's reference to the Service. */
  readonly reference?: object;
  /** Merged over the Service's spec. */
  readonly service?: object;
  /** Of the Pods behind it. */
  readonly backend?: Omit<BackendPodsOptions, 'name' | 'ca'>;
  /** The certificate that they serve. */
  readonly certificate?: 'expired' | 'other-name' | 'missing';
  /** The caBundle contains another CA. */
  readonly untrusted?: true;
  /** No process listens at the address, so that its certificate and response are not visible. */
  readonly mute?: true;
  /** The final state of its Pods. */
  readonly settles?: 'ready' | 'running' | 'crashing' | 'waiting' | 'pending' | 'none';
}

const unprobed = { readinessProbe: null } as const;
const answering = (...args: readonly string[]): NonNullable<Fault['backend']> => ({
  args: ['--answer', ...args],
});

const faults: readonly Fault[] = [
  {
    name: 'condition',
    place: 'condition',
    checks: ['match-condition-broken'],
    webhook: { matchConditions: [{ name: 'owner', expression: 'object.spec.replicas > 0' }] },
  },
  {
    name: 'no-service',
    place: 'service',
    checks: ['service-missing'],
    reference: { name: 'nowhere' },
  },
  {
    name: 'no-port',
    place: 'service',
    checks: ['service-port-missing'],
    reference: { port: 9443 },
  },
  {
    name: 'selector',
    place: 'endpoints',
    // Other Services lead to the port of every Deployment: none of them is the one that is meant.
    checks: ['selector-matches-no-pod', 'workload-missing'],
    service: { selector: { app: 'typo' } },
  },
  {
    name: 'port-name',
    place: 'endpoints',
    checks: ['target-port-name-missing'],
    service: { ports: [{ name: 'https', port: 443, targetPort: 'webhook' }] },
  },
  {
    name: 'port-number',
    place: 'endpoints',
    checks: ['target-port-closed'],
    service: { ports: [{ name: 'https', port: 443, targetPort: 9999 }] },
  },
  {
    name: 'scaled',
    place: 'replica',
    checks: ['workload-scaled-to-zero'],
    backend: { replicas: 0 },
    mute: true,
    settles: 'none',
  },
  {
    name: 'crash',
    place: 'replica',
    checks: ['replica-crash-looping'],
    backend: { container: { args: ['--no-such-flag'] } },
    mute: true,
    settles: 'crashing',
  },
  {
    name: 'image',
    place: 'replica',
    checks: ['replica-image-pull-failing'],
    backend: { container: { image: 'localhost/nope:2' } },
    mute: true,
    settles: 'waiting',
  },
  {
    name: 'unready',
    place: 'replica',
    checks: ['replica-readiness-failing'],
    backend: { args: ['--not-ready'] },
    settles: 'running',
  },
  {
    name: 'pending',
    place: 'replica',
    checks: ['replica-unschedulable'],
    backend: { podSpec: { nodeSelector: { disk: 'fast' } } },
    mute: true,
    settles: 'pending',
  },
  {
    name: 'loopback',
    place: 'replica',
    checks: ['replica-listens-on-loopback-only'],
    backend: { args: ['--bind', '127.0.0.1'], container: unprobed },
  },
  {
    name: 'expired',
    place: 'time',
    checks: ['serving-certificate-expired'],
    certificate: 'expired',
  },
  {
    name: 'other-name',
    place: 'name',
    checks: ['serving-certificate-name-mismatch'],
    certificate: 'other-name',
  },
  {
    name: 'untrusted',
    place: 'trust',
    checks: ['stale-ca-bundle'],
    untrusted: true,
  },
  {
    name: 'not-found',
    place: 'response',
    checks: ['response-path-not-found'],
    backend: answering('raw', '--status', '404', '--body', '404 page not found'),
  },
  {
    name: 'error',
    place: 'response',
    checks: ['response-server-error'],
    backend: answering('raw', '--status', '500', '--body', 'nil pointer'),
  },
  {
    name: 'other-uid',
    place: 'response',
    checks: ['response-uid-mismatch'],
    backend: answering('wrong-uid'),
  },
  {
    name: 'no-review',
    place: 'response',
    checks: ['response-not-a-review'],
    backend: answering('not-json'),
  },
  {
    name: 'slow',
    place: 'response',
    checks: ['timeout-too-short', 'response-slow', 'replica-hangs'],
    webhook: { timeoutSeconds: 2 },
    backend: { args: ['--delay', '4s'] },
  },
];

/** Two faults of different places; the API server meets `first` first. */
export interface Pair {
  readonly name: string;
  readonly first: Fault;
  readonly second: Fault;
}

export const pairs: readonly Pair[] = faults.flatMap((first, at) =>
  faults
    .slice(at + 1)
    .filter(({ place }) => place !== first.place)
    .map((second) => ({ name: `${first.name}-${second.name}`, first, second })),
);
