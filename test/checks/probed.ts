import type { DefinedCheck } from '../../src/checks/check.ts';
import { calloutId } from '../../src/facts/callout.ts';
import { complete, nothingRead } from '../../src/facts/lookup.ts';
import type { Lease } from '../../src/facts/objects/lease.ts';
import type { Pod } from '../../src/facts/objects/pod.ts';
import type {
  CalloutProbes,
  ConnectionFailure,
  DryRun,
  HttpResponse,
  ProbeConnection,
  ProxyResponse,
  ReplicaProbe,
  ReviewExchange,
} from '../../src/facts/probes.ts';
import type { SampledObject } from '../../src/facts/sample.ts';
import type { Facts } from '../../src/facts/snapshot.ts';
import { describeCheck } from '../support/describe-check.ts';
import { healthy, lists, pod, slice, takenAt, webhook } from '../support/snapshot.ts';
import { forbidden } from '../support/unread.ts';
import { endpointOf } from './replica/replicas.ts';

/** The probes of one replica. */
export type Tried = Partial<Pick<ReplicaProbe, 'dialogues' | 'proxy' | 'notTried' | 'port'>>;

const handshake = { protocol: 'TLSv1.3', cipher: 'TLS_AES_128_GCM_SHA256', presented: [], milliseconds: 2 };

const reached: ProxyResponse = { reached: true, status: 404, text: '', milliseconds: 3 };
/** The error of the API server's proxy if it cannot connect. */
export const proxySays = (text: string): ProxyResponse => ({
  reached: false,
  status: text === '' ? 0 : 503,
  text,
  milliseconds: 3,
});

export const json = (value: object): HttpResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(value)),
});
const review = (response: object): HttpResponse =>
  json({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response });

/**
 * A replica that received a review through a port-forward and sent this response; the control plane reaches
 * it.
 */
export const responding = (answer: HttpResponse, over: Partial<ReviewExchange> = {}): Tried => {
  const exchange: ReviewExchange = {
    version: 'v1',
    uid: 'uid',
    operation: 'CREATE',
    resource: 'configmaps',
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'probe' } },
    answer,
    milliseconds: 4,
    ...over,
  };
  return { dialogues: [{ way: 'port-forward', handshake, reviews: [exchange] }], proxy: reached };
};

export const allows = responding(review({ uid: 'uid', allowed: true }));
export const denies = (message: string, over: Partial<ReviewExchange> = {}): Tried =>
  responding(review({ uid: 'uid', allowed: false, status: { message } }), over);
export const patches = (patch: object): Tried =>
  responding(
    review({
      uid: 'uid',
      allowed: true,
      patchType: 'JSONPatch',
      patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
    }),
  );
export const http = (status: number, body = '', headers: Readonly<Record<string, string>> = {}): Tried =>
  responding({ status, headers: { 'content-type': 'text/plain', ...headers }, body: Buffer.from(body) });

/** Allows after that many milliseconds; the timeout is 10 s. */
export const after = (milliseconds: number): Tried => ({
  ...allows,
  dialogues: (allows.dialogues ?? []).map((connection) => ({
    ...connection,
    reviews: connection.reviews.map((review) => ({ ...review, milliseconds })),
  })),
});

/** The error of a dry run that timed out. */
export const timedOut =
  'Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: Post "https://policy.shop.svc:443/validate?timeout=10s": context deadline exceeded';

/** A port-forward that failed in this way, and the result of the API server's proxy, if it was used. */
export const ended = (
  failure: Pick<ConnectionFailure, 'stage' | 'kind'> & Partial<ConnectionFailure>,
  proxy?: ProxyResponse,
): Tried => {
  const connection: ProbeConnection = {
    way: 'port-forward',
    reviews: [],
    failure: { text: `${failure.kind} at ${failure.stage}`, milliseconds: 5, ...failure },
  };
  return { dialogues: [connection], ...(proxy === undefined ? {} : { proxy }) };
};

export const refused = ended(
  { stage: 'connect', kind: 'refused', text: 'connection refused' },
  proxySays('dial tcp 198.51.100.11:8443: connect: connection refused'),
);

/** Pods policy-1, policy-2 … of one ReplicaSet, all Ready; with changes for each. */
export const replica = (number: number, over: Parameters<typeof pod>[0] = {}): Pod => {
  const ip = `198.51.100.${10 + number}`;
  return pod({
    ...over,
    metadata: {
      name: `policy-${number}`,
      uid: `uid-${number}`,
      creationTimestamp: '2025-12-01T00:00:00Z',
      ...over.metadata,
    },
    status: { podIP: ip, podIPs: [{ ip }], ...over.status },
  });
};

interface Scene {
  /** In place of {@link replica}, by position. */
  readonly pods?: readonly Pod[];
  readonly dryRun?: DryRun;
  readonly discovery?: CalloutProbes['discovery'];
  /** Of the webhook in general. */
  readonly dialError?: string;
  readonly notTried?: CalloutProbes['notTried'];
  readonly facts?: Partial<Facts>;
}

