import { responseUnauthorized } from '../../../src/checks/response/response-unauthorized.ts';
import { describeFault, http } from '../probed.ts';

describeFault(responseUnauthorized, http(401, 'who are you'));
