import { createHash } from 'node:crypto';
import {
  bits,
  boolean,
  identifier,
  integer,
  octets,
  sequence,
  setOf,
  text,
  time,
  tlv,
} from './der-encoder.ts';
import { type SchemeName, schemes, signWith, type TestKey, usualScheme } from './test-key.ts';

export interface Name {
  readonly cn?: string;
  readonly o?: string;
  /** Of the common name; default: UTF8String. */
  readonly tag?: number;
}

/** An extension in DER. */
export interface ExtensionSpec {
  readonly id: string;
  readonly critical?: boolean;
  readonly value: Buffer;
}

export interface CertificateSpec {
  readonly subject: Name;
  readonly issuer: Name;
  readonly key: TestKey;
  readonly signer: TestKey;
  readonly scheme?: SchemeName | undefined;
  readonly version?: number | undefined;
  readonly serial?: bigint;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly extensions?: readonly ExtensionSpec[];
}

function nameDer({ cn, o, tag }: Name): Buffer {
  const attribute = (oid: string, value: Buffer) => setOf(sequence(identifier(oid), value));
  return sequence(
    ...(o === undefined ? [] : [attribute('2.5.4.10', text(o))]),
    ...(cn === undefined ? [] : [attribute('2.5.4.3', text(cn, tag))]),
  );
}

const extensionDer = ({ id, critical, value }: ExtensionSpec): Buffer =>
  sequence(identifier(id), ...(critical ? [boolean(true)] : []), octets(value));

/** A signed certificate, DER. */
export function makeCertificate(spec: CertificateSpec): Buffer {
  const scheme = spec.scheme ?? usualScheme(spec.signer);
  const version = spec.version ?? 3;
  const algorithm = schemes[scheme].identifier;
  const extensions = (spec.extensions ?? []).map(extensionDer);
  const signed = sequence(
    ...(version === 1 ? [] : [tlv(0xa0, integer(version - 1))]),
    integer(spec.serial ?? 1n),
    algorithm,
    nameDer(spec.issuer),
    sequence(time(spec.notBefore), time(spec.notAfter)),
    nameDer(spec.subject),
    spec.key.spki,
    ...(extensions.length === 0 ? [] : [tlv(0xa3, sequence(...extensions))]),
  );
  return sequence(signed, algorithm, bits(signWith(spec.signer, scheme, signed)));
}

export const pemOf = (der: Uint8Array, type = 'CERTIFICATE'): string => {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${type}-----\n${lines.join('\n')}\n-----END ${type}-----\n`;
};

export const keyIdOf = ({ spki }: TestKey): Buffer => createHash('sha1').update(spki).digest();
