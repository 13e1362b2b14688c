import { weakKey } from '../../../../src/checks/tls/certificate/weak-key.ts';
import { testKey } from '../../../oracle/certificate/test-key.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { faultTable, issued } from '../serving.ts';

describeCheck(weakKey, faultTable(issued({ server: { key: testKey('rsa768', 1) } })));
