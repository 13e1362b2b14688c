import { servingCertificateLegacyCommonName } from '../../../../src/checks/tls/certificate/serving-certificate-legacy-common-name.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { faultTable, issued } from '../serving.ts';

describeCheck(
  servingCertificateLegacyCommonName,
  faultTable(issued({ server: { names: undefined, subject: { cn: 'policy.shop.svc' } } })),
);
