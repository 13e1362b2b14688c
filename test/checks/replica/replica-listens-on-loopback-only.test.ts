import { replicaListensOnLoopbackOnly } from '../../../src/checks/replica/replica-listens-on-loopback-only.ts';
import { allows, describeFault, proxySays } from '../probed.ts';

describeFault(replicaListensOnLoopbackOnly, {
  ...allows,
  proxy: proxySays('dial tcp 198.51.100.11:8443: connect: connection refused'),
});
