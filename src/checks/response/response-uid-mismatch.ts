import { responseFaultCheck } from './response-fault-check.ts';

export const responseUidMismatch = responseFaultCheck({
  id: 'response-uid-mismatch',
  title: 'Webhook returns a wrong uid',
  why: '`response.uid` must equal `request.uid` of the review. In v1, a program that omits it or sets its own fails every call.',
  advice:
    '[end] Install a version of the program that copies `request.uid` into `response.uid`. [end] An earlier revision may do so: `kubectl -n {namespace} rollout undo {revised}`. [look] Check the result: `kubectl webhook doctor {configuration}`.',
  fault: 'uid-mismatch',
  returned: 'a review with a wrong uid',
  isPlain: true,
});
