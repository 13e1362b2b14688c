import { atEnd, constructedTag, enter, isNext, Malformed, startOf, tags } from '../der/der.ts';
import { readNumber } from '../der/values.ts';
import { type AlgorithmIdentifier, parseAlgorithm } from './public-key.ts';

/** A signature algorithm with Go's names. */
export interface SignatureAlgorithm {
  /** `SHA256-RSA`, as in errors. */
  readonly name: string;
  readonly key: 'RSA' | 'DSA' | 'ECDSA' | 'Ed25519';
  /** The name in node:crypto; undefined for Ed25519. */
  readonly hash: 'md5' | 'sha1' | 'sha256' | 'sha384' | 'sha512' | undefined;
  readonly pss?: true;
}

const ed25519 = '1.3.101.112';
const rsaPss = '1.2.840.113549.1.1.10';
const mgf1 = '1.2.840.113549.1.1.8';

const algorithms = new Map<string, SignatureAlgorithm>([
  ['1.2.840.113549.1.1.4', { name: 'MD5-RSA', key: 'RSA', hash: 'md5' }],
  ['1.2.840.113549.1.1.5', { name: 'SHA1-RSA', key: 'RSA', hash: 'sha1' }],
  ['1.3.14.3.2.29', { name: 'SHA1-RSA', key: 'RSA', hash: 'sha1' }],
  ['1.2.840.113549.1.1.11', { name: 'SHA256-RSA', key: 'RSA', hash: 'sha256' }],
  ['1.2.840.113549.1.1.12', { name: 'SHA384-RSA', key: 'RSA', hash: 'sha384' }],
  ['1.2.840.113549.1.1.13', { name: 'SHA512-RSA', key: 'RSA', hash: 'sha512' }],
  ['1.2.840.10040.4.3', { name: 'DSA-SHA1', key: 'DSA', hash: 'sha1' }],
  ['2.16.840.1.101.3.4.3.2', { name: 'DSA-SHA256', key: 'DSA', hash: 'sha256' }],
  ['1.2.840.10045.4.1', { name: 'ECDSA-SHA1', key: 'ECDSA', hash: 'sha1' }],
  ['1.2.840.10045.4.3.2', { name: 'ECDSA-SHA256', key: 'ECDSA', hash: 'sha256' }],
  ['1.2.840.10045.4.3.3', { name: 'ECDSA-SHA384', key: 'ECDSA', hash: 'sha384' }],
  ['1.2.840.10045.4.3.4', { name: 'ECDSA-SHA512', key: 'ECDSA', hash: 'sha512' }],
  [ed25519, { name: 'Ed25519', key: 'Ed25519', hash: undefined }],
]);

const pssHashes = new Map([
  ['2.16.840.1.101.3.4.2.1', { hash: 'sha256', salt: 32 }],
  ['2.16.840.1.101.3.4.2.2', { hash: 'sha384', salt: 48 }],
  ['2.16.840.1.101.3.4.2.3', { hash: 'sha512', salt: 64 }],
] as const);

const withoutParameters = ({ parameters }: AlgorithmIdentifier): boolean =>
  parameters === undefined || parameters.toString('hex') === '0500';

/** Go supports three combinations only: SHA-2, MGF1 with the same hash, a salt as long as the hash. */
function pss(parameters: Buffer): SignatureAlgorithm | undefined {
  const words = 'x509: malformed parameters';
  const inside = enter(startOf(parameters), tags.sequence, words);
  const field = (n: number) => enter(inside, constructedTag(n), words);
  const hash = parseAlgorithm(enter(field(0), tags.sequence, words));
  const mask = parseAlgorithm(enter(field(1), tags.sequence, words));
  const salt = readNumber(field(2), words);
  const trailer = !atEnd(inside) && isNext(inside, constructedTag(3)) ? readNumber(field(3), words) : 1;
  const maskHash = parseAlgorithm(enter(startOf(mask.parameters ?? Buffer.alloc(0)), tags.sequence, words));
  const known = pssHashes.get(hash.algorithm as '2.16.840.1.101.3.4.2.1');
  const plain =
    mask.algorithm === mgf1 &&
    maskHash.algorithm === hash.algorithm &&
    withoutParameters(hash) &&
    withoutParameters(maskHash) &&
    trailer === 1;
  if (!plain || known?.salt !== salt) return undefined;
  return { name: `SHA${known.hash.slice(3)}-RSAPSS`, key: 'RSA', hash: known.hash, pss: true };
}

/** Parses a signature algorithm; undefined if Go lacks it (crypto/x509 getSignatureAlgorithmFromAI). */
export function signatureAlgorithmOf({
  algorithm,
  parameters,
}: AlgorithmIdentifier): SignatureAlgorithm | undefined {
  if (algorithm === ed25519 && parameters !== undefined) return undefined;
  if (algorithm !== rsaPss) return algorithms.get(algorithm);
  try {
    return parameters === undefined ? undefined : pss(parameters);
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}
