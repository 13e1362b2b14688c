import { urlUnreachable } from '../../../src/checks/routing/url-unreachable.ts';
import type { ProbeConnection } from '../../../src/facts/probes.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { objects, service } from '../../support/snapshot.ts';
import { allows, blind, dryRun, http, quiet, tried, triedUrl } from '../probed.ts';

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
const [moved] = (http(307, '', { location: 'https://hooks.example.com:444/' }).dialogues ?? []).map(
  (connection) => ({ ...connection, way: 'direct' as const }),
);
const [answered] = (allows.dialogues ?? []).map((connection) => ({ ...connection, way: 'direct' as const }));

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
      facts: triedUrl(answered as ProbeConnection, refusedToo),
      expect: { messageId: 'itself', confidence: 'observed' },
    },
    {
      name: 'an address between ClusterIPs that no Service has',
      facts: atAddress('203.0.113.99', ['203.0.113.10', '203.0.113.200']),
      expect: { messageId: 'noService', data: { host: '203.0.113.99', detail: text } },
    },
    {
      name: 'an address above all ClusterIPs, and beside one',
      facts: atAddress('203.0.113.99', ['203.0.113.10']),
      expect: { messageId: 'noService' },
    },
    {
      name: 'an address between two ClusterIPs of one range',
      facts: atAddress('203.1.113.99', ['203.0.113.10', '203.2.113.10']),
      expect: { messageId: 'noService' },
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
    { name: 'it responds', facts: triedUrl(answered as ProbeConnection), outcome: 'pass' },
    { name: 'the webhook is a Service', facts: tried([allows]), outcome: 'not-applicable' },
    ...quiet.slice(1),
  ],
  isUnknown: blind.map(({ name, facts }) => ({
    name,
    facts: { ...triedUrl(silent), ...(facts.probes && { probes: facts.probes }) },
  })),
});
