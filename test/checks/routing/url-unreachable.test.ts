import { urlUnreachable } from '../../../src/checks/routing/url-unreachable.ts';
import type { ProbeConnection } from '../../../src/facts/probes.ts';
import { describeCheck } from '../../support/describe-check.ts';
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
