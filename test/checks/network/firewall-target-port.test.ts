import { firewallTargetPort } from '../../../src/checks/network/firewall-target-port.ts';
import { allows, describeFault, proxySays } from '../probed.ts';

describeFault(firewallTargetPort, {
  ...allows,
  proxy: proxySays('dial tcp 198.51.100.11:8443: i/o timeout'),
});
