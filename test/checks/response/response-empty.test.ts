import { responseEmpty } from '../../../src/checks/response/response-empty.ts';
import { describeFault, http } from '../probed.ts';

describeFault(responseEmpty, http(200));
