import { urlUnreachable } from '../../../src/checks/routing/url-unreachable.ts';
import { lookup } from '../../../src/facts/lookup.ts';
import type { ProbeConnection } from '../../../src/facts/probes.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { objects, service } from '../../support/snapshot.ts';
import { after, allows, blind, dryRun, http, quiet, type Tried, tried, triedUrl } from '../probed.ts';

const text = 'connect ECONNREFUSED 203.0.113.99:443';
const silent: ProbeConnection = {
  way: 'direct',
  reviews: [],
  failure: { stage: 'connect', kind: 'refused', text, milliseconds: 1 },
};
const refusedToo = dryRun(
  'Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: Post "https://hooks.example.com/validate?timeout=10s": dial tcp 203.0.113.99:443: connect: connection refused',
);
const refusedElsewhere = dryRun(
  'Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: Post "https://hooks.example.com:444/": dial tcp 203.0.113.99:444: connect: connection refused',
);
/** The API server's own call with this error. */
const ownError = (error: string) =>
  dryRun(
    `Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: Post "https://hooks.example.com/validate?timeout=10s": ${error}`,
  );
const [moved] = (http(307, '', { location: 'https://hooks.example.com:444/' }).dialogues ?? []).map(
  (connection) => ({ ...connection, way: 'direct' as const }),
);
const direct = ({ dialogues = [] }: Tried): ProbeConnection =>
  ({ ...dialogues[0], way: 'direct' }) as ProbeConnection;
const answered = direct(allows);

/** A webhook at this address, beside Services with these ClusterIPs. */
function atAddress(host: string, clusterIps: readonly string[]): Partial<Facts> {
  const facts = triedUrl(silent, refusedToo);
  const services = clusterIps.map((clusterIP, at) =>
    service({ clusterIP, clusterIPs: [clusterIP] }, { name: `s${at}` }),
  );
  return {
    ...facts,
    callouts: (facts.callouts ?? []).map((callout) =>
      callout.kind === 'validating' ? { ...callout, client: { url: `https://${host}/validate` } } : callout,
    ),
    services: objects(...services),
  };
}

describeCheck(urlUnreachable, {
  reports: [
    {
      name: 'a port that is closed for us and for the API server',
      facts: triedUrl(silent, refusedToo),
      expect: { messageId: 'unreached', confidence: 'observed' },
    },
    { name: 'a port that is closed for us', facts: triedUrl(silent), expect: { messageId: 'here' } },
    {
      name: 'a URL that answers us, and not the API server',
      facts: triedUrl(answered, refusedToo),
      expect: { messageId: 'itself', confidence: 'observed' },
    },
    ...[
      'context deadline exceeded',
      'net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)',
      'net/http: TLS handshake timeout',
    ].map((error) => ({
      name: `a URL that answers us, behind a firewall that drops the packets of the API server: ${error}`,
      facts: triedUrl(answered, ownError(error)),
      expect: { messageId: 'itself' as const, confidence: 'observed' as const },
    })),
    {
      name: 'an address between ClusterIPs that no Service has',
      facts: atAddress('203.0.113.99', ['203.0.113.10', '203.0.113.200']),
      expect: { messageId: 'noService', data: { host: '203.0.113.99', detail: text } },
    },
    {
      name: 'an address between two ClusterIPs of one range',
      facts: atAddress('203.0.113.99', ['203.0.10.10', '203.0.200.10']),
      expect: { messageId: 'noService' },
    },
    ...(
      [
        ['above all ClusterIPs, and beside one', '203.0.113.99', ['203.0.113.10']],
        ['above a small range', '203.0.113.200', ['203.0.113.1', '203.0.113.10']],
        ['of a node between two ranges', '203.0.200.5', ['203.0.0.1', '203.1.0.1']],
      ] as const
    ).map(([name, host, ips]) => ({
      name: `an address ${name}`,
      facts: atAddress(host, ips),
      expect: { messageId: 'unreached' as const },
    })),
    {
      name: 'an address between ClusterIPs, if not all Services could be read',
      facts: {
        ...atAddress('203.0.113.99', []),
        services: lookup(
          new Map(
            ['203.0.113.10', '203.0.113.200'].map((clusterIP, at) => [
              `shop/s${at}`,
              service({ clusterIP, clusterIPs: [clusterIP] }, { name: `s${at}` }),
            ]),
          ),
          { others: { what: 'services', why: 'forbidden' } },
        ),
      },
      expect: { messageId: 'unreached' },
    },
    {
      name: 'an address that a Service has',
      facts: atAddress('203.0.113.99', ['203.0.113.10', '203.0.113.99', '203.0.113.200']),
      expect: { messageId: 'unreached' },
    },
    {
      name: 'an address outside of the ClusterIPs, such as that of a node',
      facts: atAddress('203.0.112.99', ['203.0.113.100', '203.0.113.200']),
      expect: { messageId: 'unreached' },
    },
    {
      name: 'an address between the ClusterIPs of two ranges',
      facts: atAddress('203.1.113.99', ['203.0.113.10', '203.16.113.10']),
      expect: { messageId: 'unreached' },
    },
    {
      name: 'an address of IPv6',
      facts: atAddress('[2001:db8::99]', ['203.0.113.10', '203.0.113.200']),
      expect: { messageId: 'unreached' },
    },
  ],
  reportsNothing: [
    {
      name: 'it redirects to an address without a server',
      facts: triedUrl(moved as ProbeConnection, refusedElsewhere),
      outcome: 'pass',
    },
    { name: 'a dry run passes', facts: triedUrl(silent, dryRun()), outcome: 'pass' },
    {
      name: 'its responses are slow for us as well',
      facts: triedUrl(direct(after(6000)), ownError('context deadline exceeded')),
      outcome: 'pass',
    },
    {
      name: 'its response is an error for us',
      facts: triedUrl(direct(http(500, 'boom')), ownError('context deadline exceeded')),
      outcome: 'pass',
    },
    { name: 'it responds', facts: triedUrl(answered), outcome: 'pass' },
    { name: 'the webhook is a Service', facts: tried([allows]), outcome: 'not-applicable' },
    ...quiet.slice(1),
  ],
  isUnknown: blind.map(({ name, facts }) => ({
    name,
    facts: { ...triedUrl(silent), ...(facts.probes && { probes: facts.probes }) },
  })),
});
