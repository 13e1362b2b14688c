import { tunnelDown } from '../../../src/checks/network/tunnel-down.ts';
import { allows, describeFault, proxySays, tried } from '../probed.ts';

const lost =
  'proxy error from 127.0.0.1:9345 while dialing 198.51.100.11:8443, code 504: 504 Gateway Timeout';

describeFault(tunnelDown, { ...allows, proxy: proxySays('No agent available') }, [
  { name: 'its agent at the node gets no response', facts: tried([{ ...allows, proxy: proxySays(lost) }]) },
]);
