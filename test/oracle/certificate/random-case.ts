import { authorityDraft, type Draft, day, serverDraft, signChain, signDraft } from './chain-draft.ts';
import {
  authorityKeyId,
  type GeneralName,
  inhibitAnyPolicy,
  policies,
  policyConstraints,
  policyMappings,
  subjectKeyId,
  type Usage,
  unknownExtension,
} from './extension-der.ts';
import { pemOf } from './make-certificate.ts';
import type { CertificateCase } from './oracle-case.ts';
import { type Random, seeded } from './random.ts';
import { type KeyName, type SchemeName, schemes, testKey } from './test-key.ts';

const now = new Date('2026-06-01T12:00:00Z');
const serviceHost = 'policy.shop.svc';

interface Stage {
  /** From the root to the server. */
  readonly drafts: Draft[];
  host: string;
  /** Changes of the presented and trusted certificates, after signing. */
  readonly afterwards: ((made: Made) => void)[];
}

interface Made {
  chain: Buffer[];
  presented: Buffer[];
  anchors: Buffer[];
  bundle: (pem: readonly string[]) => string;
}

type Quirk = (stage: Stage, random: Random) => void;

const server = ({ drafts }: Stage): Draft => drafts.at(-1) as Draft;
const anyOf = ({ drafts }: Stage, random: Random): Draft => random.pick(drafts);
const authorityOf = ({ drafts }: Stage, random: Random): Draft =>
  random.pick(drafts.slice(0, -1).length > 0 ? drafts.slice(0, -1) : drafts);

const hosts = [
  serviceHost,
  'Policy.Shop.SVC',
  'policy.shop.svc.',
  '192.0.2.7',
  '2001:db8::7',
  '[2001:db8::7]',
  'hooks.example.com',
  'po_licy.shop.svc',
  '::ffff:192.0.2.7',
  '-x.shop.svc',
  'policy..svc',
];

const namePool: readonly GeneralName[] = [
  { dns: serviceHost },
  { dns: 'policy.shop.svc.cluster.local' },
  { dns: '*.shop.svc' },
  { dns: '*.svc' },
  { dns: '*' },
  { dns: 'p*.shop.svc' },
  { dns: 'policy.*.svc' },
  { dns: 'POLICY.shop.svc' },
  { dns: 'policy.shop.svc.' },
  { dns: '' },
  { dns: '.shop.svc' },
  { dns: 'a b.shop.svc' },
  { dns: '192.0.2.7' },
  { dns: 'hooks.example.com' },
  { dns: 'po_licy.shop.svc' },
  { ip: [192, 0, 2, 7] },
  { ip: [192, 0, 2, 8] },
  { ip: [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7] },
  { ip: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 7] },
  { ip: [0x20, 1, 0, 0, 0, 0, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 7] },
  { ip: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1] },
  { ip: [1, 2, 3] },
  { email: 'ops@example.com' },
  { email: 'Ops@Mail.Example.com' },
  { email: '"a b"@example.com' },
  { email: 'no mailbox' },
  { uri: 'spiffe://cluster.local/ns/shop/sa/policy' },
  { uri: 'https://Hooks.example.com:8443/x' },
  { uri: 'urn:x' },
  { uri: 'https://192.0.2.7/' },
  { uri: 'https://a b/' },
  { directory: '' },
];

const subtreePool: readonly GeneralName[] = [
  { dns: 'svc' },
  { dns: '.svc' },
  { dns: 'shop.svc' },
  { dns: '.shop.svc' },
  { dns: 'SHOP.svc' },
  { dns: 'policy.shop.svc' },
  { dns: 'a.policy.shop.svc' },
  { dns: 'other.svc' },
  { dns: 'example.com' },
  { dns: '' },
  { dns: 'x-shop.svc' },
  { ip: [192, 0, 2, 0, 255, 255, 255, 0] },
  { ip: [192, 0, 0, 0, 255, 255, 0, 0] },
  { ip: [10, 0, 0, 0, 255, 0, 0, 0] },
  { ip: [192, 0, 2, 7, 255, 255, 255, 255] },
  {
    ip: [0x20, 1, 0xd, 0xb8, ...Array<number>(12).fill(0), 255, 255, 255, 255, ...Array<number>(12).fill(0)],
  },
  { email: 'example.com' },
  { email: '.example.com' },
  { email: 'ops@example.com' },
  { email: 'ops@mail.example.com' },
  { uri: 'example.com' },
  { uri: '.local' },
  { uri: 'cluster.local' },
];

