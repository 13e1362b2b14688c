import { tlsVersionUnsupported } from '../../../../src/checks/tls/handshake/tls-version-unsupported.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { withOwnCall } from '../alert-cases.ts';

describeCheck(tlsVersionUnsupported, withOwnCall('protocol version not supported'));
