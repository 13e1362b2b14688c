import { unhandledCriticalExtension } from '../../../../src/checks/tls/certificate/unhandled-critical-extension.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { faultTable, issued } from '../serving.ts';

describeCheck(
  unhandledCriticalExtension,
  faultTable(issued({ server: { extra: [{ id: '1.2.3.4', critical: true, value: Buffer.from([5, 0]) }] } })),
);
