import { certManager } from '../../../facts/objects/cert-manager.ts';
import type { CertificateSecret } from '../../../facts/objects/certificate-secret.ts';
import { controllerOf } from '../../../facts/workloads/workloads.ts';
import { rotatedSecret } from '../../../products/serving-material.ts';
import { runsInBackend } from '../../../products/writers.ts';
import { dayOf } from '../../../serving-certificates/chains.ts';
import { isServedFrom } from '../../../serving-certificates/reload.ts';
import { materialOf, servingSecret } from '../../../serving-certificates/serving-secret.ts';
import { certificateFaultCheck, createAgain } from './certificate-fault-check.ts';

/** The end of the steps for a Secret that a person writes. */
const thenServeIt =
  '[with] If another CA signed the new certificate, write that CA into the caBundle. [with] Then restart the Pods: `kubectl -n {namespace} rollout restart {workload}`. [end] If a chart or a Job creates the Secret, run `helm upgrade` or a sync instead. [with] If they keep an existing Secret, delete the Secret first: `kubectl -n {namespace} delete secret {secret}`.';

/** True if a controller fills the Secret: its owner, cert-manager, or OpenShift's service CA operator, by its annotation. */
const isControlled = ({ metadata }: CertificateSecret): boolean =>
  controllerOf(metadata) !== undefined ||
  Object.keys(metadata.annotations ?? {}).some(
    (key) => key === certManager.certificateName || /^service\.(?:alpha|beta)\.openshift\.io\//.test(key),
  );

export const servingCertificateExpired = certificateFaultCheck({
  id: 'serving-certificate-expired',
  title: 'Serving certificate has expired',
  why: 'The API server checks the dates before the names and the signature, so an expired certificate hides other errors. Every call over a new connection fails with `x509: certificate has expired or is not yet valid: current time … is after …`.',
  advice:
    '[end] If the program creates the certificate when it starts, restart the program: `kubectl -n {namespace} rollout restart {workload}`. [end] If a chart or a Job creates the certificate, delete its Secret, run `helm upgrade` or a sync, and restart the Pods. [end] If cert-manager issues the certificate, renew its Certificate with `cmctl renew`. [look] To find the program that renews the certificate: `kubectl webhook cert-check {configuration} -o wide`.',
  follows: [
    'served-certificate-differs-from-secret',
    'replicas-serve-different-certificates',
    'certificate-not-issued',
    'certificate-job-failed',
    'certificate-writer-not-running',
    'ca-bundle-overwritten',
    'certificate-writer-not-leader',
    'service-account-lacks-rights',
    'clock-skew',
  ],
  references: [
    'https://www.rfc-editor.org/rfc/rfc5280#section-4.1.2.5',
    'https://cert-manager.io/docs/usage/certificate/#renewal-reissuance',
  ],
  kinds: ['expired'],
  exceptBundle: true,
  text: '{certificate}{position} expired on {day}',
  causes: {
    stored: {
      text: '{certificate} expired on {day}; it is in Secret {kept}, and no program is known to renew it',
      advice: `[end] Issue a certificate for \`{host}\`, and write it into the Secret: \`kubectl -n {namespace} create secret tls {secret} --cert=tls.crt --key=tls.key --dry-run=client -o yaml | kubectl apply -f -\`. ${thenServeIt}`,
    },
    storedOpaque: {
      text: '{certificate} expired on {day}; it is in Secret {kept}, and no program is known to renew it',
      advice: `[look] The labels and annotations of the Secret may show which program creates it: \`kubectl -n {namespace} describe secret {secret}\`. [end] Issue a certificate for \`{host}\`, and write it and its private key into the same keys of the Secret: \`kubectl -n {namespace} edit secret {secret}\`. ${thenServeIt}`,
    },
    inMemory: {
      text: '{certificate} expired on {day}; {renewer} keeps it in memory, and has not renewed it',
      advice:
        '[end] Restart the Pods, which issue a new certificate: `kubectl -n {namespace} rollout restart {workload}`. [with] The timer of the renewal stops while a machine is suspended or migrated.',
    },
    renewed: {
      text: '{certificate} expired on {day}; {renewer} keeps it in Secret {kept}, and has not renewed it',
      advice: createAgain,
    },
    filled: {
      text: '{certificate} expired on {day}; {renewer} writes it into Secret {kept}, and has not renewed it',
      advice:
        '[end] Save the Secret, with its private key: `kubectl -n {namespace} get secret {secret} -o yaml > backup.yaml`. [with] Remove the data, and keep the Secret, without which the Pods do not start: `kubectl -n {namespace} patch secret {secret} --type=json -p \'[{"op":"remove","path":"/data"}]\'`. [with] Restart the Pods, which issue a new certificate: `kubectl -n {namespace} rollout restart {workload}`. [with] Then delete `backup.yaml`.',
    },
  },
  causeOf: ({ chain }, callout, facts) => {
    const rotation = rotatedSecret(callout);
    const kept = servingSecret(callout, facts);
    const isStored = kept?.kind === 'Secret' && isServedFrom(chain, kept);
    // Files that are mounted may replace the certificate in memory.
    const isMounted = (materialOf(callout, facts)?.sources.length ?? 0) > 0;
    if (chain.pod !== undefined && rotation?.authorityOnly === true && !isMounted)
      return { messageId: 'inMemory', data: { renewer: rotation.by }, names: {} };
    if (chain.pod === undefined || kept?.kind !== 'Secret' || !isStored) return undefined;
    if (kept.secret !== undefined && isControlled(kept.secret)) return undefined;
    const names = { secret: kept.name };
    const writes = rotation !== undefined && runsInBackend(rotation, callout) && !rotation.authorityOnly;
    if (writes && kept.name === rotation.secret)
      return {
        messageId: rotation.onlyFills ? 'filled' : 'renewed',
        data: { renewer: rotation.by, kept: kept.key },
        names,
      };
    const messageId = kept.secret?.type === 'kubernetes.io/tls' ? 'stored' : 'storedOpaque';
    return rotation === undefined ? { messageId, data: { kept: kept.key }, names } : undefined;
  },
  data: ({ fault }) => ({ day: dayOf(fault.certificate?.notAfter ?? { text: '' }) }),
});
