import { authorityDraft, type Draft, day, serverDraft, signChain, signDraft } from './chain-draft.ts';
import {
  alternativeNames,
  type GeneralName,
  inhibitAnyPolicy,
  policies,
  policyConstraints,
  policyMappings,
  unknownExtension,
} from './extension-der.ts';
import { pemOf } from './make-certificate.ts';
import { type TestKey, testKey } from './test-key.ts';

/** A chain that a server may present, and a caBundle. */
export interface RepresentativeCase {
  readonly name: string;
  /** DER, the server's first. */
  readonly presented: readonly Buffer[];
  /** Of the server. */
  readonly key: TestKey;
  /** Bytes of the bundle. */
  readonly caBundle: Buffer;
  readonly host: string;
  readonly now: Date;
}

/** A chain before it is signed, and its changes. */
interface Plan {
  readonly host: string;
  readonly now: Date;
  readonly drafts: Draft[];
  present: (chain: readonly Buffer[]) => readonly Buffer[];
  trust: (chain: readonly Buffer[]) => readonly Buffer[] | string;
}

const root = ({ drafts }: Plan): Draft => drafts[0] as Draft;
const server = ({ drafts }: Plan): Draft => drafts.at(-1) as Draft;
const middle = ({ drafts }: Plan): Draft => drafts[1] as Draft;

type Change = (plan: Plan) => void;

const toServer =
  (over: Partial<Draft> | ((plan: Plan) => Partial<Draft>)): Change =>
  (plan) => {
    Object.assign(server(plan), typeof over === 'function' ? over(plan) : over);
  };
const toRoot =
  (over: Partial<Draft> | ((plan: Plan) => Partial<Draft>)): Change =>
  (plan) => {
    Object.assign(root(plan), typeof over === 'function' ? over(plan) : over);
  };
const toMiddle =
  (over: Partial<Draft>): Change =>
  (plan) => {
    Object.assign(middle(plan), over);
  };
const names = (...list: readonly GeneralName[]): Change => toServer({ names: list });
const dns = (...list: readonly ((host: string) => string)[]): Change =>
  toServer(({ host }) => ({ names: list.map((of) => ({ dns: of(host) })) }));
const trust =
  (of: Plan['trust']): Change =>
  (plan) => {
    plan.trust = of;
  };
const present =
  (of: Plan['present']): Change =>
  (plan) => {
    plan.present = of;
  };
const ago =
  (days: number) =>
  ({ now }: Plan): Date =>
    new Date(now.getTime() - days * day);
const ended = (plan: Plan): Partial<Draft> => ({ notBefore: ago(30)(plan), notAfter: ago(1)(plan) });
const coming = (plan: Plan): Partial<Draft> => ({ notBefore: ago(-1)(plan), notAfter: ago(-30)(plan) });

const at = (chain: readonly Buffer[], index: number): Buffer => chain.at(index) as Buffer;
const namespaceOf = (host: string): string => host.split('.').slice(1).join('.');
const others =
  (over: Partial<Draft>): ((plan: Plan) => Buffer) =>
  (plan) =>
    signDraft({ ...root(plan), ...over });
/** Trusts another version of the root instead of the one that signed, or in addition to it. */
const trustOther =
  (over: Partial<Draft>, beside = false): Change =>
  (plan) => {
    plan.trust = (chain) => [others(over)(plan), ...(beside ? [at(chain, 0)] : [])];
  };
const rsa = { key: testKey('rsa2048', 0) };
const tooLong = Array.from({ length: 100 }, (_, index) => ({ dns: `name-${index}.example.com` }));

