import { addressNotAllowed } from '../../../src/checks/network/address-not-allowed.ts';
import { allows, describeFault, proxySays } from '../probed.ts';

describeFault(addressNotAllowed, { ...allows, proxy: proxySays('Address is not allowed') });
