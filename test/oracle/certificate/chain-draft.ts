import {
  alternativeNames,
  authorityKeyId,
  basicConstraints,
  extendedKeyUsage,
  type GeneralName,
  keyUsage,
  nameConstraints,
  subjectKeyId,
  type Usage,
} from './extension-der.ts';
import { type ExtensionSpec, keyIdOf, makeCertificate, type Name } from './make-certificate.ts';
import { type SchemeName, type TestKey, testKey } from './test-key.ts';

/** A certificate before it is signed, to be changed. */
export interface Draft {
  subject: Name;
  /** Default: the subject of the certificate above. */
  issuer?: Name | undefined;
  key: TestKey;
  /** Default: the key of the certificate above. */
  signer?: TestKey | undefined;
  scheme?: SchemeName | undefined;
  version?: number | undefined;
  serial: bigint;
  notBefore: Date;
  notAfter: Date;
  /** Absent: no basic constraints. */
  authority?: { isCa: boolean; pathLength?: number } | undefined;
  keyUsage?: readonly number[] | undefined;
  usages?: readonly Usage[] | undefined;
  names?: readonly GeneralName[] | undefined;
  criticalNames?: boolean | undefined;
  permitted?: readonly GeneralName[] | undefined;
  excluded?: readonly GeneralName[] | undefined;
  keyIds?: 'right' | 'none' | 'wrong' | undefined;
  extra: ExtensionSpec[];
}

export const day = 24 * 60 * 60 * 1000;

/** @param level 0 is the root. */
export const authorityDraft = (level: number, now: Date, key = testKey('p256', level)): Draft => ({
  subject: { cn: level === 0 ? 'root-ca' : `intermediate-${level}` },
  key,
  serial: BigInt(level + 1),
  notBefore: new Date(now.getTime() - 30 * day),
  notAfter: new Date(now.getTime() + 300 * day),
  authority: { isCa: true },
  keyUsage: [5, 6],
  keyIds: 'right',
  extra: [],
});

export const serverDraft = (host: string, now: Date, key = testKey('p256', 9)): Draft => ({
  subject: { cn: 'server' },
  key,
  serial: 1000n,
  notBefore: new Date(now.getTime() - 10 * day),
  notAfter: new Date(now.getTime() + 80 * day),
  authority: { isCa: false },
  keyUsage: [0],
  usages: ['server'],
  names: [{ dns: host }],
  keyIds: 'right',
  extra: [],
});

function extensionsOf(draft: Draft, signer: TestKey): ExtensionSpec[] {
  const { authority, names, permitted = [], excluded = [], keyIds = 'none' } = draft;
  const flip = (id: Buffer) => Buffer.from(id.map((octet) => (keyIds === 'wrong' ? octet ^ 0xff : octet)));
  const constrained = permitted.length + excluded.length > 0;
  return [
    ...(authority ? [basicConstraints(authority.isCa, authority.pathLength)] : []),
    ...(draft.keyUsage ? [keyUsage(...draft.keyUsage)] : []),
    ...(draft.usages ? [extendedKeyUsage(...draft.usages)] : []),
    ...(names ? [alternativeNames(names, draft.criticalNames)] : []),
    ...(constrained ? [nameConstraints(permitted, excluded)] : []),
    ...(keyIds === 'none' ? [] : [subjectKeyId(keyIdOf(draft.key)), authorityKeyId(flip(keyIdOf(signer)))]),
    ...draft.extra,
  ];
}

/** DER of one certificate below another; the first one is self-signed. */
export function signDraft(draft: Draft, above: Draft = draft): Buffer {
  const signer = draft.signer ?? above.key;
  return makeCertificate({
    ...draft,
    issuer: draft.issuer ?? above.subject,
    signer,
    extensions: (draft.version ?? 3) === 3 ? extensionsOf(draft, signer) : [],
  });
}

/** DER of each, from the root to the server. */
export const signChain = (drafts: readonly Draft[]): Buffer[] =>
  drafts.map((draft, at) => signDraft(draft, drafts[Math.max(0, at - 1)]));
