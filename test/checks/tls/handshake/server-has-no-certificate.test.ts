import { serverHasNoCertificate } from '../../../../src/checks/tls/handshake/server-has-no-certificate.ts';
import { complete } from '../../../../src/facts/lookup.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { pod } from '../../../support/snapshot.ts';
import { alertCases } from '../alert-cases.ts';
import { ended, issued, served } from '../serving.ts';

const { root } = issued();
const { reports, reportsNothing } = alertCases('internal error');

/** Servers without a certificate, whose containers have this variable. */
const withVariable = (name: string, value: string) => ({
  ...served(root, [ended('internal error'), ended('internal error')]),
  pods: complete([
    [
      'shop/policy',
      [pod({ spec: { containers: [{ name: 'discovery', image: 'pilot', env: [{ name, value }] }] } })],
    ],
  ]),
});

describeCheck(serverHasNoCertificate, {
  reports: [
    ...reports,
    {
      name: 'a variable with which the program writes no certificate',
      facts: withVariable('PILOT_CERT_PROVIDER', 'none'),
      expect: {
        messageId: 'switchedOff',
        data: { servers: 'both Pods', setting: 'PILOT_CERT_PROVIDER=none' },
      },
    },
    {
      name: 'a variable with which it writes one',
      facts: withVariable('PILOT_CERT_PROVIDER', 'istiod'),
      expect: { messageId: 'all' },
    },
    {
      name: 'a variable about certificates of clients',
      facts: withVariable('REQUIRE_CLIENT_CERT', 'false'),
      expect: { messageId: 'all' },
    },
  ],
  reportsNothing,
});
