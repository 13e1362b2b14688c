import { cipherUnsupported } from '../../../src/checks/tls/cipher-unsupported.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { ended, endedLater, issued, served, trusted } from './serving.ts';

const good = issued();

describeCheck(cipherUnsupported, {
  reports: [
    {
      name: 'all replicas',
      facts: served(good.root, [ended('handshake failure'), ended('handshake failure')]),
      expect: { messageId: 'all', data: { who: 'Both replicas' }, confidence: 'observed' },
    },
    {
      name: 'one of two',
      facts: served(good.root, [ended('handshake failure'), { presented: good.presented }]),
      expect: { messageId: 'some', data: { who: 'Pod shop/policy-1' } },
    },
    {
      name: 'one that gets no calls',
      facts: served(good.root, [
        { ...ended('handshake failure'), ready: false },
        { presented: good.presented },
      ]),
      expect: { messageId: 'spare' },
    },
  ],
  staysSilent: [
    {
      name: 'protocol and cipher suite were agreed',
      facts: served(good.root, [endedLater('handshake failure')]),
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
  ],
});
