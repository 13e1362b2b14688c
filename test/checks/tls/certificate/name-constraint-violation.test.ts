import { nameConstraintViolation } from '../../../../src/checks/tls/certificate/name-constraint-violation.ts';
import { testKey } from '../../../oracle/certificate/test-key.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { faultTable, issued } from '../serving.ts';

describeCheck(
  nameConstraintViolation,
  faultTable(
    issued({
      root: { subject: { cn: 'narrow' }, key: testKey('p256', 4), permitted: [{ dns: 'example.com' }] },
    }),
  ),
);
