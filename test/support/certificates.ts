import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

x509.cryptoProvider.set(webcrypto);

const DAY = 24 * 60 * 60 * 1000;

/** A certificate and its private key (PKCS #8), both PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** A certificate that can sign others; `cert` is for the caBundle. */
export interface Authority extends KeyPair {
  readonly issuer: x509.X509Certificate;
  readonly signingKey: webcrypto.CryptoKey;
}

export type KeyKind = 'ec' | 'rsa' | 'ed25519';

export interface Validity {
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  /** Days from `notBefore`, if `notAfter` is absent; default 10. */
  readonly days?: number;
}

export interface AuthorityOptions extends Validity {
  readonly cn: string;
  /** Creates an intermediate, signed by it; absent: self-signed. */
  readonly parent?: Authority;
  readonly keys?: KeyKind;
}

export interface IssueOptions extends Validity {
  /** Subject CN; default: the first name. */
  readonly cn?: string;
  /** Subject O, in Kubernetes the groups of a client certificate. */
  readonly organizations?: readonly string[];
  /**
   * subjectAltName entries. Without `dns` and `ips` there is no extension, as in the CN-only certificates of
   * old scripts.
   */
  readonly dns?: readonly string[];
  readonly ips?: readonly string[];
  /** Extended key usages; default both; an empty list omits the extension. */
  readonly eku?: readonly ('server' | 'client')[];
  readonly keys?: KeyKind;
}

const algorithms = {
  ec: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  rsa: {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  },
  ed25519: { name: 'Ed25519' },
} as const;

const usages = { server: x509.ExtendedKeyUsage.serverAuth, client: x509.ExtendedKeyUsage.clientAuth };

/** A self-signed CA, or one below `parent`. */
export async function authority(options: AuthorityOptions): Promise<Authority> {
  const keys = await generateKeys(options.keys);
  const cert = await x509.X509CertificateGenerator.create({
    subject: [{ CN: [options.cn] }],
    issuer: options.parent?.issuer.subjectName ?? [{ CN: [options.cn] }],
    ...validity(options),
    publicKey: keys.publicKey,
    signingKey: options.parent?.signingKey ?? keys.privateKey,
    signingAlgorithm: signingAlgorithm(options.parent?.signingKey ?? keys.privateKey),
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      ...(options.parent
        ? [await x509.AuthorityKeyIdentifierExtension.create(options.parent.issuer.publicKey)]
        : []),
    ],
  });
  return { cert: pem(cert), key: await pemKey(keys.privateKey), issuer: cert, signingKey: keys.privateKey };
}

/** The CA of a certificate and key that {@link authority} created, with a key of kind `ec`. */
export async function authorityFrom({ cert, key }: KeyPair): Promise<Authority> {
  const [pkcs8 = new ArrayBuffer(0)] = x509.PemConverter.decode(key);
  const signingKey = await webcrypto.subtle.importKey('pkcs8', pkcs8, algorithms.ec, true, ['sign']);
  return { cert, key, issuer: new x509.X509Certificate(cert), signingKey };
}

/** A leaf certificate signed by `ca`. For a chain through an intermediate, append the intermediate's `cert`. */
export async function issue(ca: Authority, options: IssueOptions): Promise<KeyPair> {
  const keys = await generateKeys(options.keys);
  const names = [
    ...(options.dns ?? []).map((value) => ({ type: 'dns' as const, value })),
    ...(options.ips ?? []).map((value) => ({ type: 'ip' as const, value })),
  ];
  const eku = (options.eku ?? ['server', 'client']).map((name) => usages[name]);
  const cn = options.cn ?? names[0]?.value ?? 'unnamed';
  const cert = await x509.X509CertificateGenerator.create({
    subject: [...(options.organizations ?? []).map((value) => ({ O: [value] })), { CN: [cn] }],
    issuer: ca.issuer.subjectName,
    ...validity(options),
    publicKey: keys.publicKey,
    signingKey: ca.signingKey,
    signingAlgorithm: signingAlgorithm(ca.signingKey),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : []),
      ...(eku.length > 0 ? [new x509.ExtendedKeyUsageExtension(eku)] : []),
      await x509.AuthorityKeyIdentifierExtension.create(ca.issuer.publicKey),
    ],
  });
  return { cert: pem(cert), key: await pemKey(keys.privateKey) };
}

function validity(options: Validity): { notBefore: Date; notAfter: Date } {
  // An hour earlier: clocks differ, and x509 has whole seconds only.
  const notBefore = options.notBefore ?? new Date(Date.now() - 60 * 60 * 1000);
  return {
    notBefore,
    notAfter: options.notAfter ?? new Date(notBefore.getTime() + (options.days ?? 10) * DAY),
  };
}

async function generateKeys(kind: KeyKind = 'ec'): Promise<webcrypto.CryptoKeyPair> {
  return (await webcrypto.subtle.generateKey(algorithms[kind], true, [
    'sign',
    'verify',
  ])) as webcrypto.CryptoKeyPair;
}

function signingAlgorithm(key: webcrypto.CryptoKey): { name: string; hash: string } {
  return { name: key.algorithm.name, hash: 'SHA-256' };
}

function pem(cert: x509.X509Certificate): string {
  return `${cert.toString('pem')}\n`;
}

async function pemKey(key: webcrypto.CryptoKey): Promise<string> {
  return `${x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`;
}