/** Root and server. */
const direct: Readonly<Record<string, readonly Change[]>> = {
  good: [],
  'leaf-is-anchor': [trust((chain) => [at(chain, -1)])],
  'leaf-is-anchor-expired': [toServer(ended), trust((chain) => [at(chain, -1)])],
  'leaf-is-anchor-wrong-name': [dns(() => 'other.example.com'), trust((chain) => [at(chain, -1)])],
  'leaf-is-anchor-client': [toServer({ usages: ['client'] }), trust((chain) => [at(chain, -1)])],
  expired: [toServer(ended)],
  'not-yet-valid': [toServer(coming)],
  'expired-and-unknown': [toServer(ended), trustOther({ subject: { cn: 'another-ca' } })],
  'expired-and-wrong-name': [toServer(ended), dns(() => 'other.example.com')],
  'wrong-name-and-unknown': [dns(() => 'other.example.com'), trustOther({ subject: { cn: 'another-ca' } })],
  'authority-expired': [toRoot(ended)],
  'authority-not-yet-valid': [toRoot(coming)],
  'authority-renewed': [(plan) => trustOther(ended(plan), true)(plan)],
  'authority-renewed-behind': [
    (plan) => {
      plan.trust = (chain) => [at(chain, 0), others(ended(plan))(plan)];
    },
  ],
  'authority-rotated': [trustOther({ key: testKey('p256', 3) })],
  'authority-rotated-both': [trustOther({ key: testKey('p256', 3) }, true)],
  'authority-rotated-rsa': [toRoot(rsa), trustOther({ key: testKey('rsa2048', 3) })],
  'authority-rotated-ed25519': [
    toRoot({ key: testKey('ed25519', 0) }),
    trustOther({ key: testKey('ed25519', 3) }),
  ],
  'authority-rotated-kind': [toRoot(rsa), trustOther({ key: testKey('p256', 3) })],
  'authority-rotated-kind-back': [trustOther(rsa)],
  'authority-rotated-and-client': [toServer({ usages: ['client'] }), trustOther({ key: testKey('p256', 3) })],
  'authority-unknown': [trustOther({ subject: { cn: 'another-ca' }, key: testKey('p256', 3) })],
  'common-name-only': [toServer(({ host }) => ({ names: undefined, subject: { cn: host } }))],
  'common-name-of-other': [toServer({ names: undefined, subject: { cn: 'other.example.com' } })],
  'address-only': [names({ ip: [192, 0, 2, 7] })],
  'email-only': [names({ email: 'ops@example.com' })],
  'no-name-at-all': [toServer({ names: undefined, subject: {} })],
  'wrong-name': [dns(() => 'other.example.com')],
  'wrong-names': [
    dns(
      () => 'other.example.com',
      (host) => `x.${host}`,
      (host) => host.split('.')[0] ?? '',
    ),
  ],
  'cluster-domain-only': [dns((host) => `${host}.cluster.local`)],
  'service-name-only': [dns((host) => host.split('.')[0] ?? '')],
  'many-names': [names(...tooLong)],
  'almost-many-names': [names(...tooLong.slice(1))],
  'many-addresses': [names(...tooLong.map((_, index) => ({ ip: [192, 0, 2, index] })))],
  wildcard: [dns((host) => `*.${namespaceOf(host)}`)],
  'wildcard-too-wide': [dns(() => '*.svc')],
  'wildcard-alone': [dns(() => '*')],
  'wildcard-in-part': [dns((host) => `${host[0]}*.${namespaceOf(host)}`)],
  'trailing-dot': [dns((host) => `${host}.`)],
  'upper-case': [dns((host) => host.toUpperCase())],
  'client-usage': [toServer({ usages: ['client'] })],
  'any-usage': [toServer({ usages: ['client', 'any'] })],
  'no-usage': [toServer({ usages: undefined })],
  'unknown-usage': [toServer({ usages: ['unknown'] })],
  'authority-client-usage': [toRoot({ usages: ['client'] })],
  'authority-server-usage': [toRoot({ usages: ['server'] })],
  'authority-without-basic-constraints': [toRoot({ authority: undefined })],
  'authority-is-none': [toRoot({ authority: { isCa: false } })],
  'authority-without-cert-sign': [toRoot({ keyUsage: [0] })],
  'authority-without-key-usage': [toRoot({ keyUsage: undefined })],
  'authority-version-1': [toRoot({ version: 1 })],
  'leaf-key-usage': [toServer({ keyUsage: [6] })],
  'leaf-is-authority': [toServer({ authority: { isCa: true } })],
  'sha1-rsa': [toRoot(rsa), toServer({ scheme: 'SHA1-RSA' })],
  'sha1-ecdsa': [toServer({ scheme: 'ECDSA-SHA1' })],
  'sha1-root': [toRoot({ ...rsa, scheme: 'SHA1-RSA' })],
  'md5-rsa': [toRoot(rsa), toServer({ scheme: 'MD5-RSA' })],
  'sha512-rsa': [toRoot(rsa), toServer({ scheme: 'SHA512-RSA' })],
  'sha256-pss': [toRoot(rsa), toServer({ scheme: 'SHA256-RSAPSS' })],
  'pss-short-salt': [toRoot(rsa), toServer({ scheme: 'SHA256-RSAPSS with a short salt' })],
  'rsa-1024': [toRoot({ key: testKey('rsa1024', 0) }), toServer({ key: testKey('rsa1024', 9) })],
  'rsa-768': [toServer({ key: testKey('rsa768', 9) })],
  'rsa-768-authority': [toRoot({ key: testKey('rsa768', 0) })],
  'p-384': [toRoot({ key: testKey('p384', 0) }), toServer({ key: testKey('p384', 9) })],
  'p-521': [toRoot({ key: testKey('p521', 0) }), toServer({ key: testKey('p521', 9) })],
  ed25519: [toRoot({ key: testKey('ed25519', 0) }), toServer({ key: testKey('ed25519', 9) })],
  'permitted-name': [toRoot({ permitted: [{ dns: 'svc' }] })],
  'name-not-permitted': [toRoot({ permitted: [{ dns: 'example.com' }] })],
  'name-excluded': [toRoot({ excluded: [{ dns: 'svc' }, { dns: 'example.com' }] })],
  'name-excluded-and-client': [toRoot({ excluded: [{ dns: 'svc' }] }), toServer({ usages: ['client'] })],
  'second-name-not-permitted': [
    toRoot({ permitted: [{ dns: '.svc' }] }),
    dns(
      (host) => host,
      () => 'hooks.example.com',
    ),
  ],
  'wildcard-meets-excluded': [
    toRoot(({ host }) => ({ excluded: [{ dns: `secret.${namespaceOf(host)}` }] })),
    dns((host) => `*.${namespaceOf(host)}`),
  ],
  'address-not-permitted': [
    toRoot({ permitted: [{ ip: [10, 0, 0, 0, 255, 0, 0, 0] }] }),
    toServer(({ host }) => ({ names: [{ dns: host }, { ip: [192, 0, 2, 7] }] })),
  ],
  'uri-not-permitted': [
    toRoot({ permitted: [{ uri: '.example.com' }] }),
    toServer(({ host }) => ({ names: [{ dns: host }, { uri: 'spiffe://cluster.local/ns/shop' }] })),
  ],
  'email-excluded': [
    toRoot({ excluded: [{ email: 'example.com' }] }),
    toServer(({ host }) => ({ names: [{ dns: host }, { email: 'ops@example.com' }] })),
  ],
  'directory-constrained': [toRoot({ permitted: [{ directory: '' }] })],
  'unknown-critical': [toServer({ extra: [unknownExtension(true)] })],
  'unknown-critical-in-authority': [toRoot({ extra: [unknownExtension(true)] })],
  'unknown-extension': [toServer({ extra: [unknownExtension(false)] })],
  'negative-serial': [toServer({ serial: -5n })],
  'negative-serial-of-authority': [toRoot({ serial: -5n })],
  'key-ids-differ': [toServer({ keyIds: 'wrong' })],
  'no-key-ids': [toServer({ keyIds: 'none' }), toRoot({ keyIds: 'none' })],
  'critical-names': [toServer({ criticalNames: true, subject: {} })],
  'candidate-by-organization': [
    toRoot({ subject: { o: 'Shop' } }),
    trustOther({ subject: { o: 'Shop' }, key: testKey('p256', 3) }),
  ],
  'candidate-by-serial': [
    toRoot({ subject: {} }),
    trustOther({ subject: {}, key: testKey('p256', 3), serial: 77n }),
  ],
  'candidate-with-quotes': [
    toRoot({ subject: { cn: 'the "old" ca' } }),
    trustOther({ subject: { cn: 'the "old" ca' }, key: testKey('p256', 3) }),
  ],
  'unrelated-presented': [
    (plan) => {
      plan.present = (chain) => [at(chain, -1), others({ subject: { cn: 'another-ca' } })(plan)];
    },
  ],
  'root-presented': [present((chain) => [...chain].reverse())],
  'unrelated-trusted': [trustOther({ subject: { cn: 'another-ca' } }, true)],
  'bundle-with-words': [trust((chain) => `Subject: CN=root-ca\n${pemOf(at(chain, 0))}\nand more\n`)],
  'bundle-with-returns': [trust((chain) => pemOf(at(chain, 0)).replaceAll('\n', '\r\n'))],
  'bundle-with-a-cut-one-first': [
    trust((chain) => `-----BEGIN CERTIFICATE-----\nMIIB\n${pemOf(at(chain, 0))}`),
  ],
  'bundle-with-a-broken-one-first': [
    trust((chain) => `${pemOf(Buffer.from('300102', 'hex'))}${pemOf(at(chain, 0))}`),
  ],
  'bundle-of-words': [trust(() => 'no certificate\n')],
  'bundle-indented': [trust((chain) => pemOf(at(chain, 0)).replaceAll(/^/gm, '  '))],
  'bundle-twice-base64': [trust((chain) => Buffer.from(pemOf(at(chain, 0))).toString('base64'))],
  'bundle-of-a-key': [trust(() => pemOf(Buffer.from('3000', 'hex'), 'EC PRIVATE KEY'))],
  'bundle-trusted-certificate': [trust((chain) => pemOf(at(chain, 0), 'TRUSTED CERTIFICATE'))],
  'bundle-with-headers': [trust((chain) => pemOf(at(chain, 0)).replace('-----\n', '-----\nA: b\n\n'))],
  'bundle-broken': [trust(() => pemOf(Buffer.from('3003020101', 'hex')))],
  'policy-needed': [toServer({ extra: [policyConstraints(0)] })],
  'policy-there': [toServer({ extra: [policyConstraints(0), policies('1.3.6.1.4.1.99999.2.1')] })],
};

