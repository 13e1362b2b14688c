import { reversedLabels } from './domain-name.ts';

/** An e-mail address; `local` without quotes and backslashes. */
export interface Mailbox {
  readonly local: string;
  readonly domain: string;
}

/** `local@domain`. */
export const mailboxText = ({ local, domain }: Mailbox): string => `${local}@${domain}`;

const quoted = /^"((?:\\[\x01-\x09\x0b\x0c\x0e-\x7f]|[\x01-\x08\x0b\x0e-\x1f !#-[\]-\x7f])*)"@/;
const atoms = /^((?:\\?[0-9A-Za-z!#$%&'*+\-/=?^_`{|}~.])+)@/;

/** Parses an e-mail address of a certificate, RFC 2821 section 4.1.2 (crypto/x509 parseRFC2821Mailbox). */
export function parseMailbox(text: string): Mailbox | undefined {
  const inQuotes = quoted.exec(text);
  const match = inQuotes ?? atoms.exec(text);
  if (match === null) return undefined;
  const local = (match[1] ?? '').replaceAll(/\\(.)/gs, '$1');
  const domain = text.slice(match[0].length);
  if (inQuotes === null && (local.startsWith('.') || local.endsWith('.') || local.includes('..')))
    return undefined;
  return reversedLabels(domain) === undefined ? undefined : { local, domain };
}
