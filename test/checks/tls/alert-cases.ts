import { calloutId } from '../../../src/facts/callout.ts';
import { complete } from '../../../src/facts/lookup.ts';
import { healthy } from '../../support/snapshot.ts';
import { dryRun, triedUrl } from '../probed.ts';
import { ended, issued, probes, served, trusted } from './serving.ts';

const good = issued();

/** The probe completes the handshake, and the API server's own handshake ends with this alert. */
const ownCallEnded = (alert: string) => {
  const detail = `Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: Post "https://policy.shop.svc:443/validate?timeout=10s": remote error: tls: ${alert}`;
  const callout = trusted(good.root);
  const seen = probes([{ presented: good.presented }], { dryRun: dryRun(detail) });
  return healthy({ callouts: [callout], probes: complete([[calloutId(callout), seen]]) });
};

/** The handshake with the server at a URL ends with this alert. */
const endedAtUrl = (alert: string) => {
  const [connection] = probes([ended(alert)]).replicas.flatMap(({ dialogues }) => dialogues);
  return healthy(connection === undefined ? {} : triedUrl(connection));
};

/** Replicas whose handshake ends with this alert: the cases of every check of one alert. */
export const alertCases = (alert: string) =>
  ({
    reports: [
      {
        name: 'all replicas',
        facts: served(good.root, [ended(alert), ended(alert)]),
        expect: { messageId: 'all', data: { servers: 'both Pods' }, confidence: 'observed' },
      },
      {
        name: 'one of two',
        facts: served(good.root, [ended(alert), { presented: good.presented }]),
        expect: { messageId: 'some', data: { servers: 'Pod shop/policy-1' } },
      },
      {
        name: 'one that gets no calls',
        facts: served(good.root, [{ ...ended(alert), ready: false }, { presented: good.presented }]),
        expect: { messageId: 'spare' },
      },
      {
        name: 'the server at a URL',
        facts: endedAtUrl(alert),
        expect: { messageId: 'all', data: { servers: 'the server at the URL' } },
      },
    ],
    reportsNothing: [
      {
        name: 'the handshake goes well',
        facts: served(good.root, [{ presented: good.presented }]),
        outcome: 'pass',
      },
      {
        name: 'it ends in another alert',
        facts: served(good.root, [ended('some other one')]),
        outcome: 'pass',
      },
      {
        name: 'there was no connection',
        facts: { callouts: [trusted(good.root)] },
        outcome: 'not-applicable',
      },
    ],
  }) as const;

/** The same for an alert that may depend on what this API server offers. */
export const withOwnCall = (alert: string) => {
  const { reports, reportsNothing } = alertCases(alert);
  return {
    reports: [
      ...reports,
      {
        name: 'an API server that offers less than the probe did, as one in FIPS mode does',
        facts: ownCallEnded(alert),
        expect: {
          messageId: 'ownCall',
          data: { agreed: 'TLSv1.3 TLS_AES_128_GCM_SHA256' },
          confidence: 'observed',
        },
      },
    ],
    reportsNothing: [
      ...reportsNothing,
      {
        name: 'the own call of the API server ends in another alert',
        facts: ownCallEnded('some other one'),
        outcome: 'pass',
      },
    ],
  } as const;
};
