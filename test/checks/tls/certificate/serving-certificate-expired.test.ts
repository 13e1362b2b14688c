import { servingCertificateExpired } from '../../../../src/checks/tls/certificate/serving-certificate-expired.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { inDays } from '../bundles.ts';
import { faultTable, issued } from '../serving.ts';

describeCheck(servingCertificateExpired, faultTable(issued({ server: { notAfter: inDays(-1) } })));
