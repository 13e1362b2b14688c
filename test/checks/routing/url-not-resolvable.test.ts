import { urlNotResolvable } from '../../../src/checks/routing/url-not-resolvable.ts';
import type { ProbeConnection } from '../../../src/facts/probes.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { allows, blind, dryRun, quiet, tried, triedUrl } from '../probed.ts';

const text = 'getaddrinfo ENOTFOUND hooks.example.com';
const unresolved: ProbeConnection = {
  way: 'direct',
  reviews: [],
  failure: { stage: 'connect', kind: 'unresolved', text, milliseconds: 1 },
};
const noHost = dryRun(
  'Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: Post "https://hooks.example.com/validate?timeout=10s": dial tcp: lookup hooks.example.com on 192.0.2.1:53: no such host',
);
const [answered] = (allows.dialogues ?? []).map((connection) => ({ ...connection, way: 'direct' as const }));

describeCheck(urlNotResolvable, {
  reports: [
    {
      name: 'a name that neither we nor the API server know',
      facts: triedUrl(unresolved, noHost),
      expect: { messageId: 'unresolved', confidence: 'observed' },
    },
    { name: 'a name that we do not know', facts: triedUrl(unresolved), expect: { messageId: 'here' } },
    {
      name: 'a URL that answers us, under a name that the API server does not know',
      facts: triedUrl(answered as ProbeConnection, noHost),
      expect: { messageId: 'itself', confidence: 'observed' },
    },
  ],
  reportsNothing: [
    { name: 'a dry run passes', facts: triedUrl(unresolved, dryRun()), outcome: 'pass' },
    { name: 'it responds', facts: triedUrl(answered as ProbeConnection), outcome: 'pass' },
    { name: 'the webhook is a Service', facts: tried([allows]), outcome: 'not-applicable' },
    ...quiet.slice(1),
  ],
  isUnknown: blind.map(({ name, facts }) => ({
    name,
    facts: { ...triedUrl(unresolved), ...(facts.probes && { probes: facts.probes }) },
  })),
});
