import { type Network, parseAddress } from '../../go/ip-address.ts';
import { goQuote } from '../../go/quote.ts';
import type { NameConstraints, Subtrees } from '../certificate.ts';
import {
  atEnd,
  type Cursor,
  constructedTag,
  contentOf,
  contextTag,
  enter,
  isNext,
  Malformed,
  readAny,
  startOf,
  tags,
} from '../der/der.ts';
import { isAscii } from '../der/values.ts';
import { isDomain } from '../names/domain-name.ts';
import { parseMailbox } from '../names/mailbox.ts';

/** True if the mask has leading ones, then zeros only. */
const isPrefix = (mask: Buffer): boolean =>
  /^1*0*$/.test([...mask].map((octet) => octet.toString(2).padStart(8, '0')).join(''));

function network(bytes: Buffer): Network {
  const half = bytes.length / 2;
  if (half !== 4 && half !== 16) {
    throw new Malformed(`x509: IP constraint contained value of length ${bytes.length}`);
  }
  const mask = bytes.subarray(half);
  if (!isPrefix(mask)) {
    throw new Malformed(`x509: IP constraint contained invalid mask ${mask.toString('hex')}`);
  }
  return { address: bytes.subarray(0, half), mask };
}

function constraintText(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1');
  const shown = goQuote(bytes.toString('utf8'));
  throw new Malformed(`x509: invalid constraint value: x509: ${shown} cannot be encoded as an IA5String`);
}

function domain(text: string, valid: boolean, kind: string): string {
  if (valid) return text;
  throw new Malformed(`x509: failed to parse ${kind} constraint ${goQuote(text)}`);
}

function uriDomain(text: string): string {
  if (parseAddress(text) !== undefined) {
    throw new Malformed(`x509: failed to parse URI constraint ${goQuote(text)}: cannot be IP address`);
  }
  return domain(text, isDomain(text, true), 'URI');
}

/** @param odd called for a kind of name that Go does not compare. */
function subtreesOf(cursor: Cursor | undefined, odd: () => void): Subtrees {
  const found = {
    dns: [] as string[],
    addresses: [] as Network[],
    emails: [] as string[],
    uris: [] as string[],
  };
  const malformed = 'x509: invalid NameConstraints extension';
  while (cursor !== undefined && !atEnd(cursor)) {
    const base = readAny(enter(cursor, tags.sequence, malformed));
    if (base === undefined) throw new Malformed(malformed);
    const { tag } = base;
    const content = contentOf(base);
    if (tag === contextTag(2)) {
      const text = constraintText(content);
      found.dns.push(domain(text, isDomain(text, true), 'dnsName'));
    } else if (tag === contextTag(7)) {
      found.addresses.push(network(content));
    } else if (tag === contextTag(1)) {
      const text = constraintText(content);
      const valid = text.includes('@') ? parseMailbox(text) !== undefined : isDomain(text, true);
      found.emails.push(domain(text, valid, 'rfc822Name'));
    } else if (tag === contextTag(6)) {
      found.uris.push(uriDomain(constraintText(content)));
    } else {
      odd();
    }
  }
  return found;
}

/** The parsed name constraints. */
export interface ReadConstraints {
  readonly nameConstraints: NameConstraints;
  /** False: it constrains a kind of name that Go does not compare. */
  readonly isUnderstood: boolean;
}

/** crypto/x509 parseNameConstraintsExtension. */
export function readNameConstraints(value: Buffer): ReadConstraints {
  const malformed = 'x509: invalid NameConstraints extension';
  const outer = startOf(value);
  const inside = enter(outer, tags.sequence, malformed);
  const part = (n: number): Cursor | undefined =>
    isNext(inside, constructedTag(n)) ? enter(inside, constructedTag(n), malformed) : undefined;
  const [permitted, excluded] = [part(0), part(1)];
  if (!atEnd(outer) || !atEnd(inside)) throw new Malformed(malformed);
  if ([permitted, excluded].every((subtrees) => subtrees === undefined || atEnd(subtrees))) {
    throw new Malformed('x509: empty name constraints extension');
  }
  let isUnderstood = true;
  const odd = () => {
    isUnderstood = false;
  };
  const nameConstraints = { permitted: subtreesOf(permitted, odd), excluded: subtreesOf(excluded, odd) };
  return { nameConstraints, isUnderstood };
}
