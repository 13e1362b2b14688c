import { clientCertificateDemanded } from '../../../../src/checks/tls/handshake/client-certificate-demanded.ts';
import { calloutId } from '../../../../src/facts/callout.ts';
import { complete } from '../../../../src/facts/lookup.ts';
import type { Facts } from '../../../../src/facts/snapshot.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { aggregatedApi, conversion } from '../../../support/snapshot.ts';
import { alertCases } from '../alert-cases.ts';
import { ended, endedLater, issued, probes, served, trusted } from '../serving.ts';

const alert = 'certificate required';
const cases = alertCases(alert);
const good = issued();
const api = aggregatedApi();
const callout = trusted(good.root);
const post = 'Post "https://policy.shop.svc:443/validate?timeout=10s"';
const refused = {
  operation: 'CREATE',
  resource: 'configmaps',
  status: 500,
  message: `Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: ${post}: remote error: tls: ${alert}`,
  milliseconds: 5,
};
/** The API server was refused as well. */
const refusedToo = (facts: Partial<Facts>): Partial<Facts> => ({
  ...facts,
  probes: complete(
    [...(facts.probes?.entries() ?? [])].map(([id, found]) => [id, { ...found, dryRun: refused }]),
  ),
});
const other = conversion({ client: callout.client });
const dryRun = { operation: 'CREATE', resource: 'configmaps', status: 201, message: '', milliseconds: 5 };

describeCheck(clientCertificateDemanded, {
  reports: [
    ...cases.reports.map((one) => ({ ...one, facts: refusedToo(one.facts) })),
    {
      name: 'a server that says under TLS 1.2 no more than that the handshake failed',
      facts: refusedToo(served(good.root, [endedLater('handshake failure')])),
      expect: { messageId: 'all' },
    },
    {
      name: 'that only we were refused, and the API server made no call',
      facts: served(good.root, [ended(alert), ended(alert)]),
      expect: { messageId: 'unproven', data: { servers: 'both Pods' } },
    },
    {
      name: 'a conversion webhook, to which no certificate is ever presented',
      facts: { callouts: [other], probes: complete([[calloutId(other), probes([ended(alert)])]]) },
      expect: { messageId: 'all' },
    },
  ],
  reportsNothing: [
    ...cases.reportsNothing,
    {
      name: 'a handshake fails before the hellos',
      facts: served(good.root, [ended('handshake failure')]),
      outcome: 'pass',
    },
    {
      name: 'an APIService is called with a client certificate',
      facts: { callouts: [api], probes: complete([[calloutId(api), probes([ended(alert)])]]) },
    },
    {
      name: 'a dry run had to pass the webhook, and did',
      facts: {
        callouts: [callout],
        probes: complete([[calloutId(callout), probes([ended(alert)], { dryRun })]]),
      },
    },
  ],
});
