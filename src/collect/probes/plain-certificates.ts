/** Types of TLS records and handshake messages (RFC 5246, 6.2.1 and 7.4). */
const [handshakeRecord, serverHello, certificate] = [22, 2, 11];
const headerOfRecord = 5;
const headerOfMessage = 4;
/**
 * ServerHello contains this extension if the version is TLS 1.3, in which certificates are encrypted (RFC
 * 8446, 4.2.1).
 */
const supportedVersions = 43;

/** The content of the leading handshake records. */
function handshakeBytes(received: Buffer): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  while (received[at] === handshakeRecord && at + headerOfRecord <= received.length) {
    const length = received.readUInt16BE(at + 3);
    parts.push(received.subarray(at + headerOfRecord, at + headerOfRecord + length));
    at += headerOfRecord + length;
  }
  return Buffer.concat(parts);
}

/** Handshake messages that are complete, by type. */
function messages(bytes: Buffer): ReadonlyMap<number, Buffer> {
  const found = new Map<number, Buffer>();
  let at = 0;
  while (at + headerOfMessage <= bytes.length) {
    const [type = 0, end] = [bytes[at], at + headerOfMessage + bytes.readUIntBE(at + 1, 3)];
    if (end > bytes.length) break;
    found.set(type, bytes.subarray(at + headerOfMessage, end));
    at = end;
  }
  return found;
}

/** Splits items, the first `most`, that are preceded by a length of three bytes; undefined if a length exceeds the data. */
function counted(bytes: Buffer, most: number): readonly Buffer[] | undefined {
  const items: Buffer[] = [];
  let at = 0;
  while (at < bytes.length && items.length < most) {
    if (at + 3 > bytes.length) return undefined;
    const [start, end] = [at + 3, at + 3 + bytes.readUIntBE(at, 3)];
    if (end > bytes.length) return undefined;
    items.push(bytes.subarray(start, end));
    at = end;
  }
  return items;
}

function isVersion13(hello: Buffer): boolean {
  const sessionId = hello[34] ?? 0;
  // Version, random, session id, cipher suite, compression; then the length of the extensions.
  let at = 35 + sessionId + 3 + 2;
  while (at + 4 <= hello.length) {
    if (hello.readUInt16BE(at) === supportedVersions) return true;
    at += 4 + hello.readUInt16BE(at + 2);
  }
  return false;
}

/**
 * The certificates (DER, the server's own first) that a server sent in plain text, as in TLS up to 1.2;
 * undefined if none can be parsed: OpenSSL may abort a handshake before it returns them.
 *
 * @param received what the server sent from the start of the connection.
 * @param most the maximum number of certificates; a server can send thousands.
 */
export function plainCertificates(received: Buffer, most: number): readonly Uint8Array[] | undefined {
  const found = messages(handshakeBytes(received));
  const [hello, content] = [found.get(serverHello), found.get(certificate)];
  if (hello === undefined || content === undefined || isVersion13(hello)) return undefined;
  if (content.length < 3 || content.readUIntBE(0, 3) !== content.length - 3) return undefined;
  return counted(content.subarray(3), most)?.map((der) => new Uint8Array(der));
}