/** Root, intermediate and server. */
const throughIntermediate: Readonly<Record<string, readonly Change[]>> = {
  'intermediate-good': [],
  'intermediate-missing': [present((chain) => [at(chain, -1)])],
  'intermediate-is-anchor': [present((chain) => [at(chain, -1)]), trust((chain) => [at(chain, 1)])],
  'intermediate-presented-first-root': [present((chain) => [at(chain, -1), at(chain, 0), at(chain, 1)])],
  'intermediate-expired': [(plan) => Object.assign(middle(plan), ended(plan))],
  'no-bundle': [trust(() => '')],
  'no-bundle-intermediate-is-none': [trust(() => ''), toMiddle({ authority: { isCa: false } })],
  'no-bundle-intermediate-rotated': [
    trust(() => ''),
    toMiddle({ key: testKey('p256', 3) }),
    (plan) => {
      server(plan).signer = testKey('p256', 1);
    },
  ],
  'no-bundle-client-usage': [trust(() => ''), toServer({ usages: ['client'] })],
  'no-bundle-intermediate-expired': [trust(() => ''), (plan) => Object.assign(middle(plan), ended(plan))],
  'no-bundle-root-and-intermediate-expired': [
    trust(() => ''),
    present((chain) => chain.toReversed()),
    (plan) => Object.assign(middle(plan), ended(plan)),
    (plan) => Object.assign(root(plan), ended(plan)),
  ],
  'no-bundle-presented-root-expired': [
    trust(() => ''),
    present((chain) => chain.toReversed()),
    (plan) => Object.assign(root(plan), ended(plan)),
  ],
  'no-bundle-all-expired': [
    trust(() => ''),
    (plan) => Object.assign(middle(plan), ended(plan)),
    (plan) => Object.assign(server(plan), ended(plan)),
  ],
  'no-bundle-names': [trust(() => ''), names({ dns: 'other.example.com' })],
  'intermediate-is-none': [toMiddle({ authority: { isCa: false } })],
  'intermediate-without-basic-constraints': [toMiddle({ authority: undefined })],
  'intermediate-version-1': [toMiddle({ version: 1 })],
  'intermediate-client-usage': [toMiddle({ usages: ['client'] })],
  'intermediate-unknown-critical': [toMiddle({ extra: [unknownExtension(true)] })],
  'intermediate-rotated': [
    toMiddle({ key: testKey('p256', 3) }),
    (plan) => {
      server(plan).signer = testKey('p256', 1);
    },
  ],
  'path-too-long': [toRoot({ authority: { isCa: true, pathLength: 0 } })],
  'path-just-right': [toRoot({ authority: { isCa: true, pathLength: 1 } })],
  'intermediate-names-excluded': [
    toMiddle({ extra: [alternativeNames([{ dns: 'ca.example.com' }])] }),
    toRoot({ excluded: [{ dns: 'example.com' }] }),
  ],
  'intermediate-not-permitted': [toMiddle({ permitted: [{ dns: 'example.com' }] })],
  'intermediate-policy-lost': [
    toMiddle({ extra: [policyConstraints(0), policies('1.3.6.1.4.1.99999.2.1')] }),
  ],
  'intermediate-policy-kept': [
    toMiddle({ extra: [policyConstraints(0), policies('1.3.6.1.4.1.99999.2.1')] }),
    toServer({ extra: [policies('1.3.6.1.4.1.99999.2.1')] }),
  ],
  'intermediate-policy-mapped': [
    toMiddle({
      extra: [
        policyConstraints(0),
        policies('1.3.6.1.4.1.99999.2.1'),
        policyMappings(['1.3.6.1.4.1.99999.2.1', '1.3.6.1.4.1.99999.2.2']),
      ],
    }),
    toServer({ extra: [policies('1.3.6.1.4.1.99999.2.2')] }),
  ],
  'intermediate-any-policy-inhibited': [
    toMiddle({ extra: [policyConstraints(0), policies('1.3.6.1.4.1.99999.2.1'), inhibitAnyPolicy(0)] }),
    toServer({ extra: [policies('2.5.29.32.0')] }),
  ],
  'intermediate-cross-signed': [
    (plan) => {
      const other = authorityDraft(0, plan.now, testKey('p256', 4));
      other.subject = { cn: 'new-root' };
      plan.trust = () => [signDraft(other)];
      plan.present = (chain) => [
        at(chain, -1),
        at(chain, 1),
        signDraft({ ...root(plan), serial: 99n }, other),
      ];
    },
  ],
  'chain-in-a-circle': [
    (plan) => {
      plan.trust = () => [others({ subject: { cn: 'another-ca' } })(plan)];
      plan.present = (chain) => [
        at(chain, -1),
        at(chain, 1),
        signDraft({ ...root(plan), serial: 99n }, middle(plan)),
      ];
    },
  ],
};

function build(
  name: string,
  changes: readonly Change[],
  depth: number,
  host: string,
  now: Date,
): RepresentativeCase {
  const authorities = Array.from({ length: depth }, (_, level) => authorityDraft(level, now));
  const plan: Plan = {
    host,
    now,
    drafts: [...authorities, serverDraft(host, now)],
    present: (chain) => chain.slice(1).reverse(),
    trust: (chain) => chain.slice(0, 1),
  };
  for (const change of changes) change(plan);
  const chain = signChain(plan.drafts);
  const trusted = plan.trust(chain);
  const bundle = typeof trusted === 'string' ? trusted : trusted.map((der) => pemOf(der)).join('');
  return {
    name,
    presented: plan.present(chain),
    key: server(plan).key,
    caBundle: Buffer.from(bundle),
    host,
    now,
  };
}

/** @param hostOf the host of a case by its name, `good.shop.svc`. */
export const representativeCases = (
  hostOf: (name: string) => string,
  now: Date,
): readonly RepresentativeCase[] => [
  ...Object.entries(direct).map(([name, changes]) => build(name, changes, 1, hostOf(name), now)),
  ...Object.entries(throughIntermediate).map(([name, changes]) => build(name, changes, 2, hostOf(name), now)),
];
