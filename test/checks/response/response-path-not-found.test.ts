import { responsePathNotFound } from '../../../src/checks/response/response-path-not-found.ts';
import { describeFault, http } from '../probed.ts';

describeFault(responsePathNotFound, http(404, '404 page not found'));
