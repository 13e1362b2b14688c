/** TLS alerts by number, in Go's wording: crypto/tls/alert.go. */
const alerts: Readonly<Record<number, string>> = {
  0: 'close notify',
  10: 'unexpected message',
  20: 'bad record MAC',
  21: 'decryption failed',
  22: 'record overflow',
  30: 'decompression failure',
  40: 'handshake failure',
  42: 'bad certificate',
  43: 'unsupported certificate',
  44: 'revoked certificate',
  45: 'expired certificate',
  46: 'unknown certificate',
  47: 'illegal parameter',
  48: 'unknown certificate authority',
  49: 'access denied',
  50: 'error decoding message',
  51: 'error decrypting message',
  60: 'export restriction',
  70: 'protocol version not supported',
  71: 'insufficient security level',
  80: 'internal error',
  86: 'inappropriate fallback',
  90: 'user canceled',
  100: 'no renegotiation',
  109: 'missing extension',
  110: 'unsupported extension',
  111: 'certificate unobtainable',
  112: 'unrecognized name',
  113: 'bad certificate status response',
  114: 'bad certificate hash value',
  115: 'unknown PSK identity',
  116: 'certificate required',
  120: 'no application protocol',
  121: 'encrypted client hello required',
};

const named = (number: number): string => alerts[number] ?? `alert(${number})`;

/** The alert in an OpenSSL error, in Go's wording; undefined if the error is not an alert. */
export function alertOf(message: string): string | undefined {
  const number = /SSL alert number (\d+)/.exec(message)?.[1];
  return number === undefined ? undefined : named(Number(number));
}

/**
 * The fatal alert with which a server responded to the ClientHello, from its first bytes (RFC 8446, 5.1 and
 * 6): OpenSSL does not report alerts that it does not know.
 */
export function alertIn(first: Buffer): string | undefined {
  const [type, , , , , level, number] = first;
  return type === 0x15 && level === 2 && number !== undefined ? named(number) : undefined;
}
