import { apiserviceTlsSkipped } from '../../../src/checks/registration/apiservice-tls-skipped.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { aggregatedApi, webhook } from '../../support/snapshot.ts';

describeCheck(apiserviceTlsSkipped, {
  reports: [
    {
      name: 'insecureSkipTLSVerify',
      facts: { callouts: [aggregatedApi({ insecureSkipTLSVerify: true })] },
      expect: { messageId: 'skipped', data: { api: 'v1beta1.metrics.example.com' } },
    },
  ],
  reportsNothing: [
    { name: 'a caBundle verifies', facts: { callouts: [aggregatedApi()] }, outcome: 'pass' },
    { name: 'there is no APIService', facts: { callouts: [webhook()] }, outcome: 'not-applicable' },
  ],
});
