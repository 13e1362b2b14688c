import { bits, boolean, identifier, integer, octets, sequence, tlv } from './der-encoder.ts';
import type { ExtensionSpec } from './make-certificate.ts';

/** A name of subjectAltName or of a subtree. */
export type GeneralName =
  | { readonly dns: string }
  | { readonly email: string }
  | { readonly uri: string }
  /** Four or sixteen bytes; twice that in a subtree. */
  | { readonly ip: readonly number[] }
  | { readonly directory: string };

function generalName(name: GeneralName): Buffer {
  if ('dns' in name) return tlv(0x82, Buffer.from(name.dns, 'latin1'));
  if ('email' in name) return tlv(0x81, Buffer.from(name.email, 'latin1'));
  if ('uri' in name) return tlv(0x86, Buffer.from(name.uri, 'latin1'));
  if ('ip' in name) return tlv(0x87, Buffer.from(name.ip));
  return tlv(0xa4, sequence());
}

export const alternativeNames = (names: readonly GeneralName[], critical = false): ExtensionSpec => ({
  id: '2.5.29.17',
  critical,
  value: sequence(...names.map(generalName)),
});

export const basicConstraints = (isCa: boolean, pathLength?: number): ExtensionSpec => ({
  id: '2.5.29.19',
  critical: true,
  value: sequence(
    ...(isCa ? [boolean(true)] : []),
    ...(pathLength === undefined ? [] : [integer(pathLength)]),
  ),
});

/** @param usages bit numbers; 0 digitalSignature, 5 keyCertSign, 6 cRLSign. */
export function keyUsage(...usages: readonly number[]): ExtensionSpec {
  const octet = usages.reduce((sum, usage) => sum | (0x80 >> usage), 0);
  const padding = octet === 0 ? 0 : Math.log2(octet & -octet);
  return {
    id: '2.5.29.15',
    critical: true,
    value: octet === 0 ? bits(Buffer.alloc(0)) : bits(Buffer.from([octet]), padding),
  };
}

const usageIds = {
  server: '1.3.6.1.5.5.7.3.1',
  client: '1.3.6.1.5.5.7.3.2',
  any: '2.5.29.37.0',
  unknown: '1.3.6.1.4.1.99999.1',
} as const;
export type Usage = keyof typeof usageIds;

export const extendedKeyUsage = (...usages: readonly Usage[]): ExtensionSpec => ({
  id: '2.5.29.37',
  value: sequence(...usages.map((usage) => identifier(usageIds[usage]))),
});

export const subjectKeyId = (id: Uint8Array): ExtensionSpec => ({ id: '2.5.29.14', value: octets(id) });
export const authorityKeyId = (id: Uint8Array): ExtensionSpec => ({
  id: '2.5.29.35',
  value: sequence(tlv(0x80, id)),
});

export function nameConstraints(
  permitted: readonly GeneralName[],
  excluded: readonly GeneralName[],
  critical = true,
): ExtensionSpec {
  const part = (n: number, names: readonly GeneralName[]) =>
    names.length === 0 ? [] : [tlv(0xa0 + n, ...names.map((name) => sequence(generalName(name))))];
  return { id: '2.5.29.30', critical, value: sequence(...part(0, permitted), ...part(1, excluded)) };
}

/** An unknown extension. */
export const unknownExtension = (critical: boolean): ExtensionSpec => ({
  id: '1.3.6.1.4.1.99999.7',
  critical,
  value: sequence(),
});

export const policies = (...ids: readonly string[]): ExtensionSpec => ({
  id: '2.5.29.32',
  value: sequence(...ids.map((id) => sequence(identifier(id)))),
});

export const policyConstraints = (explicit?: number, mapping?: number): ExtensionSpec => ({
  id: '2.5.29.36',
  critical: true,
  value: sequence(
    ...(explicit === undefined ? [] : [integer(explicit, 0x80)]),
    ...(mapping === undefined ? [] : [integer(mapping, 0x81)]),
  ),
});

export const policyMappings = (...pairs: readonly (readonly [string, string])[]): ExtensionSpec => ({
  id: '2.5.29.33',
  critical: true,
  value: sequence(...pairs.map(([issuer, subject]) => sequence(identifier(issuer), identifier(subject)))),
});

export const inhibitAnyPolicy = (after: number): ExtensionSpec => ({
  id: '2.5.29.54',
  critical: true,
  value: integer(after),
});
