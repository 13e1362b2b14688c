import { expect } from 'chai';
import { plainCertificates } from '../../../src/collect/probes/connection/handshake.ts';

const counted = (content: Buffer): Buffer => {
  const length = Buffer.alloc(3);
  length.writeUIntBE(content.length, 0, 3);
  return Buffer.concat([length, content]);
};
const record = (content: Buffer): Buffer =>
  Buffer.concat([Buffer.from([22, 3, 3, content.length >> 8, content.length & 0xff]), content]);
const extension13 = Buffer.from([0, 6, 0, 43, 0, 2, 3, 4]);
const hello = (extensions = Buffer.alloc(0)): Buffer =>
  Buffer.concat([
    Buffer.from([2]),
    counted(
      Buffer.concat([Buffer.from([3, 3]), Buffer.alloc(32, 7), Buffer.from([0, 0xc0, 0x2f, 0]), extensions]),
    ),
  ]);
const chain = (...certificates: readonly Buffer[]): Buffer =>
  Buffer.concat([Buffer.from([11]), counted(counted(Buffer.concat(certificates.map(counted))))]);
const two = [Buffer.from('one'), Buffer.from('two')];
const flight = Buffer.concat([hello(), chain(...two)]);

describe('plainCertificates', () => {
  const read = (bytes: Buffer, most = 50) =>
    plainCertificates(bytes, most)?.map((der) => Buffer.from(der).toString());

  it('reads the chain from one record, or from several', () => {
    expect(read(record(flight))).to.deep.equal(['one', 'two']);
    const pieces = [flight.subarray(0, 50), flight.subarray(50)].map(record);
    expect(read(Buffer.concat(pieces))).to.deep.equal(['one', 'two']);
  });

  it('reads at most the requested number of certificates', () => {
    const many = Array.from({ length: 4000 }, () => Buffer.from('x'));
    const bytes = Buffer.concat([hello(), chain(...many)]);
    expect(
      read(Buffer.concat([record(bytes.subarray(0, 9000)), record(bytes.subarray(9000))])),
    ).to.have.length(50);
  });

  it('reads none of TLS 1.3, whose certificates are encrypted', () => {
    expect(read(record(Buffer.concat([hello(extension13), chain(...two)])))).to.equal(undefined);
  });

  it('reads none if the data is cut off or has wrong lengths', () => {
    const bytes = record(flight);
    for (let end = 0; end < bytes.length; end += 1)
      expect(read(bytes.subarray(0, end)), `${end}`).to.equal(undefined);
    const tooLong = Buffer.from(flight);
    tooLong[tooLong.length - 4] = 9;
    expect(read(record(tooLong))).to.equal(undefined);
    expect(read(Buffer.from('HTTP/1.1 400 Bad Request\r\n'))).to.equal(undefined);
  });
});
