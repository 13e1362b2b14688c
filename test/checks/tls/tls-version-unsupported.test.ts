import { tlsVersionUnsupported } from '../../../src/checks/tls/tls-version-unsupported.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { alertCases } from './alert-cases.ts';

describeCheck(tlsVersionUnsupported, alertCases('protocol version not supported'));
