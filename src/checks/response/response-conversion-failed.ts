import { responseFaultCheck } from './response-fault-check.ts';

export const responseConversionFailed = responseFaultCheck({
  id: 'response-conversion-failed',
  title: 'Conversion webhook does not convert the object',
  explains: { 'conversion-refused': 1, 'conversion-unsupported': 1, 'response-invalid': 4 },
  why: 'The webhook reports an error in `response.result`, often because the CRD lists a version that this release of the program does not support, or it returns another object than requested. A conversion has no failurePolicy, so the read or write fails.',
  advice:
    'Compare the versions of the CRD with those that the program supports: `kubectl get {kind} {configuration} -o yaml`. Install the CRD and the program of the same release. If no client needs the unsupported version, set `served: false` for it: `kubectl edit {kind} {configuration}`.',
  fault: 'conversion-failed',
  returned: 'a conversion error',
  references: [
    '/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#write-a-conversion-webhook-server',
  ],
});
