import { responseServerError } from '../../../src/checks/response/response-server-error.ts';
import { describeFault, http } from '../probed.ts';

describeFault(responseServerError, http(500, 'nil pointer'));
