import { replicaClosesConnections } from '../../../../src/checks/replica/listener/replica-closes-connections.ts';
import { complete } from '../../../../src/facts/lookup.ts';
import { describeFault, ended, proxySays, tried } from '../../probed.ts';

const closed = ended({ stage: 'tls', kind: 'closed' }, proxySays('EOF'));
const logged = (line: string) => ({
  logs: complete([['shop/policy-1/webhook', line]] as const),
});

describeFault(
  replicaClosesConnections,
  closed,
  [],
  [
    {
      name: 'the panic in the log of a Pod that closes the connection',
      facts: tried([closed], {
        facts: logged(
          '2021/01/07 21:25:33 http: panic serving 127.0.0.1:59656: runtime error: invalid memory address',
        ),
      }),
      expect: {
        messageId: 'panics',
        data: {
          replicas: 'Pod policy-1',
          port: 8443,
          bad: 1,
          total: 1,
          detail: 'runtime error: invalid memory address',
        },
      },
    },
    {
      name: 'it without a panic of a handler in the log',
      facts: tried([closed], { facts: logged('E0107 21:25:33 main.go:1] panic while reading a file') }),
      expect: { messageId: 'all' },
    },
    {
      name: 'a server that supports HTTP/2 only',
      facts: tried([
        ended({ stage: 'tls', kind: 'alert', alert: 'no application protocol' }, proxySays('EOF')),
      ]),
      expect: { messageId: 'protocol', confidence: 'observed' },
    },
  ],
);