/** Names that cannot be constrained, and a kind that Go does not compare. */
const oddSubtrees: readonly GeneralName[] = [
  { dns: 'bad..svc' },
  { ip: [10, 0, 0, 0, 255, 0, 255, 0] },
  { uri: '192.0.2.7' },
  { email: 'a@b@' },
  { directory: '' },
];

const someSubtrees = (most: number, random: Random): GeneralName[] =>
  some(random.chance(0.05) ? oddSubtrees : subtreePool, most, random);

const some = <T>(list: readonly T[], most: number, random: Random): T[] =>
  Array.from({ length: 1 + random.below(most) }, () => random.pick(list));

const keyNames: readonly KeyName[] = [
  'rsa512',
  'rsa768',
  'rsa1024',
  'rsa2048',
  'p224',
  'p256',
  'p384',
  'p521',
  'ed25519',
];
const schemeNames = Object.keys(schemes) as SchemeName[];
const usageSets: readonly (readonly Usage[])[] = [
  [],
  ['server'],
  ['client'],
  ['any'],
  ['unknown'],
  ['server', 'client'],
  ['client', 'unknown'],
  ['unknown', 'any'],
];
const policyIds = ['1.3.6.1.4.1.99999.2.1', '1.3.6.1.4.1.99999.2.2', '2.5.29.32.0'];

const moments = (random: Random): Date =>
  new Date(now.getTime() + random.pick([-400 * day, -day, -1000, 0, 1000, day, 30 * 365 * day]));

