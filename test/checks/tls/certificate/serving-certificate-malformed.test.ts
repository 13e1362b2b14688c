import { servingCertificateMalformed } from '../../../../src/checks/tls/certificate/serving-certificate-malformed.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { faultTable, issued } from '../serving.ts';

describeCheck(servingCertificateMalformed, faultTable(issued({ server: { serial: -5n } })));
