import { servingCertificateWrongUsage } from '../../../../src/checks/tls/certificate/serving-certificate-wrong-usage.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { faultTable, issued } from '../serving.ts';

describeCheck(servingCertificateWrongUsage, faultTable(issued({ server: { usages: ['client'] } })));
