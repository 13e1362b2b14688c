import { weakSignature } from '../../../../src/checks/tls/certificate/weak-signature.ts';
import { testKey } from '../../../oracle/certificate/test-key.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { faultTable, issued } from '../serving.ts';

describeCheck(
  weakSignature,
  faultTable(
    issued({
      root: { subject: { cn: 'old-rsa' }, key: testKey('rsa2048', 0) },
      server: { scheme: 'SHA1-RSA' },
    }),
  ),
);
