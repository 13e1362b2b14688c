import { sniRefused } from '../../../../src/checks/tls/handshake/sni-refused.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { alertCases } from '../alert-cases.ts';

describeCheck(sniRefused, alertCases('unrecognized name'));
