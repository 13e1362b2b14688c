/** One PEM block as Go's encoding/pem reads it. */
export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Buffer;
}

interface Line {
  /** The line without trailing white space. */
  readonly text: string;
  /** Number of characters up to the next line. */
  readonly consumed: number;
}

const begin = '-----BEGIN ';
const end = '\n-----END ';
const dashes = '-----';
const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

function lineAt(text: string, from: number): Line {
  const feed = text.indexOf('\n', from);
  if (feed < 0) return { text: text.slice(from).replace(/[ \t]+$/, ''), consumed: text.length - from };
  return {
    text: text
      .slice(from, feed)
      .replace(/\r$/, '')
      .replace(/[ \t]+$/, ''),
    consumed: feed + 1 - from,
  };
}

/** The end of the headers, `NAME: VALUE`; undefined if the text ends with them. */
function afterHeaders(text: string, from: number): number | undefined {
  let at = from;
  while (at < text.length) {
    const line = lineAt(text, at);
    if (!line.text.includes(':')) return at;
    at += line.consumed;
  }
  return undefined;
}

type Attempt =
  | { readonly kind: 'block'; readonly block: PemBlock; readonly next: number }
  | { readonly kind: 'none' }
  /** No block before `to`; another may follow. `misplaced`: no BEGIN at the start of a line. */
  | { readonly kind: 'skip'; readonly to: number; readonly misplaced?: true };

/** Reads the block that ends at the first END from here on, and starts at the last BEGIN before that. */
function blockFrom(text: string, from: number): Attempt {
  const endsAt = text.indexOf(end, from);
  if (endsAt < 0) return { kind: 'none' };
  const trailer = endsAt + end.length;
  const skip: Attempt = { kind: 'skip', to: trailer };
  // Not lastIndexOf on the complete text: it would search back to the start for every END.
  const before = text.slice(from, endsAt).lastIndexOf(begin);
  if (before < 0) return { ...skip, misplaced: true };
  const beginsAt = from + before;
  if (beginsAt > from && text[beginsAt - 1] !== '\n') return { ...skip, misplaced: true };
  const typeLine = lineAt(text, beginsAt + begin.length);
  if (!typeLine.text.endsWith(dashes)) return skip;
  const type = typeLine.text.slice(0, -dashes.length);
  const headersAt = beginsAt + begin.length + typeLine.consumed;
  const body = afterHeaders(text, headersAt);
  if (body === undefined) return { kind: 'none' };
  const hasHeaders = body > headersAt;
  if (hasHeaders && body > endsAt) return body > trailer ? { kind: 'none' } : skip;
  const last = `${type}${dashes}`;
  if (text.slice(trailer, trailer + last.length) !== last) return skip;
  const rest = lineAt(text, trailer + last.length);
  if (rest.text !== '') return skip;
  const encoded = text.slice(body, Math.max(body, endsAt)).replaceAll(/[ \t\r\n]/g, '');
  if (encoded.length % 4 !== 0 || !base64.test(encoded)) return skip;
  const bytes = Buffer.from(encoded, 'base64');
  const next = trailer + last.length + rest.consumed;
  return { kind: 'block', block: { type, hasHeaders, bytes }, next };
}

/** The PEM blocks of a text. */
export interface PemText {
  readonly blocks: readonly PemBlock[];
  /** False if the rest of the text contains no block. */
  readonly complete: boolean;
}

/**
 * Reads every PEM block of a text and ignores the lines around them, as encoding/pem Decode does from Go 1.23
 * on. A BEGIN without its own END is ignored.
 *
 * @param text one character per byte (latin1).
 * @param endsEarly stop at an END without a BEGIN at the start of a line (Go 1.24.9).
 */
export function readPem(text: string, endsEarly = false): PemText {
  const blocks: PemBlock[] = [];
  let from = 0;
  let at = 0;
  while (from < text.length) {
    const attempt = blockFrom(text, at);
    if (attempt.kind === 'none') return { blocks, complete: false };
    if (attempt.kind === 'skip' && attempt.misplaced && endsEarly) return { blocks, complete: false };
    if (attempt.kind === 'skip') {
      at = attempt.to;
      continue;
    }
    blocks.push(attempt.block);
    from = attempt.next;
    at = from;
  }
  return { blocks, complete: true };
}

/** A certificate in DER as PEM text. */
export const pemOf = (der: Uint8Array): string =>
  `-----BEGIN CERTIFICATE-----\n${Buffer.from(der)
    .toString('base64')
    .replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`;

/** The certificates of PEM text in DER, in their order: a presented chain, or a Secret's `tls.crt`. */
export const pemCertificates = (text: string): readonly Buffer[] =>
  readPem(text)
    .blocks.filter(({ type }) => type === 'CERTIFICATE')
    .map(({ bytes }) => bytes);
