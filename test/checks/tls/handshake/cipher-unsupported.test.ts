import { cipherUnsupported } from '../../../../src/checks/tls/handshake/cipher-unsupported.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { withOwnCall } from '../alert-cases.ts';
import { endedLater, issued, served } from '../serving.ts';

const alert = 'handshake failure';
const cases = withOwnCall(alert);

describeCheck(cipherUnsupported, {
  ...cases,
  reportsNothing: [
    {
      name: 'protocol and cipher suite were agreed',
      facts: served(issued().root, [endedLater(alert)]),
      outcome: 'pass',
    },
    ...cases.reportsNothing,
  ],
});