const quirks: readonly (readonly [weight: number, Quirk])[] = [
  [4, (stage, random) => Object.assign(server(stage), { names: some(namePool, 4, random) })],
  [1, (stage) => delete server(stage).names],
  [
    1,
    (stage, random) =>
      Object.assign(server(stage), {
        names: undefined,
        subject: { cn: random.pick([serviceHost, '*.shop.svc', 'x', '192.0.2.7']) },
      }),
  ],
  [
    1,
    (stage, random) =>
      Object.assign(server(stage), {
        names: Array.from({ length: 99 + random.below(3) }, (_, at) =>
          random.chance(0.5) ? { dns: `n${at}.shop.svc` } : { dns: `m${at}.svc` },
        ),
      }),
  ],
  [
    1,
    (stage) =>
      Object.assign(server(stage), {
        names: Array.from({ length: 101 }, (_, at) => ({ ip: [192, 0, 3, at] })),
      }),
  ],
  [1, (stage) => Object.assign(server(stage), { names: [{ directory: '' }], criticalNames: true })],
  [
    2,
    (stage, random) => {
      stage.host = random.pick(hosts);
    },
  ],
  [1, (stage, random) => Object.assign(anyOf(stage, random), { names: some(namePool, 3, random) })],
  [4, (stage, random) => Object.assign(anyOf(stage, random), { notAfter: moments(random) })],
  [3, (stage, random) => Object.assign(anyOf(stage, random), { notBefore: moments(random) })],
  [4, (stage, random) => Object.assign(anyOf(stage, random), { usages: random.pick(usageSets) })],
  [2, (stage, random) => anyOf(stage, random).extra.push(unknownExtension(random.chance(0.7)))],
  [
    1,
    (stage, random) =>
      Object.assign(anyOf(stage, random), { serial: random.pick([0n, -5n, 2n ** 150n, -(2n ** 70n)]) }),
  ],
  [2, (stage, random) => Object.assign(anyOf(stage, random), { version: random.pick([1, 2]) })],
  [3, (stage, random) => Object.assign(anyOf(stage, random), { key: testKey(random.pick(keyNames), 5) })],
  [3, (stage, random) => Object.assign(anyOf(stage, random), { scheme: random.pick(schemeNames) })],
  [
    2,
    (stage, random) =>
      Object.assign(anyOf(stage, random), {
        signer: testKey(random.pick(['p256', 'rsa2048', 'ed25519']), 6),
      }),
  ],
  [2, (stage, random) => Object.assign(anyOf(stage, random), { keyIds: random.pick(['none', 'wrong']) })],
  [
    1,
    (stage, random) =>
      anyOf(stage, random).extra.push({
        ...random.pick([subjectKeyId, authorityKeyId])(Buffer.from('0102', 'hex')),
        critical: random.chance(0.5),
      }),
  ],
  [
    2,
    (stage, random) =>
      Object.assign(authorityOf(stage, random), {
        authority: random.pick([
          undefined,
          { isCa: false },
          { isCa: true, pathLength: 0 },
          { isCa: true, pathLength: 1 },
        ]),
      }),
  ],
  [
    2,
    (stage, random) =>
      Object.assign(authorityOf(stage, random), { keyUsage: random.pick([undefined, [], [0], [5], [6]]) }),
  ],
  [
    6,
    (stage, random) =>
      Object.assign(authorityOf(stage, random), {
        permitted: random.chance(0.6) ? someSubtrees(4, random) : [],
        excluded: random.chance(0.6) ? someSubtrees(4, random) : [],
      }),
  ],
  [
    3,
    (stage, random) => {
      Object.assign(authorityOf(stage, random), {
        permitted: someSubtrees(3, random),
        excluded: random.chance(0.3) ? someSubtrees(3, random) : [],
      });
      Object.assign(server(stage), { names: [{ dns: serviceHost }, ...some(namePool, 3, random)] });
    },
  ],
  [
    3,
    (stage, random) => {
      for (const draft of stage.drafts) {
        if (random.chance(0.7)) draft.extra.push(policies(...new Set(some(policyIds, 3, random))));
        if (random.chance(0.3))
          draft.extra.push(policyConstraints(random.pick([undefined, 0, 1]), random.pick([undefined, 0, 1])));
        if (random.chance(0.3))
          draft.extra.push(policyMappings([random.pick(policyIds), random.pick(policyIds)]));
        if (random.chance(0.2)) draft.extra.push(inhibitAnyPolicy(random.below(2)));
      }
    },
  ],
  [
    1,
    (stage, random) =>
      Object.assign(anyOf(stage, random), {
        subject: random.pick([
          {},
          { o: 'Shop' },
          { cn: 'Prüfstelle "1" \\ \u0007', o: 'x' },
          { cn: 'a&b*', tag: 0x13 },
          { cn: 'a@b', tag: 0x13 },
          { cn: 'café', tag: 0x14 },
          { cn: 'x', tag: 0x1d },
        ]),
      }),
  ],
  [1, (stage, random) => Object.assign(anyOf(stage, random), { issuer: { cn: 'somebody-else' } })],
  [
    2,
    (stage) => {
      stage.afterwards.push((made) => {
        made.presented = made.presented.slice(0, 1);
      });
    },
  ],
  [
    2,
    (stage, random) => {
      stage.afterwards.push((made) => {
        made.presented = [
          made.presented[0] as Buffer,
          ...random.shuffle([...made.presented.slice(1), ...made.chain.slice(0, -1)]),
        ];
      });
    },
  ],
  [
    1,
    (stage) => {
      stage.afterwards.push((made) => {
        made.anchors = [made.chain.at(-1) as Buffer];
      });
    },
  ],
  [
    2,
    (stage) => {
      stage.afterwards.push((made) => {
        made.anchors = [made.chain.at(-2) as Buffer];
      });
    },
  ],
  [
    1,
    (stage) => {
      stage.afterwards.push((made) => {
        made.anchors = [signDraft({ ...authorityDraft(0, now), subject: { cn: 'another-ca' } })];
      });
    },
  ],
  [
    4,
    (stage, random) => {
      // The same CA again, with another key, other dates, or other extensions.
      const at = random.below(Math.max(1, stage.drafts.length - 1));
      const twin = {
        ...(stage.drafts[at] as Draft),
        ...random.pick([
          { key: testKey('p256', 7) },
          { key: testKey('rsa2048', 7) },
          { notAfter: moments(random) },
          { authority: { isCa: false } },
          { keyUsage: [0] },
          { serial: 77n },
          { keyIds: 'none' as const },
        ]),
      };
      const place = random.pick(['anchors first', 'anchors last', 'instead', 'presented']);
      stage.afterwards.push((made) => {
        const der = signDraft(
          twin,
          stage.drafts[Math.max(0, at - 1)] === stage.drafts[at] ? twin : stage.drafts[at - 1],
        );
        if (place === 'anchors first') made.anchors = [der, ...made.anchors];
        if (place === 'anchors last') made.anchors = [...made.anchors, der];
        if (place === 'instead') made.anchors = [der];
        if (place === 'presented') made.presented = [...made.presented, der];
      });
    },
  ],
  [
    1,
    (stage, random) => {
      // Two CAs that signed each other.
      stage.afterwards.push((made) => {
        const [root, first] = stage.drafts as [Draft, Draft];
        const crossed = signDraft({ ...root, serial: 500n }, first);
        made.presented = [...made.presented, crossed];
        if (random.chance(0.5))
          made.anchors = [signDraft({ ...authorityDraft(0, now), subject: { cn: 'another-ca' } })];
      });
    },
  ],
  [
    1,
    (stage, random) => {
      // More candidates of one name than Go checks.
      const count = random.pick([20, 98, 99, 100, 120]);
      stage.afterwards.push((made) => {
        const above = stage.drafts.at(-2) as Draft;
        const twins = Array.from({ length: count }, (_, at) =>
          signDraft({ ...above, key: testKey('p256', 7), serial: BigInt(2000 + at) }),
        );
        if (random.chance(0.5)) made.presented = [...made.presented, ...twins];
        else made.anchors = [...twins, ...made.anchors];
      });
    },
  ],
  [
    1,
    (stage, random) => {
      const around = random.pick<(pem: readonly string[]) => string>([
        (pem) => `Subject: CN=x\n${pem.join('# next\n')}and more`,
        (pem) => pem.join('').replaceAll('\n', '\r\n'),
        (pem) => pem.map((one) => one.replaceAll(/\n(?=[^-])/g, ' \t\n')).join('\n\n'),
        (pem) => `-----BEGIN CERTIFICATE-----\n${pem.join('')}`,
        (pem) => pem.join('').replaceAll('-----\n', '-----'),
        (pem) => ` ${pem.join('')}`,
        (pem) => pem.join('').replace('-----\n', '-----\nA: b\n\n'),
        (pem) => pem.join('').replace('\nM', '\nA: b\n\nM'),
        (pem) => pem.join('').replaceAll('CERTIFICATE', 'TRUSTED CERTIFICATE'),
        (pem) => `-----BEGIN X-----\n-----END X-----\n${pem.join('')}`,
        (pem) => pem.join('').trimEnd(),
        (pem) => `${pem.join('').trimEnd()} x`,
        (pem) => pem.join('').slice(0, -6),
        (pem) => pem.join('').replace('END CERTIFICATE', 'END CERT'),
        (pem) => `${pem.join('')}-----BEGIN CERTIFICATE-----\n`,
        () => '',
        () => '\n',
      ]);
      stage.afterwards.push((made) => {
        made.bundle = (pem) => around(pem) || 'x';
      });
    },
  ],
  [
    3,
    (stage, random) => {
      // Changes one byte of one certificate.
      stage.afterwards.push((made) => {
        const [which, list] = random.chance(0.7)
          ? (['presented', made.presented] as const)
          : (['anchors', made.anchors] as const);
        const at = random.below(list.length);
        const bytes = Buffer.from(list[at] as Buffer);
        const place = random.below(Math.min(bytes.length, 420));
        bytes[place] = (bytes[place] ?? 0) ^ (1 << random.below(8));
        made[which] = list.map((der, index) => (index === at ? bytes : der));
      });
    },
  ],
];

