import { replicaHangs } from '../../../../src/checks/replica/listener/replica-hangs.ts';
import { describeFault, ended, proxySays } from '../../probed.ts';

describeFault(replicaHangs, ended({ stage: 'tls', kind: 'timed-out' }, proxySays('')));