/** The healthy backend with one replica for each set of probes of the first of `facts.callouts`. */
export function tried(
  replicas: readonly Tried[],
  { pods, dryRun, discovery, dialError, notTried = [], facts }: Scene = {},
): Partial<Facts> {
  const made = pods ?? replicas.map((_, at) => replica(at + 1));
  const probes: CalloutProbes = {
    level: 'review',
    serverName: 'policy.shop.svc',
    replicas: replicas.map((one, at): ReplicaProbe => {
      const { metadata, status } = made[at] as Pod;
      return {
        pod: metadata.name,
        port: 8443,
        endpoint: `${status.podIP}:8443`,
        ready: true,
        dialogues: [],
        notTried: [],
        ...one,
      };
    }),
    ...(dryRun === undefined ? {} : { dryRun }),
    ...(discovery === undefined ? {} : { discovery }),
    ...(dialError === undefined ? {} : { dialError }),
    notTried,
  };
  const isReady = ({ status }: Pod): boolean =>
    status.conditions?.some((one) => one.status === 'True') === true;
  return healthy({
    endpointSlices: lists({ 'shop/policy': [slice(made.map((one) => endpointOf(one, isReady(one))))] }),
    pods: lists({ 'shop/policy': made }),
    probes: complete([[calloutId(facts?.callouts?.[0] ?? webhook()), probes]]),
    ...facts,
  });
}

/** A webhook with a URL, and its probe. */
export const triedUrl = (connection: ProbeConnection, dryRun?: DryRun): Partial<Facts> => {
  const url = 'https://hooks.example.com/validate';
  const probes: CalloutProbes = {
    level: 'review',
    serverName: 'hooks.example.com',
    replicas: [],
    url: connection,
    ...(dryRun === undefined ? {} : { dryRun }),
    notTried: [],
  };
  const { caBundle = '' } = webhook().client;
  return {
    callouts: [webhook({ client: { url, caBundle } })],
    probes: complete([['validating/policy/policy.example.com', probes]]),
  };
};

/** Replicas as in {@link tried} that were also called with ConfigMap shop/cart, and the results. */
export function sampled(
  base: Partial<Facts>,
  replicas: readonly Tried[],
  over: Partial<SampledObject> = {},
): Partial<Facts> {
  const [callout = webhook()] = base.callouts ?? [];
  const [probes] = [...(tried(replicas).probes?.all() ?? [])];
  const sample: SampledObject = {
    object: { kind: 'ConfigMap', namespace: 'shop', name: 'cart' },
    by: 'stored',
    operation: 'CREATE',
    admitted: false,
    ...(probes === undefined ? {} : { probes }),
    ...over,
  };
  return { ...base, samples: complete([[calloutId(callout), [sample]]]) };
}

export const dryRun = (message = ''): DryRun => ({
  operation: 'CREATE',
  resource: 'configmaps',
  namespace: 'shop',
  status: message === '' ? 201 : 500,
  message,
  milliseconds: 9,
});

/** A Lease in namespace shop that was just renewed. */
export const lease = (holderIdentity: string, over: Partial<NonNullable<Lease['spec']>> = {}): Lease => ({
  metadata: { name: 'policy-leader', namespace: 'shop' },
  spec: { holderIdentity, leaseDurationSeconds: 15, renewTime: takenAt, ...over },
});
export const leases = (...all: readonly Lease[]): Partial<Facts> => ({ leases: lists({ shop: all }) });

/** Cases without a finding for every check of probe results. */
export const quiet = [
  { name: 'every replica responds', facts: tried([allows, allows]), outcome: 'pass' as const },
  {
    name: 'nothing was probed',
    facts: { ...tried([]), probes: nothingRead<CalloutProbes>({ what: 'probes', why: 'not-requested' }) },
    outcome: 'not-applicable' as const,
  },
];
export const blind = [
  { name: 'probes failed', facts: { ...tried([]), probes: forbidden<CalloutProbes>('probes') } },
];

export const unready = { status: { conditions: [{ type: 'Ready', status: 'False' }] } } as const;

/** The table of a check for one fault of replicas. @param others further cases without a finding. */
export function describeFault(
  check: Pick<DefinedCheck, 'meta' | 'requires'>,
  bad: Tried,
  others: readonly { readonly name: string; readonly facts: Partial<Facts> }[] = [],
  more: Parameters<typeof describeCheck>[1]['reports'] = [],
): void {
  describeCheck(check, {
    reports: [
      ...more,
      {
        name: 'it of every replica',
        facts: tried([bad, bad]),
        expect: { messageId: 'all', confidence: 'observed' },
      },
      {
        name: 'it of one replica of two',
        facts: tried([allows, bad]),
        expect: { messageId: 'some', confidence: 'observed' },
      },
      ...('behind' in check.meta.messages
        ? [
            {
              name: 'it of a replica that gets no calls yet, as no other does',
              facts: tried([bad], { pods: [replica(1, unready)] }),
              expect: { messageId: 'behind', confidence: 'observed' as const },
            },
          ]
        : []),
    ],
    reportsNothing: [
      ...quiet,
      ...others,
      {
        name: 'the replica gets no calls',
        facts: tried([allows, bad], { pods: [replica(1), replica(2, unready)] }),
        outcome: 'pass',
      },
    ],
    isUnknown: blind,
  });
}
