import { responseNotAReview } from '../../../src/checks/response/response-not-a-review.ts';
import { describeFault, http } from '../probed.ts';

describeFault(responseNotAReview, http(200, '<html></html>'));
