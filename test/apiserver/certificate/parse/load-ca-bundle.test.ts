import { expect } from 'chai';
import { loadCaBundle } from '../../../../src/apiserver/certificate/parse/load-ca-bundle.ts';
import { authority } from '../../../support/certificates.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const block = (type: string, body: string): string =>
  `-----BEGIN ${type}-----\n${body}\n-----END ${type}-----\n`;
const refusal = (why: string): object => ({
  kind: 'refused',
  text: `unable to load root certificates: ${why}`,
});
const noBlock = refusal('unable to parse bytes as PEM block');
const noCertificate = refusal('no valid certificate authority data seen');

describe('loadCaBundle', () => {
  let pem = '';
  before(async () => {
    pem = (await authority({ cn: 'policy-ca' })).cert.trim();
  });

  it('uses the system roots for an empty bundle', () => {
    expect(loadCaBundle(undefined)).to.deep.equal({ kind: 'system-roots' });
    expect(loadCaBundle('')).to.deep.equal({ kind: 'system-roots' });
  });

  const loads: readonly (readonly [string, (pem: string) => string, number])[] = [
    ['a certificate', (pem) => pem, 1],
    ['two certificates', (pem) => `${pem}\n${pem}\n`, 2],
    ['words around it', (pem) => `Subject: CN=x\n${pem}\nand more`, 1],
    ['carriage returns', (pem) => pem.replaceAll('\n', '\r\n'), 1],
    ['a key beside it', (pem) => `${block('EC PRIVATE KEY', 'AAAA')}${pem}\n`, 1],
    ['one that is cut, then one that is whole', (pem) => `${block('CERTIFICATE', 'MIIB')}${pem}`, 1],
  ];
  for (const [name, text, count] of loads) {
    it(`loads ${name}`, () => {
      const loaded = loadCaBundle(base64(text(pem)));
      expect(loaded.kind === 'loaded' && loaded.certificates.length).to.equal(count);
    });
  }

  const refuses: readonly (readonly [string, (pem: string) => string, object])[] = [
    ['words', () => 'no certificate', noBlock],
    ['a line feed', () => '\n', noBlock],
    ['base64 twice', (pem) => base64(pem), noBlock],
    ['an indented certificate', (pem) => pem.replaceAll(/^/gm, '  '), noBlock],
    ['a certificate without its last line', (pem) => pem.slice(0, -20), noBlock],
    ['a key', () => block('EC PRIVATE KEY', 'AAAA'), noCertificate],
    ['a key and words', () => `${block('EC PRIVATE KEY', 'AAAA')}words`, noBlock],
    [
      'a TRUSTED CERTIFICATE',
      (pem) => `${pem.replaceAll('CERTIFICATE', 'TRUSTED CERTIFICATE')}\n`,
      noCertificate,
    ],
    [
      'a certificate with headers',
      (pem) => pem.replace('-----\n', '-----\nA: b\n\n').replace(/$/, '\n'),
      noCertificate,
    ],
    [
      'bytes that are no certificate',
      () => block('CERTIFICATE', 'AAAA'),
      refusal('failed to parse certificate: x509: malformed certificate'),
    ],
  ];
  for (const [name, text, expected] of refuses) {
    it(`refuses ${name}`, () => {
      expect(loadCaBundle(base64(text(pem)))).to.deep.equal(expected);
    });
  }
});
