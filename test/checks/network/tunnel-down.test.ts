import { tunnelDown } from '../../../src/checks/network/tunnel-down.ts';
import { aggregatedApi } from '../../support/snapshot.ts';
import { allows, describeFault, proxySays, type Tried, tried } from '../probed.ts';

const lost =
  'proxy error from 127.0.0.1:9345 while dialing 198.51.100.11:8443, code 504: 504 Gateway Timeout';

const answers: readonly Tried[] = [allows, allows];
const unavailable = (error: string) =>
  tried(answers, {
    discovery: { status: 503, message: 'service unavailable', milliseconds: 2 },
    facts: {
      callouts: [
        aggregatedApi({
          conditions: [
            {
              type: 'Available',
              status: 'False',
              reason: 'FailedDiscoveryCheck',
              message: `failing or missing response from https://198.51.100.20:10250/apis/metrics.example.com/v1beta1: Get "https://198.51.100.20:10250/apis/metrics.example.com/v1beta1": ${error}`,
            },
          ],
        }),
      ],
    },
  });

describeFault(
  tunnelDown,
  { ...allows, proxy: proxySays('No agent available') },
  [
    { name: 'its agent at the node gets no response', facts: tried([{ ...allows, proxy: proxySays(lost) }]) },
    { name: 'an APIService is not Available for another reason', facts: unavailable('EOF') },
    {
      name: 'the Pod at the end of the tunnel refuses the connection of the API server',
      facts: unavailable('ssh: rejected: connect failed (Connection refused)'),
    },
    { name: 'the Pod at the end of the tunnel does not respond to the API server', facts: unavailable(lost) },
  ],
  [
    {
      name: 'the reason of an APIService, though all replicas answer',
      facts: unavailable('No agent available'),
      expect: { messageId: 'own', data: { detail: 'No agent available' }, confidence: 'observed' },
    },
  ],
);
