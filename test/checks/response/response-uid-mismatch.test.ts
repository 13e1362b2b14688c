import { responseUidMismatch } from '../../../src/checks/response/response-uid-mismatch.ts';
import { describeFault, json, responding } from '../probed.ts';

describeFault(
  responseUidMismatch,
  responding(
    json({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: 'other', allowed: true },
    }),
  ),
);
