import { responseVersionMismatch } from '../../../src/checks/response/response-version-mismatch.ts';
import { describeFault, json, responding } from '../probed.ts';

describeFault(
  responseVersionMismatch,
  responding(
    json({ apiVersion: 'admission.k8s.io/v1', kind: 'Status', response: { uid: 'uid', allowed: true } }),
  ),
);
