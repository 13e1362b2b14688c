import { tunnelDown } from '../../../src/checks/network/tunnel-down.ts';
import { allows, describeFault, proxySays } from '../probed.ts';

describeFault(tunnelDown, { ...allows, proxy: proxySays('No agent available') });
