import { secretCaDiffersFromCaBundle } from '../../../../src/checks/tls/secret/secret-ca-differs-from-ca-bundle.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { forbidden } from '../../../support/unread.ts';
import { anotherRoot, issued, kept, pem, secret, silent } from '../serving.ts';

const good = issued();
const long = issued({}, 1);

const other = anotherRoot('new-ca');

describeCheck(secretCaDiffersFromCaBundle, {
  reports: [
    {
      name: 'a CA that the bundle lacks',
      facts: kept(good.root, secret({ 'tls.crt': pem(other.presented), 'ca.crt': other.root })),
      expect: {
        messageId: 'breaks',
        data: { authority: 'new-ca', secretOrConfigMap: 'Secret shop/policy-tls' },
      },
    },
    {
      name: 'a root above the intermediate that the bundle holds',
      facts: kept(
        pem(long.presented.slice(1)),
        secret({ 'tls.crt': pem(long.presented), 'ca.crt': long.root }),
      ),
      expect: { messageId: 'differs' },
    },
  ],
  reportsNothing: [
    ...silent(),
    {
      name: 'the bundle holds it',
      facts: kept(good.root, secret({ 'tls.crt': pem(good.presented), 'ca.crt': good.root })),
      outcome: 'pass',
    },
    {
      name: 'what lies beside it signed something else',
      facts: kept(good.root, secret({ 'tls.crt': pem(good.presented), 'ca.crt': other.root })),
      outcome: 'pass',
    },
    {
      name: 'the bundle holds the certificate itself, as that of Crossplane does',
      facts: kept(
        pem(good.presented.slice(0, 1)),
        secret({ 'tls.crt': pem(good.presented), 'ca.crt': good.root }),
      ),
      outcome: 'pass',
    },
    {
      name: 'there is no bundle',
      facts: kept('', secret({ 'tls.crt': pem(other.presented), 'ca.crt': other.root })),
      outcome: 'pass',
    },
  ],
  isUnknown: [
    {
      name: 'the Secret may not be read',
      facts: kept(good.root, undefined, { secrets: forbidden('secrets') }),
    },
  ],
});
