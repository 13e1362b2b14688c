import { calloutId } from '../../../src/facts/callout.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { CertificateSecret } from '../../../src/facts/objects/certificate-secret.ts';
import type { CalloutProbes, ConnectionFailure, ReplicaProbe } from '../../../src/facts/probes.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { authorityDraft, type Draft, serverDraft, signChain } from '../../oracle/certificate/chain-draft.ts';
import { pemOf } from '../../oracle/certificate/make-certificate.ts';
import { testKey } from '../../oracle/certificate/test-key.ts';
import type { describeCheck } from '../../support/describe-check.ts';
import { healthy, lists, objects, pod, takenAt, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { encoded } from './bundles.ts';

export const host = 'policy.shop.svc';
const now = new Date(takenAt);
const reference = { namespace: 'shop', name: 'policy', port: 443 };

/** A chain from the server's certificate up to below its root, and the root as PEM. */
export interface Issued {
  readonly presented: readonly Buffer[];
  readonly root: string;
}

/** A serving certificate for shop/policy and its root, with changes. */
export function issued(
  {
    root = {},
    intermediate = {},
    server = {},
  }: {
    readonly root?: Partial<Draft>;
    readonly intermediate?: Partial<Draft>;
    readonly server?: Partial<Draft>;
  } = {},
  intermediates = 0,
): Issued {
  const authorities = Array.from({ length: intermediates + 1 }, (_, at) => ({
    ...authorityDraft(at, now),
    ...(at === 0 ? root : intermediate),
  }));
  const [top = Buffer.alloc(0), ...below] = signChain([
    ...authorities,
    { ...serverDraft(host, now), ...server },
  ]);
  return { presented: below.toReversed(), root: pemOf(top) };
}

/** A root with another key, by default with the same name. */
export const anotherRoot = (cn = 'root-ca'): Issued =>
  issued({ root: { subject: { cn }, key: testKey('p256', 5) } });

export const pem = (chain: readonly Buffer[]): string => chain.map((der) => pemOf(der)).join('');

export const trusted = (caBundle: string, over: Parameters<typeof webhook>[0] = {}) =>
  webhook({ client: { service: reference, caBundle: encoded(caBundle) }, ...over });

/** The handshake of a probe with replica policy-1, policy-2, … */
export interface Seen {
  readonly presented?: readonly Buffer[];
  readonly failure?: ConnectionFailure;
  readonly ready?: boolean;
}

export const ended = (alert: string): Seen => ({
  failure: { stage: 'tls', kind: 'alert', alert, text: `remote error: tls: ${alert}`, milliseconds: 3 },
});

/** The same after ServerHello. */
export const endedLater = (alert: string): Seen => ({
  failure: { ...(ended(alert).failure as ConnectionFailure), greeted: true },
});

const replica = ({ presented, failure, ready = true }: Seen, at: number): ReplicaProbe => ({
  pod: `policy-${at + 1}`,
  port: 8443,
  endpoint: `198.51.100.${at + 7}:8443`,
  ready,
  dialogues: [
    {
      way: 'port-forward',
      ...(presented === undefined
        ? {}
        : {
            handshake: { protocol: 'TLSv1.3', cipher: 'TLS_AES_128_GCM_SHA256', presented, milliseconds: 2 },
          }),
      reviews: [],
      ...(failure === undefined ? {} : { failure }),
    },
  ],
  notTried: [],
});

export const probes = (seen: readonly Seen[], over: Partial<CalloutProbes> = {}): CalloutProbes => ({
  level: 'connect',
  serverName: host,
  replicas: seen.map(replica),
  notTried: [],
  ...over,
});

/** The webhook of shop/policy, whose replicas present these chains. */
export const served = (
  caBundle: string,
  seen: readonly Seen[],
  over: Partial<Facts> = {},
): Partial<Facts> => {
  const callout = trusted(caBundle);
  return healthy({ callouts: [callout], probes: complete([[calloutId(callout), probes(seen)]]), ...over });
};

/** The Pod that mounts Secret shop/policy-tls at the path in its arguments. */
export const mounting = (args: readonly string[] = ['--cert-dir=/certs'], secretName = 'policy-tls') =>
  pod({
    spec: {
      containers: [
        {
          name: 'webhook',
          args,
          ports: [{ containerPort: 8443 }],
          volumeMounts: [{ name: 'certs', mountPath: '/certs' }],
        },
      ],
      volumes: [{ name: 'certs', secret: { secretName } }],
    },
  });

/** The Pod that mounts ConfigMap shop/policy-tls; its private key is stored elsewhere. */
export const mountingConfigMap = () => {
  const { spec, ...rest } = mounting();
  return { ...rest, spec: { ...spec, volumes: [{ name: 'certs', configMap: { name: 'policy-tls' } }] } };
};

export const secret = (
  certificates: Readonly<Record<string, string>>,
  over: Partial<CertificateSecret> = {},
): CertificateSecret => ({
  metadata: { namespace: 'shop', name: 'policy-tls' },
  type: 'kubernetes.io/tls',
  keys: [...Object.keys(certificates), 'tls.key'],
  certificates,
  ...over,
});

/** The webhook of shop/policy, whose Pod mounts this Secret; there was no probe. */
export const kept = (
  caBundle: string,
  held: CertificateSecret | undefined,
  over: Partial<Facts> = {},
): Partial<Facts> =>
  healthy({
    callouts: [trusted(caBundle)],
    pods: lists({ 'shop/policy': [mounting()] }),
    secrets: objects(...(held === undefined ? [] : [held])),
    ...over,
  });

type Table = Parameters<typeof describeCheck>[1];

/** The cases of every fault of a serving certificate: all replicas, some, one without calls. */
export function faultTable(bad: Issued, data?: Readonly<Record<string, string | number>>): Table {
  const good = issued();
  const bundle = good.root + bad.root;
  const [wrong, right] = [{ presented: bad.presented }, { presented: good.presented }];
  return {
    reports: [
      {
        name: 'the certificate in the Secret that the replicas mount',
        facts: kept(bundle, secret({ 'tls.crt': pem(bad.presented) })),
        expect: { messageId: 'all', confidence: 'derived', ...(data === undefined ? {} : { data }) },
      },
      {
        name: 'what all replicas serve, whatever the Secret holds',
        facts: served(bundle, [wrong, wrong], {
          pods: lists({ 'shop/policy': [mounting()] }),
          secrets: objects(secret({ 'tls.crt': pem(good.presented) })),
        }),
        expect: { messageId: 'all', confidence: 'observed' },
      },
      {
        name: 'one of two replicas',
        facts: served(bundle, [wrong, right]),
        expect: { messageId: 'some', confidence: 'observed' },
      },
      {
        name: 'a replica that gets no calls',
        facts: served(bundle, [{ ...wrong, ready: false }, right]),
        expect: { messageId: 'spare', confidence: 'observed' },
      },
    ],
    reportsNothing: silent(good),
    isUnknown: [
      {
        name: 'the Secret may not be read',
        facts: kept(bundle, undefined, { secrets: forbidden('secrets') }),
      },
    ],
  };
}

/** Valid certificates, and those that are not verified. */
export const silent = (good: Issued = issued()): Table['reportsNothing'] => [
  {
    name: 'the API server accepts what is served',
    facts: served(good.root, [{ presented: good.presented }]),
    outcome: 'pass',
  },
  {
    name: 'a good certificate lies in the Secret',
    facts: kept(good.root, secret({ 'tls.crt': pem(good.presented) })),
    outcome: 'pass',
  },
  { name: 'nothing was read', facts: {}, outcome: 'not-applicable' },
];
