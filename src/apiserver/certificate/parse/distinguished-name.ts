import { isUtf8 } from 'node:buffer';
import { atEnd, type Cursor, contentOf, enter, Malformed, readAny, tags } from '../der/der.ts';
import { readObjectIdentifier } from '../der/values.ts';

/** The parts of a subject or issuer that errors and messages contain. */
export interface DistinguishedName {
  /** The last common name; empty if there is none. */
  readonly commonName: string;
  readonly organizations: readonly string[];
}

const commonName = '2.5.4.3';
const organization = '2.5.4.10';
const printable = /^[A-Za-z0-9'()+,\-./ :=?*&]*$/;

function bmpString(value: Buffer): string {
  const refuse = () => new Malformed('invalid BMPString');
  if (value.length % 2 !== 0) throw refuse();
  const swapped = Buffer.from(value).swap16();
  const text = swapped.toString('utf16le').replace(/\0$/, '');
  if (/[\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]/.test(text)) throw refuse();
  return text;
}

/** Decodes an ASN.1 string type, by its tag (crypto/x509 parseASN1String). */
function stringOf(tag: number, value: Buffer): string {
  const plain = value.toString('latin1');
  const checked = (valid: boolean, type: string): string => {
    if (!valid) throw new Malformed(`invalid ${type}`);
    return plain;
  };
  switch (tag) {
    case 20:
      return plain;
    case 19:
      return checked(printable.test(plain), 'PrintableString');
    case 12:
      if (!isUtf8(value)) throw new Malformed('invalid UTF-8 string');
      return value.toString('utf8');
    case 30:
      return bmpString(value);
    case 22:
      return checked(/^[^\u0080-\u00ff]*$/.test(plain), 'IA5String');
    case 18:
      return checked(/^[0-9 ]*$/.test(plain), 'NumericString');
    default:
      throw new Malformed(`unsupported string type: ${tag}`);
  }
}

function attributeValue(tag: number, value: Buffer): string {
  try {
    return stringOf(tag, value);
  } catch (error) {
    throw new Malformed(
      `x509: invalid RDNSequence: invalid attribute value: ${(error as Malformed).message}`,
    );
  }
}

/** Parses an RDNSequence to the cursor's end. Throws Malformed with Go's error (crypto/x509 parseName). */
export function parseDistinguishedName(sequence: Cursor): DistinguishedName {
  const malformed = 'x509: invalid RDNSequence';
  const name = { commonName: '', organizations: [] as string[] };
  while (!atEnd(sequence)) {
    const set = enter(sequence, tags.set, malformed);
    while (!atEnd(set)) {
      const attribute = enter(set, tags.sequence, `${malformed}: invalid attribute`);
      const type = readObjectIdentifier(attribute, `${malformed}: invalid attribute type`);
      const value = readAny(attribute);
      if (value === undefined) throw new Malformed(`${malformed}: invalid attribute value`);
      const text = attributeValue(value.tag, contentOf(value));
      if (type === commonName) name.commonName = text;
      if (type === organization) name.organizations.push(text);
    }
  }
  return name;
}
