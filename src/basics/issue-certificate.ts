import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';

/** Encodes DER: a tag, a length, the content (X.690 §8.1). */
function der(tag: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  const length = Buffer.from(body.length.toString(16).padStart(body.length > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length]), length, body]);
}

const sequence = (...content: readonly Buffer[]): Buffer => der(0x30, ...content);
/** An object identifier, its content in hex. */
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const bits = (content: Buffer, unused = 0): Buffer => der(0x03, Buffer.from([unused]), content);
const integer = (hex: string): Buffer => der(0x02, Buffer.from(hex, 'hex'));
const yes = der(0x01, Buffer.from([0xff]));

/** UTCTime until 2049, GeneralizedTime after that (RFC 5280 §4.1.2.5). */
function time(at: Date): Buffer {
  const text = at.toISOString().replace(/[-:T]|\.\d+/g, '');
  return text < '2050' ? der(0x17, Buffer.from(text.slice(2))) : der(0x18, Buffer.from(text));
}

const commonName = (name: string): Buffer =>
  sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(name)))));

const pem = (label: string, content: Buffer): string =>
  `-----BEGIN ${label}-----\n${content.toString('base64').replace(/.{64}/g, '$&\n').trimEnd()}\n-----END ${label}-----\n`;

/** A certificate and its private key, PEM. */
export interface IssuedKeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** The issuer of a certificate: its name and key. */
export interface Signer {
  readonly name: string;
  readonly key: KeyObject;
}

interface CertificateDraft {
  readonly name: string;
  readonly key: KeyObject;
  /** Default: self-signed. */
  readonly signer?: Signer;
  readonly dns?: readonly string[];
  /** IPv4. */
  readonly addresses?: readonly string[];
  readonly from: Date;
  readonly until: Date;
  readonly authority?: boolean;
}

/** An Ed25519 key derived from a seed, so that the certificates of the demo are the same in every run. */
export function keyFrom(seed: string): KeyObject {
  const secret = createHash('sha256').update(seed).digest();
  const content = sequence(integer('00'), sequence(oid('2b6570')), der(0x04, der(0x04, secret)));
  return createPrivateKey({ key: content, format: 'der', type: 'pkcs8' });
}

const algorithms: Readonly<Record<string, { readonly identifier: Buffer; readonly digest: string | null }>> =
  {
    ed25519: { identifier: sequence(oid('2b6570')), digest: null },
    ec: { identifier: sequence(oid('2a8648ce3d040302')), digest: 'sha256' },
  };

const extension = (hex: string, critical: boolean, value: Buffer): Buffer =>
  sequence(oid(hex), ...(critical ? [yes] : []), der(0x04, value));

/** digitalSignature; for a CA also keyCertSign. */
const usage = (authority: boolean): Buffer =>
  authority ? bits(Buffer.from([0x84]), 2) : bits(Buffer.from([0x80]), 7);

function extensions({ dns = [], addresses = [], authority = false }: CertificateDraft, publicKey: Buffer) {
  const names = [
    ...addresses.map((address) => der(0x87, Buffer.from(address.split('.').map(Number)))),
    ...dns.map((name) => der(0x82, Buffer.from(name))),
  ];
  const list = sequence(
    extension('551d13', true, authority ? sequence(yes) : sequence()),
    extension('551d0f', true, usage(authority)),
    ...(names.length === 0
      ? []
      : [
          extension('551d25', false, sequence(oid('2b06010505070301'))),
          extension('551d11', false, sequence(...names)),
        ]),
    extension('551d0e', false, der(0x04, createHash('sha1').update(publicKey).digest())),
  );
  return der(0xa3, list);
}

/** Issues a certificate, version 3 (RFC 5280). Its serial number is derived from its content. */
export function issueCertificate(draft: CertificateDraft): IssuedKeyPair {
  const { name, key, from, until } = draft;
  const signer = draft.signer ?? draft;
  const { identifier, digest } = algorithms[signer.key.asymmetricKeyType ?? ''] ?? {};
  if (identifier === undefined || digest === undefined) throw new Error('no such kind of key');
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const serial = createHash('sha256')
    .update(JSON.stringify([signer.name, name, draft.dns, from, until]))
    .update(publicKey)
    .digest('hex');
  const content = sequence(
    der(0xa0, integer('02')),
    integer(`5${serial.slice(1, 32)}`),
    identifier,
    commonName(signer.name),
    sequence(time(from), time(until)),
    commonName(name),
    publicKey,
    extensions(draft, publicKey),
  );
  return {
    certificate: pem('CERTIFICATE', sequence(content, identifier, bits(sign(digest, content, signer.key)))),
    key: key.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}
