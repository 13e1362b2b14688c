import { serverHasNoCertificate } from '../../../../src/checks/tls/handshake/server-has-no-certificate.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { alertCases } from '../alert-cases.ts';

describeCheck(serverHasNoCertificate, alertCases('internal error'));
