import { responseVersionMismatch } from '../../../src/checks/response/response-version-mismatch.ts';
import { describeFault, json, said } from '../probed.ts';

describeFault(
  responseVersionMismatch,
  said(json({ apiVersion: 'admission.k8s.io/v1', kind: 'Status', response: { uid: 'uid', allowed: true } })),
);
