import { servingCertificateNotYetValid } from '../../../../src/checks/tls/certificate/serving-certificate-not-yet-valid.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { inDays } from '../bundles.ts';
import { faultTable, issued } from '../serving.ts';

describeCheck(servingCertificateNotYetValid, faultTable(issued({ server: { notBefore: inDays(1) } })));
