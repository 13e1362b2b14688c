import { trustOf } from '../../../apiserver/certificate/anchors.ts';
import { type Callout, isServiceBacked } from '../../../facts/callout.ts';
import { requestedInjector } from '../../../products/ca-injectors.ts';
import {
  brokenInjection,
  type InjectionFacts,
  injectionFacts,
} from '../../../serving-certificates/broken-injection.ts';
import { knownChains, verified } from '../../../serving-certificates/chains.ts';
import { isOfOtherAuthority } from '../../../serving-certificates/missing-link.ts';
import { defineCheck } from '../../check.ts';
import { writerFails } from '../writer/certificate-writer-check.ts';

/**
 * True if calls fail because of the missing injection: the bundle is empty, or does not verify the served
 * certificate.
 */
function affectsCalls(callout: Callout, given: InjectionFacts): boolean {
  const trust = trustOf(callout, given.version)?.kind;
  if (trust === 'refused' || (trust === 'system-roots' && isServiceBacked(callout))) return true;
  return knownChains(callout, given).some((chain) => isOfOtherAuthority(given, callout, chain));
}

export const caInjectionBroken = defineCheck({
  meta: {
    id: 'ca-injection-broken',
    title: 'CA injector cannot update the caBundle',
    severity: 'warning',
    breaksCalls: true,
    why: 'The annotation asks a CA injector to copy a CA into the caBundle. If its source does not exist or the injector does not run, the caBundle stays as it is. It is empty after an installation, and outdated after the next rotation.',
    advice:
      '[look] List the objects that exist: `kubectl -n {issuing} get certificate,issuer,secret`. [end] Create the object that the injection annotation names, or correct the annotation: `kubectl edit {kind} {configuration}`.',
    messages: {
      malformed: 'The annotation {annotation} must be NAMESPACE/NAME, and is "{target}"',
      notInstalled: {
        sharedCause: true,
        text: 'The annotation {annotation} requests the caBundle from cert-manager, and this cluster does not serve cert-manager.io',
        advice:
          'Install cert-manager, or remove the annotation and write the caBundle in another way: `kubectl edit {kind} {configuration}`.',
      },
      certificateMissing: 'The annotation {annotation} names Certificate {target}, which does not exist',
      otherCertificate: {
        text: 'The annotation {annotation} names Certificate {target}, but Certificate {detail} issued the serving Secret',
        advice:
          '[end] Correct the annotation, in the manifests, too: `kubectl annotate --overwrite {kind} {configuration} cert-manager.io/inject-ca-from={certificate}`. [end] The CA injector then writes the caBundle.',
      },
      certificateNotReady: {
        text: 'The annotation {annotation} names Certificate {target}, which is not issued: {detail}',
        advice:
          '[look] Find out why the Certificate is not issued: `kubectl -n {issuing} describe certificate,certificaterequest`.',
      },
      secretMissing: 'The annotation {annotation} refers to Secret {target}, which does not exist',
      secretNotAllowed: {
        text: 'The annotation {annotation} names Secret {target}, which lacks the annotation cert-manager.io/allow-direct-injection: "true"',
        advice:
          'Add the annotation to the Secret: `kubectl -n {issuing} annotate secret {secret} cert-manager.io/allow-direct-injection=true`.',
      },
      secretNotOwned: {
        text: 'The annotation {annotation} refers to Secret {target}, which lacks the annotation cert-manager.io/certificate-name: {detail}; cert-manager’s injector ignores it',
        advice:
          'If the Secret holds this certificate, add the annotation: `kubectl -n {issuing} annotate --overwrite secret {secret} cert-manager.io/certificate-name={certificate}`.',
      },
      secretWithoutCa: {
        text: 'The annotation {annotation} refers to Secret {target}, which has no ca.crt: its issuer provides none',
        advice:
          '[end] Use an issuer that provides `ca.crt`, such as a CA issuer; ACME issuers provide none. [end] Or put the CA into another Secret, and name that in the annotation `cert-manager.io/inject-ca-from-secret`: `kubectl edit {kind} {configuration}`.',
      },
      secretCaUnreadable: {
        text: 'The annotation {annotation} refers to Secret {target}, whose ca.crt contains no certificate',
        advice:
          'Write the CA into `ca.crt` of the Secret, as PEM in base64: `kubectl -n {issuing} edit secret {secret}`.',
      },
      notInjected: {
        text: '{injector} has not copied ca.crt of Secret {target} into the caBundle, as the annotation {annotation} requests',
        advice:
          '[look] Check that the injector runs and is allowed to write, and read its log: `kubectl -n {place} logs {affected}`.',
      },
      otherSecret: {
        text: '{injector} copies the CA of Secret {target} into the caBundle (annotation {annotation}), but the serving certificate is in {detail}',
        advice:
          '[end] If another program issues that certificate, remove the annotation, in the manifests, too: `kubectl edit {kind} {configuration}`. [with] Then let that program write its CA into the caBundle. [end] Otherwise mount the other Secret: `kubectl -n {namespace} edit {workload}`.',
      },
      otherIssuer: {
        text: '{injector} copies the CA of Secret {target} into the caBundle (annotation {annotation}), but Certificate {detail} issued the serving Secret',
        advice:
          '[end] Name that Certificate, in the manifests, too: `kubectl annotate --overwrite {kind} {configuration} cert-manager.io/inject-ca-from={certificate} cert-manager.io/inject-ca-from-secret-`. [end] The CA injector then writes the caBundle.',
      },
      noCaOfServing: {
        text: '{injector} copies the CA of Secret {target} (annotation {annotation}), but Certificate {detail} issued the serving Secret, which has no `ca.crt`',
        advice:
          '[end] Give that Certificate an issuer that writes `ca.crt`, such as one of kind CA, and name the Certificate in the annotation. [end] Or remove the annotation, in the manifests, too, and set `caBundle` to the PEM of the CA that signed the serving certificate, encoded once with base64: `kubectl edit {kind} {configuration}`.',
      },
      podsFail: {
        sharedCause: true,
        text: '{injector} must write the caBundle (annotation {annotation}), but its Pods do not run: {detail}',
        advice:
          '[look] Read the Events and the log of the Pod: `kubectl -n {place} describe pod {pod}` and `kubectl -n {place} logs {pod} --previous`. [end] Fix the error that they contain, or upgrade the injector.',
      },
      outOfMemory: {
        sharedCause: true,
        text: '{injector} must write the caBundle (annotation {annotation}), but is OOMKilled: its memory limit is {detail}',
        advice:
          '[end] Raise the memory limit of the CA injector: `kubectl -n {place} edit {affected}`. [with] Change the values of its chart or its manifests, too.',
      },
      outdated: {
        sharedCause: true,
        text: '{injector} must write the caBundle (annotation {annotation}), but requests an API that is not served: {detail}',
        advice:
          '[end] Upgrade the CA injector to a release for this version of Kubernetes. [look] To read the image that runs: `kubectl -n {place} get {affected} -o wide`.',
      },
      notRunning: {
        sharedCause: true,
        text: '{injector} must write the caBundle (annotation {annotation}), but does not run',
        advice:
          '[look] Find out why the Pods of the CA injector do not run: `kubectl -n {place} get deployments,pods`.',
      },
    },
    follows: [...writerFails],
    references: ['https://cert-manager.io/docs/concepts/ca-injector/'],
  },
  requires: injectionFacts,
  subjects: (given) => verified(given).filter(({ metadata }) => requestedInjector(metadata) !== undefined),
  run(callout, given, find) {
    const requested = requestedInjector(callout.metadata);
    const broken = brokenInjection(callout, given);
    if (requested === undefined || broken === undefined) return undefined;
    const affects = affectsCalls(callout, given);
    if (broken.mayVerify === true && !affects) return undefined;
    const { annotation, name } = requested.injector;
    const evidence = [
      { object: callout.ref, field: `metadata.annotations["${annotation}"]`, value: requested.value },
      ...(broken.evidence === undefined ? [] : [broken.evidence]),
    ];
    const data = { annotation, target: broken.target, detail: broken.detail ?? '', injector: name };
    const [issuing, secret] = broken.why === 'malformed' ? [] : broken.target.split('/');
    const names = {
      ...requested.injector.log,
      pod: broken.pod,
      ...(issuing === undefined ? {} : { issuing }),
      secret,
      certificate: ['secretNotOwned', 'otherCertificate', 'otherIssuer'].includes(broken.why)
        ? broken.detail
        : undefined,
    };
    const finding = find(broken.why, data, evidence, names);
    // The bundle makes calls fail, and this is the cause, so the finding has the same severity.
    return affects ? { ...finding, severity: 'error', consequence: 'failing' } : finding;
  },
});
