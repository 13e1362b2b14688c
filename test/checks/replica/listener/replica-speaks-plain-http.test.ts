import { replicaSpeaksPlainHttp } from '../../../../src/checks/replica/listener/replica-speaks-plain-http.ts';
import { describeFault, ended } from '../../probed.ts';

describeFault(replicaSpeaksPlainHttp, ended({ stage: 'tls', kind: 'plain-http' }));
