import { responsePatchInvalid } from '../../../src/checks/response/response-patch-invalid.ts';
import { describeFault, patches } from '../probed.ts';

describeFault(responsePatchInvalid, patches([{ op: 'remove', path: '/metadata/labels/none' }]));
