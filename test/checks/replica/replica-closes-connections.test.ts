import { replicaClosesConnections } from '../../../src/checks/replica/replica-closes-connections.ts';
import { describeFault, ended, proxySays } from '../probed.ts';

describeFault(replicaClosesConnections, ended({ stage: 'tls', kind: 'closed' }, proxySays('EOF')));

describeFault(
  replicaClosesConnections,
  ended({ stage: 'tls', kind: 'alert', alert: 'no application protocol' }, proxySays('EOF')),
);
