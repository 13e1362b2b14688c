import { serverHasNoCertificate } from '../../../src/checks/tls/server-has-no-certificate.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { ended, issued, served, trusted } from './serving.ts';

const good = issued();

describeCheck(serverHasNoCertificate, {
  reports: [
    {
      name: 'all replicas',
      facts: served(good.root, [ended('internal error'), ended('internal error')]),
      expect: { messageId: 'all', data: { who: 'Both replicas' }, confidence: 'observed' },
    },
    {
      name: 'one of two',
      facts: served(good.root, [ended('internal error'), { presented: good.presented }]),
      expect: { messageId: 'some', data: { who: 'Pod shop/policy-1' } },
    },
    {
      name: 'one that gets no calls',
      facts: served(good.root, [{ ...ended('internal error'), ready: false }, { presented: good.presented }]),
      expect: { messageId: 'spare' },
    },
  ],
  staysSilent: [
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
