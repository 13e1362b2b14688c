import { clientCertificateDemanded } from '../../../src/checks/tls/client-certificate-demanded.ts';
import { calloutId } from '../../../src/facts/callout.ts';
import { complete } from '../../../src/facts/lookup.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { aggregatedApi } from '../../support/snapshot.ts';
import { ended, endedLater, issued, probes, served, trusted } from './serving.ts';

const good = issued();
const api = aggregatedApi();
const callout = trusted(good.root);
const dryRun = { operation: 'CREATE', resource: 'configmaps', status: 201, message: '', milliseconds: 5 };

describeCheck(clientCertificateDemanded, {
  reports: [
    {
      name: 'all replicas',
      facts: served(good.root, [ended('certificate required'), ended('certificate required')]),
      expect: { messageId: 'all', data: { who: 'Both replicas' }, confidence: 'observed' },
    },
    {
      name: 'a server that says under TLS 1.2 no more than that the handshake failed',
      facts: served(good.root, [endedLater('handshake failure')]),
      expect: { messageId: 'all' },
    },
    {
      name: 'one of two',
      facts: served(good.root, [ended('certificate required'), { presented: good.presented }]),
      expect: { messageId: 'some', data: { who: 'Pod shop/policy-1' } },
    },
    {
      name: 'one that gets no calls',
      facts: served(good.root, [
        { ...ended('certificate required'), ready: false },
        { presented: good.presented },
      ]),
      expect: { messageId: 'spare' },
    },
  ],
  staysSilent: [
    {
      name: 'a handshake fails before the hellos',
      facts: served(good.root, [ended('handshake failure')]),
      outcome: 'pass',
    },
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
    { name: 'nobody connected', facts: { callouts: [trusted(good.root)] }, outcome: 'not-applicable' },
    {
      name: 'an APIService is called with a client certificate',
      facts: {
        callouts: [api],
        probes: complete([[calloutId(api), probes([ended('certificate required')])]]),
      },
    },
    {
      name: 'a dry run had to pass the webhook, and did',
      facts: {
        callouts: [callout],
        probes: complete([[calloutId(callout), probes([ended('certificate required')], { dryRun })]]),
      },
    },
  ],
});
