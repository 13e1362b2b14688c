import { atEnd, type Cursor, encodedElement, enter, Malformed, readAny, startOf, tags } from '../der/der.ts';
import { readInteger, readObjectIdentifier } from '../der/values.ts';
import type { GoRules } from '../go-rules.ts';

/** An algorithm with its parameters; `parameters` is the complete element, undefined if absent. */
export interface AlgorithmIdentifier {
  readonly algorithm: string;
  readonly parameters: Buffer | undefined;
}

/** A public key of a type that Go can parse. `bits`: length of the modulus. */
export type PublicKey =
  | { readonly kind: 'rsa'; readonly modulus: bigint; readonly exponent: bigint; readonly bits: number }
  | { readonly kind: 'ecdsa' }
  | { readonly kind: 'ed25519' }
  | { readonly kind: 'x25519' }
  | { readonly kind: 'dsa' };

/** Go's name of the key's type, for errors. */
export const goType: Readonly<Record<PublicKey['kind'], string>> = {
  rsa: '*rsa.PublicKey',
  ecdsa: '*ecdsa.PublicKey',
  ed25519: 'ed25519.PublicKey',
  x25519: '*ecdh.PublicKey',
  dsa: '*dsa.PublicKey',
};

interface Curve {
  readonly name: string;
  readonly octets: number;
  readonly p: bigint;
  readonly b: bigint;
}

const curve = (name: string, octets: number, p: bigint, b: string): Curve => ({
  name,
  octets,
  p,
  b: BigInt(`0x${b}`),
});
const two = (exponent: number): bigint => 1n << BigInt(exponent);

/** FIPS 186-4 D.1.2; y² = x³ - 3x + b over p. */
const curves = new Map<string, Curve>([
  [
    '1.3.132.0.33',
    curve('P-224', 28, two(224) - two(96) + 1n, 'b4050a850c04b3abf54132565044b0b7d7bfd8ba270b39432355ffb4'),
  ],
  [
    '1.2.840.10045.3.1.7',
    curve(
      'P-256',
      32,
      two(256) - two(224) + two(192) + two(96) - 1n,
      '5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b',
    ),
  ],
  [
    '1.3.132.0.34',
    curve(
      'P-384',
      48,
      two(384) - two(128) - two(96) + two(32) - 1n,
      'b3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aef',
    ),
  ],
  [
    '1.3.132.0.35',
    curve(
      'P-521',
      66,
      two(521) - 1n,
      '51953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00',
    ),
  ],
]);

const number = (bytes: Buffer): bigint => BigInt(`0x${bytes.toString('hex')}`);

/** Go 1.26's error for bytes that are not a point of the curve; undefined if they are. */
function pointProblem({ name, octets, p, b }: Curve, point: Buffer): string | undefined {
  const short = name.replace('-', '');
  if (point[0] !== 4) return 'ecdsa: invalid uncompressed public key';
  if (point.length !== 1 + 2 * octets) return `invalid ${short} point encoding`;
  const x = number(point.subarray(1, 1 + octets));
  const y = number(point.subarray(1 + octets));
  if (x >= p || y >= p) return `invalid ${short}${name === 'P-256' ? ' e' : 'E'}lement encoding`;
  return (y * y - x * x * x + 3n * x - b) % p === 0n ? undefined : `${short} point not on curve`;
}

function parseEcdsa(parameters: Buffer | undefined, bytes: Buffer, rules: GoRules): PublicKey {
  const invalid = 'x509: invalid ECDSA parameters';
  const named = curves.get(readObjectIdentifier(startOf(parameters ?? Buffer.alloc(0)), invalid));
  if (named === undefined) throw new Malformed('x509: unsupported elliptic curve');
  const problem = pointProblem(named, bytes);
  if (problem !== undefined) {
    throw new Malformed(rules.namesPoints ? problem : 'x509: failed to unmarshal elliptic curve point');
  }
  return { kind: 'ecdsa' };
}

function bitLength(value: bigint): number {
  const hex = value.toString(16);
  return (hex.length - 1) * 4 + Number.parseInt(hex[0] ?? '0', 16).toString(2).length;
}

function parseRsa(parameters: Buffer | undefined, bytes: Buffer): PublicKey {
  if (parameters?.toString('hex') !== '0500') throw new Malformed('x509: RSA key missing NULL parameters');
  const key = enter(startOf(bytes), tags.sequence, 'x509: invalid RSA public key');
  const modulus = readInteger(key, 'x509: invalid RSA modulus');
  const invalidExponent = 'x509: invalid RSA public exponent';
  const exponent = readInteger(key, invalidExponent);
  if (BigInt.asIntN(64, exponent) !== exponent) throw new Malformed(invalidExponent);
  if (modulus <= 0n) throw new Malformed('x509: RSA modulus is not a positive number');
  if (exponent <= 0n) throw new Malformed('x509: RSA public exponent is not a positive number');
  return { kind: 'rsa', modulus, exponent, bits: bitLength(modulus) };
}

function parseDsa(parameters: Buffer | undefined, bytes: Buffer): PublicKey {
  const y = readInteger(startOf(bytes), 'x509: invalid DSA public key');
  const invalid = 'x509: invalid DSA parameters';
  const inside = enter(startOf(parameters ?? Buffer.alloc(0)), tags.sequence, invalid);
  const values = [y, ...[1, 2, 3].map(() => readInteger(inside, invalid))];
  if (values.some((value) => value <= 0n)) throw new Malformed('x509: zero or negative DSA parameter');
  return { kind: 'dsa' };
}

/** RFC 8410: no parameters, 32 bytes. */
function parseEdwards(
  kind: 'ed25519' | 'x25519',
  { parameters }: AlgorithmIdentifier,
  bytes: Buffer,
): PublicKey {
  const name = kind === 'ed25519' ? 'Ed25519' : 'X25519';
  if (parameters !== undefined) throw new Malformed(`x509: ${name} key encoded with illegal parameters`);
  if (bytes.length !== 32) {
    throw new Malformed(
      kind === 'ed25519' ? 'x509: wrong Ed25519 public key size' : 'crypto/ecdh: invalid public key',
    );
  }
  return { kind };
}

/** Parses a public key. Undefined for an unsupported algorithm: the certificate parses, but cannot sign. */
export function parsePublicKey(
  identifier: AlgorithmIdentifier,
  bytes: Buffer,
  rules: GoRules,
): PublicKey | undefined {
  const { algorithm, parameters } = identifier;
  switch (algorithm) {
    case '1.2.840.113549.1.1.1':
      return parseRsa(parameters, bytes);
    case '1.2.840.10045.2.1':
      return parseEcdsa(parameters, bytes, rules);
    case '1.3.101.112':
      return parseEdwards('ed25519', identifier, bytes);
    case '1.3.101.110':
      return parseEdwards('x25519', identifier, bytes);
    case '1.2.840.10040.4.1':
      return parseDsa(parameters, bytes);
    default:
      return undefined;
  }
}

/** @param cursor at the content of the sequence. */
export function parseAlgorithm(cursor: Cursor): AlgorithmIdentifier {
  const algorithm = readObjectIdentifier(cursor, 'x509: malformed OID');
  if (atEnd(cursor)) return { algorithm, parameters: undefined };
  const parameters = readAny(cursor);
  if (parameters === undefined) throw new Malformed('x509: malformed parameters');
  return { algorithm, parameters: encodedElement(parameters) };
}
