/** One PEM block as Go's encoding/pem reads it. */
export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Buffer;
}

interface Line {
  /** Without white space at its end. */
  readonly text: string;
  /** Characters up to the next line. */
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

/** Where the headers, `NAME: VALUE`, end; undefined when the text ends with them. */
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
  /** No block up to here; another may follow. `misplaced`: no BEGIN at the start of a line. */
  | { readonly kind: 'skip'; readonly to: number; readonly misplaced?: true };

/** The block whose last line is the first END from here on, and whose first line is the last BEGIN before that. */
function blockFrom(text: string, from: number): Attempt {
  const endsAt = text.indexOf(end, from);
  if (endsAt < 0) return { kind: 'none' };
  const trailer = endsAt + end.length;
  const skip: Attempt = { kind: 'skip', to: trailer };
  // Not lastIndexOf on the whole text: it would go back to its beginning for every END.
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

/** What a text holds. */
export interface PemText {
  readonly blocks: readonly PemBlock[];
  /** False when text is left in which no block was found. */
  readonly complete: boolean;
}

/**
 * Every PEM block of a text; lines around them are passed over. As encoding/pem Decode does it from Go 1.23 on: a BEGIN
 * without an END of its own is passed over, too.
 *
 * @param text one character per byte (latin1).
 * @param endsEarly nothing is read beyond an END without a BEGIN at the start of a line (Go 1.24.9).
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

/** The certificates of a PEM text in DER, in their order: what a server presents, or a Secret's `tls.crt`. */
export const pemCertificates = (text: string): readonly Buffer[] =>
  readPem(text)
    .blocks.filter(({ type }) => type === 'CERTIFICATE')
    .map(({ bytes }) => bytes);
