import { constants, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { identifier, nothing, sequence } from './der-encoder.ts';

export interface TestKey {
  readonly kind: 'rsa' | 'ec' | 'ed25519';
  readonly privateKey: KeyObject;
  /** SubjectPublicKeyInfo. */
  readonly spki: Buffer;
}

export type KeyName =
  | 'rsa512'
  | 'rsa768'
  | 'rsa1024'
  | 'rsa2048'
  | 'p224'
  | 'p256'
  | 'p384'
  | 'p521'
  | 'ed25519';

const curves = { p224: 'secp224r1', p256: 'P-256', p384: 'P-384', p521: 'P-521' } as const;

function generate(name: KeyName): TestKey {
  const pair = name.startsWith('rsa')
    ? generateKeyPairSync('rsa', { modulusLength: Number(name.slice(3)) })
    : name === 'ed25519'
      ? generateKeyPairSync('ed25519')
      : generateKeyPairSync('ec', { namedCurve: curves[name as keyof typeof curves] });
  const { privateKey, publicKey } = pair as { privateKey: KeyObject; publicKey: KeyObject };
  const kind = name.startsWith('rsa') ? 'rsa' : name === 'ed25519' ? 'ed25519' : 'ec';
  return { kind, privateKey, spki: publicKey.export({ format: 'der', type: 'spki' }) };
}

const made = new Map<string, TestKey>();

/** The key of this kind and number, created once per process because that takes time. */
export function testKey(name: KeyName, number = 0): TestKey {
  const known = made.get(`${name}/${number}`);
  if (known !== undefined) return known;
  const key = generate(name);
  made.set(`${name}/${number}`, key);
  return key;
}

interface Scheme {
  readonly kind: TestKey['kind'];
  readonly identifier: Buffer;
  readonly hash: string | undefined;
  readonly pss?: true;
}

const rsa = (oid: string, hash: string): Scheme => ({
  kind: 'rsa',
  identifier: sequence(identifier(oid), nothing),
  hash,
});
const ecdsa = (oid: string, hash: string): Scheme => ({
  kind: 'ec',
  identifier: sequence(identifier(oid)),
  hash,
});

function pss(hashOid: string, hash: string, salt: number): Scheme {
  const algorithm = sequence(identifier(hashOid), nothing);
  const wrap = (n: number, content: Buffer) =>
    Buffer.concat([Buffer.from([0xa0 + n, content.length]), content]);
  const parameters = sequence(
    wrap(0, algorithm),
    wrap(1, sequence(identifier('1.2.840.113549.1.1.8'), algorithm)),
    wrap(2, Buffer.from([2, 1, salt])),
  );
  return {
    kind: 'rsa',
    identifier: sequence(identifier('1.2.840.113549.1.1.10'), parameters),
    hash,
    pss: true,
  };
}

export const schemes = {
  'MD5-RSA': rsa('1.2.840.113549.1.1.4', 'md5'),
  'SHA1-RSA': rsa('1.2.840.113549.1.1.5', 'sha1'),
  'SHA256-RSA': rsa('1.2.840.113549.1.1.11', 'sha256'),
  'SHA384-RSA': rsa('1.2.840.113549.1.1.12', 'sha384'),
  'SHA512-RSA': rsa('1.2.840.113549.1.1.13', 'sha512'),
  'SHA256-RSAPSS': pss('2.16.840.1.101.3.4.2.1', 'sha256', 32),
  'SHA512-RSAPSS': pss('2.16.840.1.101.3.4.2.3', 'sha512', 64),
  'SHA256-RSAPSS with a short salt': pss('2.16.840.1.101.3.4.2.1', 'sha256', 20),
  'ECDSA-SHA1': ecdsa('1.2.840.10045.4.1', 'sha1'),
  'ECDSA-SHA256': ecdsa('1.2.840.10045.4.3.2', 'sha256'),
  'ECDSA-SHA384': ecdsa('1.2.840.10045.4.3.3', 'sha384'),
  'ECDSA-SHA512': ecdsa('1.2.840.10045.4.3.4', 'sha512'),
  Ed25519: { kind: 'ed25519', identifier: sequence(identifier('1.3.101.112')), hash: undefined },
  unknown: { kind: 'ec', identifier: sequence(identifier('1.2.840.10045.4.3.99')), hash: 'sha256' },
} as const satisfies Record<string, Scheme>;

export type SchemeName = keyof typeof schemes;

/** The default signature scheme of a key. */
export const usualScheme = ({ kind }: TestKey): SchemeName =>
  (({ rsa: 'SHA256-RSA', ec: 'ECDSA-SHA256', ed25519: 'Ed25519' }) as const)[kind];

export function signWith(key: TestKey, scheme: SchemeName, data: Uint8Array): Buffer {
  const { hash, kind, pss: isPss } = schemes[scheme] as Scheme;
  // A scheme for another kind of key: only the name is tested, the bytes do not matter.
  if (kind !== key.kind) return sign(key.kind === 'ed25519' ? undefined : 'sha256', data, key.privateKey);
  const saltLength = scheme.endsWith('short salt') ? 20 : constants.RSA_PSS_SALTLEN_DIGEST;
  const padding = isPss && { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength };
  try {
    return sign(hash, data, { key: key.privateKey, ...padding });
  } catch {
    // The key is too small for the hash: no signature.
    return Buffer.alloc(64, 7);
  }
}
