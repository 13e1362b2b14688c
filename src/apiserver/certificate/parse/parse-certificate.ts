import { remembered } from '../../../basics/derive.ts';
import { goQuote } from '../../go/quote.ts';
import type { Certificate } from '../certificate.ts';
import {
  atEnd,
  type Cursor,
  constructedTag,
  contentOf,
  contextTag,
  encodedElement,
  enter,
  isNext,
  Malformed,
  readDer,
  startOf,
  tags,
} from '../der/der.ts';
import { readTime } from '../der/time.ts';
import {
  readBitString,
  readBoolean,
  readInteger,
  readNumber,
  readObjectIdentifier,
  rightAligned,
} from '../der/values.ts';
import type { GoRules } from '../go-rules.ts';
import { parseDistinguishedName } from './distinguished-name.ts';
import { type Extension, readExtensions } from './extensions.ts';
import { parseAlgorithm, parsePublicKey } from './public-key.ts';
import { signatureAlgorithmOf } from './signature-algorithm.ts';

/** Go's error, `x509: negative serial number`. */
export interface RefusedCertificate {
  readonly refused: string;
}

function readVersion(cursor: Cursor): number {
  const malformed = 'x509: malformed version';
  if (!isNext(cursor, constructedTag(0))) return 1;
  const inside = enter(cursor, constructedTag(0), malformed);
  const version = readNumber(inside, malformed);
  if (version < 0 || !atEnd(inside)) throw new Malformed(malformed);
  if (version > 2) throw new Malformed('x509: invalid version');
  return version + 1;
}

function readSerial(cursor: Cursor, rules: GoRules): bigint {
  const serial = readInteger(cursor, 'x509: malformed serial number');
  if (serial < 0n && !rules.negativeSerials) throw new Malformed('x509: negative serial number');
  return serial;
}

function readPublicKey(cursor: Cursor, rules: GoRules) {
  const malformed = 'x509: malformed spki';
  const inside = enter(cursor, tags.sequence, malformed);
  const element = encodedElement(inside);
  const words = 'x509: malformed public key algorithm identifier';
  const algorithm = parseAlgorithm(enter(inside, tags.sequence, words));
  const bits = readBitString(inside, 'x509: malformed subjectPublicKey');
  return { rawPublicKey: element, publicKey: parsePublicKey(algorithm, rightAligned(bits), rules) };
}

function readExtension(cursor: Cursor): Extension {
  const inside = enter(cursor, tags.sequence, 'x509: malformed extension');
  const id = readObjectIdentifier(inside, 'x509: malformed extension OID field');
  const critical =
    isNext(inside, tags.boolean) && readBoolean(inside, 'x509: malformed extension critical field');
  return { id, critical, value: readDer(inside, tags.octetString, 'x509: malformed extension value field') };
}

function extensionsOf(cursor: Cursor, version: number, rules: GoRules): readonly Extension[] {
  const optional = (n: number, words: string) => {
    if (isNext(cursor, contextTag(n))) readDer(cursor, contextTag(n), words);
  };
  if (version > 1) {
    optional(1, 'x509: malformed issuerUniqueID');
    optional(2, 'x509: malformed subjectUniqueID');
  }
  if (version < 3 || !isNext(cursor, constructedTag(3))) return [];
  const malformed = 'x509: malformed extensions';
  const list = enter(enter(cursor, constructedTag(3), malformed), tags.sequence, malformed);
  const found = new Map<string, Extension>();
  while (!atEnd(list)) {
    const extension = readExtension(list);
    if (found.has(extension.id)) {
      const which = rules.namesDuplicates ? ` with OID ${goQuote(extension.id)}` : 's';
      throw new Malformed(`x509: certificate contains duplicate extension${which}`);
    }
    found.set(extension.id, extension);
  }
  return [...found.values()];
}

function parse(der: Buffer, rules: GoRules): Certificate {
  const outer = enter(startOf(der), tags.sequence, 'x509: malformed certificate');
  const inner = enter(outer, tags.sequence, 'x509: malformed tbs certificate');
  const signed = encodedElement(inner);
  const version = readVersion(inner);
  const serial = readSerial(inner, rules);
  const algorithm = enter(inner, tags.sequence, 'x509: malformed signature algorithm identifier');
  const repeated = enter(outer, tags.sequence, 'x509: malformed algorithm identifier');
  if (!contentOf(repeated).equals(contentOf(algorithm))) {
    throw new Malformed("x509: inner and outer signature algorithm identifiers don't match");
  }
  const signatureAlgorithm = signatureAlgorithmOf(parseAlgorithm(algorithm));
  const issuerName = enter(inner, tags.sequence, 'x509: malformed issuer');
  const issuer = parseDistinguishedName(issuerName);
  const validity = enter(inner, tags.sequence, 'x509: malformed validity');
  const [notBefore, notAfter] = [readTime(validity), readTime(validity)];
  const subjectName = enter(inner, tags.sequence, 'x509: malformed issuer');
  const subject = parseDistinguishedName(subjectName);
  const key = readPublicKey(inner, rules);
  const extensions = readExtensions(extensionsOf(inner, version, rules), rules);
  const signature = rightAligned(readBitString(outer, 'x509: malformed signature'));
  if (outer.end !== der.length) throw new Malformed('x509: trailing data');
  return {
    ...extensions,
    ...key,
    raw: der,
    signed,
    signature,
    signatureAlgorithm,
    version,
    serial,
    subject,
    issuer,
    rawSubject: encodedElement(subjectName),
    rawIssuer: encodedElement(issuerName),
    notBefore,
    notAfter,
  };
}

function parseOrRefuse(der: Buffer, rules: GoRules): Certificate | RefusedCertificate {
  try {
    return parse(der, rules);
  } catch (error) {
    if (error instanceof Malformed) return { refused: error.message };
    throw error;
  }
}

const parseBytes = remembered((rules: GoRules, bytes: string) =>
  parseOrRefuse(Buffer.from(bytes, 'latin1'), rules),
);

/**
 * Parses a certificate from DER, or returns Go's error (crypto/x509 ParseCertificate, in its order). Returns
 * the same object for the same bytes and rules, so that other results, such as signature checks, can be
 * cached by it.
 */
export function parseCertificate(der: Uint8Array, rules: GoRules): Certificate | RefusedCertificate {
  return parseBytes(rules, Buffer.from(der.buffer, der.byteOffset, der.byteLength).toString('latin1'));
}

/** True if Go cannot parse the certificate: `refused` is its error. */
export const isRefusedCertificate = (found: Certificate | RefusedCertificate): found is RefusedCertificate =>
  'refused' in found;
