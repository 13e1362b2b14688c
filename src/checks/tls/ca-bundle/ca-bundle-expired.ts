import { anchorsAt } from '../../../apiserver/certificate/anchors.ts';
import type { Certificate } from '../../../apiserver/certificate/certificate.ts';
import type { Callout } from '../../../facts/callout.ts';
import { certManager } from '../../../facts/objects/cert-manager.ts';
import { isOfBundle, placeOfTrust, reportedFault } from '../../../serving-certificates/certificate-faults.ts';
import {
  anchorsOf,
  type ChainFacts,
  certificateName,
  chainFacts,
  dayOf,
  expiredSince,
  knownChains,
  validityEvidence,
  verified,
} from '../../../serving-certificates/chains.ts';
import { servingSecret } from '../../../serving-certificates/serving-secret.ts';
import { defineCheck, note } from '../../check.ts';

/** True if the Pods serve the certificate of the caBundle itself, as charts and scripts create it. */
function isServed(anchor: Certificate, callout: Callout, facts: ChainFacts): boolean {
  const chains = knownChains(callout, facts);
  return chains.length > 0 && chains.every(({ presented: [first] }) => first && anchor.raw.equals(first));
}

/** The expired CA in the caBundle that signed the presented certificate, if no other CA accepts it. */
function expiredSigner(callout: Callout, facts: ChainFacts) {
  if (knownChains(callout, facts).length === 0) return undefined;
  const fault = reportedFault(
    callout,
    facts,
    (fault) => fault.kind === 'expired' && isOfBundle(fault, callout, facts.version),
  );
  const anchor = fault?.first.fault.certificate;
  return fault === undefined || anchor === undefined || fault.extent !== 'all'
    ? undefined
    : { fault, anchor };
}

const untilValid =
  '[look] Compare the date with the clock of the API server: `date -u` on a control plane node. [end] If the clock is right, add the previous CA to `caBundle` until then: `kubectl edit {kind} {configuration}`.';

export const caBundleExpired = defineCheck({
  meta: {
    id: 'ca-bundle-expired',
    title: 'Certificate in the caBundle is not valid now',
    consequence: 'failing',
    why: 'The certificates in the caBundle are trust anchors, and the API server checks their dates: whatever the Pods serve, the call fails with `x509: certificate has expired or is not yet valid: current time … is after …`. An expired certificate next to a valid one is harmless, unless it signed the serving certificate.',
    advice:
      '[look] Find the manager of `caBundle`, which must renew the CA: `kubectl get {kind} {configuration} -o yaml --show-managed-fields`. [end] If no program manages `caBundle`, renew the CA, and write the new CA certificate to `caBundle`: `kubectl edit {kind} {configuration}`. [look] Check whether the serving certificate is still accepted: `kubectl webhook cert-check {configuration}`. [end] If the serving certificate is not accepted, issue a new one as well, and restart the Pods: `kubectl -n {namespace} rollout restart {workload}`.',
    messages: {
      expired: 'The certificate in the caBundle, {name}, expired on {day}',
      served: {
        text: 'The serving certificate, {name}, which the caBundle contains, too, expired on {day}',
        advice:
          '[end] If a chart creates both, create them again: `helm upgrade`, or a sync of its GitOps application. [end] Otherwise issue a new certificate, and write it with its key to the Secret of the Pods: `kubectl -n {namespace} edit secret {secret}`. [with] Write the certificate to `caBundle`, too: `kubectl edit {kind} {configuration}`. [with] Then restart the Pods: `kubectl -n {namespace} rollout restart {workload}`.',
      },
      issued: {
        text: 'The serving certificate, {name}, which cert-manager issues and the caBundle contains, too, expired on {day}',
        follows: ['certificate-not-issued'],
        advice:
          '[look] Find out why cert-manager has not renewed the certificate: `kubectl -n {namespace} describe certificate {certificate}`. [look] Check whether the controller of cert-manager runs: `kubectl get deployments,pods -A -l app.kubernetes.io/name=cert-manager`. [look] When the certificate is renewed, check whether the caBundle contains the new one: `kubectl webhook cert-check {configuration}`.',
      },
      allExpired:
        'All {count} certificates in the caBundle have expired; the last one, {name}, expired on {day}',
      notYetValid: {
        text: 'The certificate in the caBundle, {name}, is not valid before {day}',
        advice: untilValid,
      },
      noneValid: {
        text: 'None of the {count} certificates in the caBundle is valid now; {name} is valid from {day}',
        advice: untilValid,
      },
      signerExpired:
        '{certificate} chains to {name} in the caBundle, which expired on {day}; the other certificates there did not sign it',
      someExpired: note(
        '{expired} of {count} certificates in the caBundle have expired; the others are valid',
        'Remove the expired certificates from `caBundle` at the next change: `kubectl edit {kind} {configuration}`.',
      ),
    },
    references: [
      'https://www.rfc-editor.org/rfc/rfc5280#section-4.1.2.5',
      'https://cert-manager.io/docs/configuration/ca/#important-information',
    ],
  },
  requires: chainFacts,
  subjects: verified,
  run(callout, facts, find) {
    const { version } = facts;
    const anchors = anchorsOf(callout, version);
    const { valid, expired, notYetValid } = anchorsAt(anchors, facts.takenAt);
    const count = anchors.length;
    if (valid.length > 0) {
      const signer = valid.length === count ? undefined : expiredSigner(callout, facts);
      if (signer !== undefined) {
        const { fault, anchor } = signer;
        const data = {
          certificate: fault.certificate,
          name: certificateName(anchor),
          day: dayOf(anchor.notAfter),
        };
        const detail = [...fault.evidence, ...validityEvidence(callout, [anchor])];
        return fault.complete(find('signerExpired', data, detail, fault.confidence));
      }
      if (expired.length === 0) return undefined;
      return find('someExpired', { expired: expired.length, count }, validityEvidence(callout, expired));
    }
    const evidence = validityEvidence(callout, anchors);
    const place = placeOfTrust(callout, facts);
    const coming = notYetValid.toSorted((a, b) => a.notBefore.at - b.notBefore.at)[0];
    if (coming !== undefined) {
      const data = { name: certificateName(coming), day: dayOf(coming.notBefore) };
      const found =
        count === 1 ? find('notYetValid', data, evidence) : find('noneValid', { ...data, count }, evidence);
      return { ...found, place };
    }
    const last = expired.toSorted((a, b) => b.notAfter.at - a.notAfter.at)[0];
    if (last === undefined) return undefined;
    const data = { name: certificateName(last), day: dayOf(last.notAfter) };
    const since = { since: expiredSince(expired) };
    if (count > 1) return { ...find('allExpired', { ...data, count }, evidence), place, ...since };
    const { name: secret, secret: held, unread } = servingSecret(callout, facts) ?? {};
    // Only the Secret shows whether cert-manager writes it, which overwrites what others write.
    const isKnown = unread === undefined || unread.why === 'not-requested';
    if (!isKnown || !isServed(last, callout, facts))
      return { ...find('expired', data, evidence), place, ...since };
    const certificate = held?.metadata.annotations?.[certManager.certificateName];
    return certificate === undefined
      ? { ...find('served', data, evidence, { secret }), place, ...since }
      : { ...find('issued', data, evidence, { certificate }), place, ...since };
  },
});
