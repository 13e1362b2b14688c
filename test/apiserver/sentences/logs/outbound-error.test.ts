import { expect } from 'chai';
import { outboundErrorIn } from '../../../../src/apiserver/sentences/logs/outbound-error.ts';

const found: Readonly<Record<string, string>> = {
  'failed to fetch digest: Get "https://registry.example.com/v2/": context deadline exceeded':
    'registry.example.com',
  '{"level":"error","error":"Get \\"https://opa.policy.svc:8181/v1/data\\": dial tcp 203.0.113.7:8181: i/o timeout"}':
    'opa.policy.svc:8181',
  'dial tcp: lookup vault.example.com on 203.0.113.10:53: no such host': 'vault.example.com',
  "HTTPSConnectionPool(host='idp.example.com', port=443): Max retries exceeded with url: /token":
    'idp.example.com',
  'Error: getaddrinfo ENOTFOUND registry.example.com': 'registry.example.com',
  'Error: connect ETIMEDOUT 192.0.2.7:5432': '192.0.2.7:5432',
  'W1127 13:01:30.730480 1 logging.go:55] [core] grpc: addrConn.createTransport failed to connect to {Addr: "192.0.2.7:9666", ServerName: "scaler.shop.svc.cluster.local:9666", }. Err: connection error: desc = "transport: Error while dialing: dial tcp 192.0.2.7:9666: connect: connection refused"':
    'scaler.shop.svc.cluster.local:9666',
  'java.net.UnknownHostException: ldap.example.com': 'ldap.example.com',
  'Failed to pull image: Get "https://192.168.1.1:443/v2/": dial tcp 192.168.1.1:443: i/o timeout':
    '192.168.1.1:443',
  'cannot send samples: dial tcp 10.20.30.1:443: i/o timeout': '10.20.30.1:443',
};

const none = [
  'Get "https://203.0.113.1:443/api/v1/secrets": dial tcp 203.0.113.1:443: i/o timeout',
  'Get "http://127.0.0.1:8181/health": dial tcp 127.0.0.1:8181: connect: connection refused',
  'Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: Post "https://a.shop.svc:443/?timeout=5s": context deadline exceeded',
  'listening on https://policy.shop.svc:8443',
  'Get "https://192.0.2.10:10250/metrics": dial tcp 192.0.2.10:10250: i/o timeout',
];

describe('a failed request to another server in a log', () => {
  for (const [line, host] of Object.entries(found))
    it(`${host}: ${line.slice(0, 60)}`, () => expect(outboundErrorIn(line)?.host).to.equal(host));
  it('of gRPC has the error of the connection as its detail', () => {
    const line = Object.keys(found).find((one) => one.includes('grpc')) ?? '';
    expect(outboundErrorIn(line)?.detail).to.equal('dial tcp 192.0.2.7:9666: connect: connection refused');
  });
  it('of a line with fields ends with its field', () => {
    const line =
      'E1128 1 lookup.go:41] "directory lookup failed" err="dial tcp 203.0.113.40:636: i/o timeout" took="8s"';
    expect(outboundErrorIn(line)).to.deep.equal({
      host: '203.0.113.40:636',
      detail: 'dial tcp 203.0.113.40:636: i/o timeout',
    });
  });
  it('of a line in JSON ends with its field', () => {
    const line =
      '{"level":"error","error":"Get \\"https://registry.example.com/v2/\\": context deadline exceeded","stack":"a"}';
    expect(outboundErrorIn(line)?.detail).to.equal('context deadline exceeded');
  });
  for (const line of none)
    it(`is none: ${line.slice(0, 60)}`, () => expect(outboundErrorIn(line)).to.equal(undefined));
});
