import { responseRedirects } from '../../../src/checks/response/response-redirects.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { allows, describeFault, dryRun, http, tried } from '../probed.ts';

describeFault(responseRedirects, http(302, '', { location: 'https://localhost/elsewhere' }));

const sendsOn = http(308, '', { location: 'https://hooks.example.com/moved' });
const failed = dryRun(
  'Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: Post "https://hooks.example.com/moved": dial tcp 203.0.113.9:443: connect: connection refused',
);

describeCheck(responseRedirects, {
  reports: [
    {
      name: 'a POST that is sent on to where it fails',
      facts: tried([sendsOn, sendsOn], { dryRun: failed }),
      expect: { messageId: 'all', confidence: 'observed' },
    },
    {
      name: 'one replica of two that sends it on',
      facts: tried([allows, sendsOn], { dryRun: failed }),
      expect: { messageId: 'some', confidence: 'observed' },
    },
  ],
  reportsNothing: [
    {
      name: 'a POST that is sent on to where it is answered',
      facts: tried([sendsOn], { dryRun: dryRun() }),
      outcome: 'pass',
    },
    { name: 'a POST that is redirected, to an untested target', facts: tried([sendsOn]), outcome: 'pass' },
    {
      name: 'a call that fails without a redirect',
      facts: tried([allows], { dryRun: failed }),
      outcome: 'pass',
    },
  ],
  isUnknown: [],
});
