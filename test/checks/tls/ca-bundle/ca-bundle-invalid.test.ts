import { caBundleInvalid } from '../../../../src/checks/tls/ca-bundle/ca-bundle-invalid.ts';
import { pemOf } from '../../../oracle/certificate/make-certificate.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { aggregatedApi, conversion, healthy, webhook } from '../../../support/snapshot.ts';
import { about, anchor, encoded, trusting } from '../bundles.ts';

const refused = 'unable to load root certificates: ';
const service = { namespace: 'shop', name: 'policy', port: 443 };

describeCheck(caBundleInvalid, {
  reports: [
    {
      name: 'words',
      facts: trusting('the certificate goes here'),
      expect: { messageId: 'noPem', data: { error: `${refused}unable to parse bytes as PEM block` } },
    },
    { name: 'white space', facts: trusting('\n'), expect: { messageId: 'blank' } },
    {
      name: 'an indented certificate',
      facts: trusting(anchor(-10, 300).replaceAll(/^/gm, '  ')),
      expect: { messageId: 'noPem' },
    },
    {
      name: 'a certificate in base64 twice',
      facts: trusting(encoded(anchor(-10, 300))),
      expect: { messageId: 'encodedTwice', data: { error: `${refused}unable to parse bytes as PEM block` } },
    },
    {
      name: 'a key',
      facts: trusting(pemOf(Buffer.from('3000', 'hex'), 'EC PRIVATE KEY')),
      expect: {
        messageId: 'otherBlocks',
        data: { blocks: 'EC PRIVATE KEY', error: `${refused}no valid certificate authority data seen` },
      },
    },
    {
      name: 'a certificate that is cut',
      facts: trusting(pemOf(Buffer.from('300102', 'hex'))),
      expect: {
        messageId: 'broken',
        data: { error: `${refused}failed to parse certificate: x509: malformed tbs certificate` },
      },
    },
    {
      name: 'words for a URL',
      facts: about(webhook({ client: { url: 'https://hooks.example.com', caBundle: encoded('words') } })),
      expect: { messageId: 'noPem' },
    },
    {
      name: 'words for a conversion webhook',
      facts: about(conversion({ client: { service, caBundle: encoded('words') } })),
      expect: { messageId: 'noPem' },
    },
  ],
  reportsNothing: [
    { name: 'a certificate is there', facts: trusting(anchor(-10, 300)), outcome: 'pass' },
    { name: 'it has expired', facts: trusting(anchor(-300, -10)), outcome: 'pass' },
    {
      name: 'a broken one is beside it',
      facts: trusting(`${pemOf(Buffer.from('3000', 'hex'))}${anchor(-10, 300)}`),
    },
    { name: 'words stand around it', facts: trusting(`# ours\n${anchor(-10, 300)}end`) },
    { name: 'nothing is there', facts: trusting('') },
    {
      name: 'white space is there for a CRD',
      facts: about(conversion({ client: { service, caBundle: encoded('\n') } })),
    },
    {
      name: 'certificates are not verified',
      facts: about(
        aggregatedApi({ insecureSkipTLSVerify: true, client: { service, caBundle: encoded('words') } }),
      ),
      outcome: 'not-applicable',
    },
    { name: 'all is well', facts: healthy(), outcome: 'pass' },
  ],
});
