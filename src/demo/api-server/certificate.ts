import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** A TLS server's own certificate and key, PEM. The certificate is its own CA. */
export interface ServingCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** DER: a tag, a length, the content (X.690 §8.1). */
function der(tag: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  const length = Buffer.from(body.length.toString(16).padStart(body.length > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length]), length, body]);
}
const sequence = (...content: readonly Buffer[]): Buffer => der(0x30, ...content);
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const utcTime = (time: Date): Buffer =>
  der(0x17, Buffer.from(time.toISOString().replace(/^..|[-:T]|\.\d+/g, '')));
const commonName = (name: string): Buffer =>
  sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(name)))));
const extension = (hex: string, critical: boolean, value: Buffer): Buffer =>
  sequence(oid(hex), ...(critical ? [der(0x01, Buffer.from([0xff]))] : []), der(0x04, value));

const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));

function extensions(publicKey: KeyObject): Buffer {
  const keyId = createHash('sha1')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest();
  const names = sequence(der(0x87, Buffer.from([127, 0, 0, 1])), der(0x82, Buffer.from('localhost')));
  const list = sequence(
    extension('551d13', true, sequence(der(0x01, Buffer.from([0xff])))),
    extension('551d0f', true, der(0x03, Buffer.from([0x02, 0x84]))),
    extension('551d25', false, sequence(oid('2b06010505070301'))),
    extension('551d11', false, names),
    extension('551d0e', false, der(0x04, keyId)),
  );
  return der(0xa3, list);
}

/** A self-signed P-256 certificate for 127.0.0.1 and localhost, good for two days around now (RFC 5280). */
export function loopbackCertificate(): ServingCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const day = 24 * 60 * 60 * 1000;
  const name = commonName('kubectl-webhook demo cluster');
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    name,
    sequence(utcTime(new Date(Date.now() - day)), utcTime(new Date(Date.now() + day))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    extensions(publicKey),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', content, privateKey));
  const body = sequence(content, ecdsaWithSha256, signature).toString('base64');
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${body.replace(/.{64}/g, '$&\n').trimEnd()}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}
