import { responseUidMismatch } from '../../../src/checks/response/response-uid-mismatch.ts';
import { describeFault, json, said } from '../probed.ts';

describeFault(
  responseUidMismatch,
  said(
    json({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: 'other', allowed: true },
    }),
  ),
);
