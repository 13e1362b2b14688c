import { servingCertificateNameMismatch } from '../../../src/checks/tls/serving-certificate-name-mismatch.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { faultTable, issued } from './serving.ts';

describeCheck(
  servingCertificateNameMismatch,
  faultTable(issued({ server: { names: [{ dns: 'policy.shop.svc.cluster.local' }] } })),
);
