import { caNotAllowedToSign } from '../../../../src/checks/tls/certificate/ca-not-allowed-to-sign.ts';
import { testKey } from '../../../oracle/certificate/test-key.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { faultTable, issued } from '../serving.ts';

describeCheck(
  caNotAllowedToSign,
  faultTable(
    issued({ root: { subject: { cn: 'no-ca' }, key: testKey('p256', 4), authority: { isCa: false } } }),
  ),
);
