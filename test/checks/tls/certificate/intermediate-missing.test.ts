import { intermediateMissing } from '../../../../src/checks/tls/certificate/intermediate-missing.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { anotherRoot, issued, kept, pem, secret, served, silent } from '../serving.ts';

const long = issued({}, 1);
const [leaf = Buffer.alloc(0)] = long.presented;
const quiet = issued({}, 1);

const without = { presented: [leaf] };
const fine = { presented: long.presented };
const plain = issued();

describeCheck(intermediateMissing, {
  reports: [
    {
      name: 'a leaf whose issuer calls itself an intermediate',
      facts: served(long.root, [without]),
      expect: { messageId: 'all' },
    },
    {
      name: 'one of two, the other of another authority',
      facts: served(long.root + plain.root, [without, { presented: plain.presented }]),
      expect: { messageId: 'some' },
    },
    {
      name: 'one that gets no calls',
      facts: served(long.root + plain.root, [{ ...without, ready: false }, { presented: plain.presented }]),
      expect: { messageId: 'spare' },
    },
    {
      name: 'an intermediate that lies in the Secret under another name',
      facts: kept(long.root, secret({ 'tls.crt': pem([leaf]), 'chain.pem': pem(long.presented.slice(1)) })),
      expect: {
        messageId: 'allFound',
        data: {
          certificate: 'The certificate in Secret shop/policy-tls',
          issuer: 'intermediate-1',
          where: 'in Secret shop/policy-tls',
        },
      },
    },
    {
      name: 'one that another replica presents',
      facts: served(long.root, [without, fine]),
      expect: { messageId: 'someFound' },
    },
    {
      name: 'one that another replica presents, without calls',
      facts: served(long.root, [{ ...without, ready: false }, fine]),
      expect: { messageId: 'spareFound' },
    },
    {
      name: 'a leaf whose Secret holds the root that the bundle holds',
      facts: kept(quiet.root, secret({ 'tls.crt': pem(quiet.presented.slice(0, 1)), 'ca.crt': quiet.root })),
      expect: { messageId: 'all', confidence: 'derived' },
    },
  ],
  reportsNothing: [
    ...silent(),
    { name: 'the chain is whole', facts: served(long.root, [fine]), outcome: 'pass' },
    {
      name: 'the bundle holds the intermediate',
      facts: served(pem(long.presented.slice(1)), [without]),
      outcome: 'pass',
    },
    {
      name: 'another authority signed it',
      facts: served(long.root, [{ presented: anotherRoot('other').presented }]),
      outcome: 'pass',
    },
  ],
});
