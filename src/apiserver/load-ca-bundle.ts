import { X509Certificate } from 'node:crypto';

/** One PEM block as Go's encoding/pem reads it. */
interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Buffer;
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const header = /^[^\n:]+:[^\n]*(?:\n|$)/;

function blockAt(type: string, content: string): PemBlock | undefined {
  let body = content;
  let hasHeaders = false;
  for (let line = header.exec(body); line !== null; line = header.exec(body)) {
    hasHeaders = true;
    body = body.slice(line[0].length);
  }
  const text = body.replace(/[ \t\r\n]/g, '');
  return base64.test(text) ? { type, hasHeaders, bytes: Buffer.from(text, 'base64') } : undefined;
}

/** The next block and what follows it; lines that are no block are passed over (encoding/pem Decode). */
function decode(text: string): { readonly block: PemBlock; readonly rest: string } | undefined {
  const begin = /(?:^|\n)-----BEGIN ([^\n]*?)-----[ \t\r]*\n/g;
  for (let start = begin.exec(text); start !== null; start = begin.exec(text)) {
    const [opening, type = ''] = start;
    const from = start.index + opening.length;
    const ending = `\n-----END ${type}-----`;
    // The content may be empty: then the line feed of the opening line is the one before END.
    const to = text.indexOf(ending, from - 1);
    if (to < 0) continue;
    const block = blockAt(type, text.slice(from, Math.max(from, to)));
    const lineEnd = text.indexOf('\n', to + ending.length);
    const last = text.slice(to + ending.length, lineEnd < 0 ? undefined : lineEnd);
    if (block === undefined || last.trim() !== '') continue;
    return { block, rest: lineEnd < 0 ? '' : text.slice(lineEnd + 1) };
  }
  return undefined;
}

const parses = (bytes: Buffer): boolean => {
  try {
    return new X509Certificate(bytes).raw.length > 0;
  } catch {
    return false;
  }
};

/** What became of a `caBundle` when the API server built its client from it. */
export type CaBundle =
  /** Nothing configured: the API server's own system roots decide. */
  | { readonly kind: 'system-roots' }
  /** The certificates (DER) that became trust anchors; blocks that could not be read are passed over silently. */
  | { readonly kind: 'loaded'; readonly certificates: readonly Buffer[] }
  /** Not one certificate could be read. `text`: the API server's words after `could not get REST client: `. */
  | { readonly kind: 'refused'; readonly text: string };

/** Every block of the text; `complete` is false when text is left in which no block was found. */
function blocksOf(text: string): { readonly blocks: readonly PemBlock[]; readonly complete: boolean } {
  const blocks: PemBlock[] = [];
  let rest = text;
  while (rest.length > 0) {
    const next = decode(rest);
    if (next === undefined) return { blocks, complete: false };
    blocks.push(next.block);
    rest = next.rest;
  }
  return { blocks, complete: true };
}

const isCertificate = (block: PemBlock): boolean => block.type === 'CERTIFICATE' && !block.hasHeaders;

/**
 * Loads a `caBundle` as client-go/transport/transport.go rootCertPool does: text around PEM blocks, blocks of another
 * type and blocks that do not parse are ignored; one certificate is enough.
 *
 * @param caBundle base64, as in the object.
 */
export function loadCaBundle(caBundle: string | undefined): CaBundle {
  const text = Buffer.from(caBundle ?? '', 'base64').toString('latin1');
  if (text === '') return { kind: 'system-roots' };
  const { blocks, complete } = blocksOf(text);
  const candidates = blocks.filter(isCertificate).map(({ bytes }) => bytes);
  const certificates = candidates.filter(parses);
  if (certificates.length > 0) return { kind: 'loaded', certificates };
  const why =
    candidates.length > 0
      ? 'failed to parse certificate: x509: malformed certificate'
      : complete
        ? 'no valid certificate authority data seen'
        : 'unable to parse bytes as PEM block';
  return { kind: 'refused', text: `unable to load root certificates: ${why}` };
}