const lots = quirks.flatMap(([weight, quirk]) => Array<Quirk>(weight).fill(quirk));

/** A server, its chain and a caBundle with no fault or some, depending on the seed. */
export function randomCase(seed: number): CertificateCase {
  const random = seeded(seed);
  const depth = random.pick([0, 0, 0, 1, 1, 2, 3]);
  const authorities = Array.from({ length: depth + 1 }, (_, level) =>
    authorityDraft(level, now, random.chance(0.15) ? testKey('rsa2048', level) : testKey('p256', level)),
  );
  const stage: Stage = {
    drafts: [...authorities, serverDraft(serviceHost, now)],
    host: serviceHost,
    afterwards: [],
  };
  const count = random.pick([0, 1, 1, 1, 2, 2, 2, 3, 3, 4]);
  for (let done = 0; done < count; done += 1) random.pick(lots)(stage, random);
  const chain = signChain(stage.drafts);
  const made: Made = {
    chain,
    presented: chain.slice(1).reverse(),
    anchors: chain.slice(0, 1),
    bundle: (pem) => pem.join(''),
  };
  for (const change of stage.afterwards) change(made);
  return {
    name: `seed ${seed}`,
    presented: made.presented,
    caBundle: Buffer.from(made.bundle(made.anchors.map((der) => pemOf(der)))),
    host: stage.host,
    now,
  };
}
