/** DER: a tag, a length, the content (X.690 §8.1). */
export function der(tag: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  const length = Buffer.from(body.length.toString(16).padStart(body.length > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length]), length, body]);
}

export const sequence = (...content: readonly Buffer[]): Buffer => der(0x30, ...content);
/** An object identifier, its content in hex. */
export const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
export const bits = (content: Buffer, unused = 0): Buffer => der(0x03, Buffer.from([unused]), content);
export const integer = (hex: string): Buffer => der(0x02, Buffer.from(hex, 'hex'));
export const yes = der(0x01, Buffer.from([0xff]));

/** UTCTime until 2049, GeneralizedTime from then on (RFC 5280 §4.1.2.5). */
export function time(at: Date): Buffer {
  const text = at.toISOString().replace(/[-:T]|\.\d+/g, '');
  return text < '2050' ? der(0x17, Buffer.from(text.slice(2))) : der(0x18, Buffer.from(text));
}

export const commonName = (name: string): Buffer =>
  sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(name)))));

export const pem = (label: string, content: Buffer): string =>
  `-----BEGIN ${label}-----\n${content.toString('base64').replace(/.{64}/g, '$&\n').trimEnd()}\n-----END ${label}-----\n`;
