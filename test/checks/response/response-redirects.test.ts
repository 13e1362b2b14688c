import { responseRedirects } from '../../../src/checks/response/response-redirects.ts';
import { describeFault, http } from '../probed.ts';

describeFault(responseRedirects, http(302, '', { location: 'https://localhost/elsewhere' }));
