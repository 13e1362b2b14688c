import { clientCertificateDemanded } from '../../../src/checks/tls/client-certificate-demanded.ts';
import { calloutId } from '../../../src/facts/callout.ts';
import { complete } from '../../../src/facts/lookup.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { aggregatedApi } from '../../support/snapshot.ts';
import { alertCases } from './alert-cases.ts';
import { ended, endedLater, issued, probes, served, trusted } from './serving.ts';

const alert = 'certificate required';
const cases = alertCases(alert);
const good = issued();
const api = aggregatedApi();
const callout = trusted(good.root);
const dryRun = { operation: 'CREATE', resource: 'configmaps', status: 201, message: '', milliseconds: 5 };

describeCheck(clientCertificateDemanded, {
  reports: [
    ...cases.reports,
    {
      name: 'a server that says under TLS 1.2 no more than that the handshake failed',
      facts: served(good.root, [endedLater('handshake failure')]),
      expect: { messageId: 'all' },
    },
  ],
  staysSilent: [
    ...cases.staysSilent,
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
