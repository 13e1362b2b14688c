import { otherRow, textRow } from './row.ts';

/** Programs that issue certificates, write Secrets and inject the caBundle. */
export const certificateWriterTexts = [
  textRow('configuration-not-writable', 'registration', {
    pattern:
      /(?:mutating|validating)webhookconfigurations\.admissionregistration\.k8s\.io(?: \\*"[^"]*")? is forbidden: ?(?:$(?<!(?:Error from server|error when).*)|User \\*"system:serviceaccount:[^"]*" cannot (?:create|update|patch|delete)\b)/s,
    says: 'mutatingwebhookconfigurations.admissionregistration.k8s.io is forbidden: User "system:serviceaccount:shop:policy" cannot create resource "mutatingwebhookconfigurations" in API group "admissionregistration.k8s.io" at the cluster scope',
    means:
      'The ServiceAccount is not permitted to write webhook configurations. The program that uses it cannot register its webhook, or cannot write the caBundle.',
  }),
  textRow('ca-not-injected', 'tls', {
    pattern:
      /ca cert not yet ready|could not find any ca data|\bca ?bundle (?:is (?:not (?:yet )?(?:injected|set)|empty|missing)|has not been)|(?:mutating|validating)webhookconfigurations(?:\.admissionregistration\.k8s\.io)?(?: \\?"[^"]*")? is forbidden(?!: cannot set blockOwnerDeletion|: User \\*"[^"]*" cannot (?:get|list|watch)\b)|could not refresh CA and server certs(?!.*object has been modified)|unable to inject cert to webhook|refusing to inject|unable to fetch (?:associated )?(?:certificate|secret)|(?<!Webhook not found\. )Unable to update certificate|failed (?:to )?patch(?:ing)? webhook|without having a TLS bundle|error (?:updating|injecting) (?:webhook|ca)(?!.* is invalid: )/i,
    says: 'unable to inject CA: ca cert not yet ready',
    means:
      'The component that writes the caBundle cannot write it yet. The CA does not exist, its Secret does not allow direct injection, or the component cannot patch the configuration.',
  }),
  otherRow('certificate-warning', 'tls', {
    pattern:
      /invalid-cert\.(?:webhook\.gke\.io|kubernetes\.io)|No subjectAltNames returned|insecure-sha1\.|missing-san\./,
    says: 'missing-san.invalid-cert.kubernetes.io/policy.shop.svc: server certificate has no subject alternative name',
    means:
      'The API server accepted the certificate of the backend, but a newer API server rejects it. It has no subject alternative name, or a SHA-1 signature.',
  }),
  otherRow('certificate-expiring', 'tls', {
    pattern:
      /^(?=.*(?:webhook|inject|validator|admission|apisvc)).*\bcert(?:ificate)?s?\b.{0,60}\b(?:will expire|expires?) (?:on|in|at|soon)\b/is,
    says: '‼ proxy-injector cert is valid for at least 60 days: certificate will expire on 2026-01-01T00:00:00Z',
    means:
      'The serving certificate of a webhook still works, but ends at this time. After that, calls fail. Renew it before, or find out why the program that renews it does not.',
    next: ['kubectl webhook cert-check'],
  }),
  otherRow('certificate-pending', 'tls', {
    pattern:
      /signed certificate did not appear|Referenced "(?:Cluster)?Issuer" not found|Issuing certificate as Secret does not exist|[Ww]aiting on certificate issuance|\bCertificateSigningRequest\S{0,30} \\*"[^"]{1,200}" is invalid\b|timeout during certificate fetching of csr\/|(?:unable to find|no) (?:valid |ready )?certificate ?requests?\b|\bcertificate ?request\b.{0,60}(?:denied|not (?:been )?approved)|\bcertificate\b.{0,80}waiting for approval/,
    says: 'Issuing certificate as Secret does not exist',
    means:
      'The certificate is requested, but not issued. The issuer is missing or not ready, the request is not valid or not approved, or this release does not support the signer.',
    next: ['kubectl get certificates,certificaterequests,issuers -A', 'kubectl get csr'],
  }),
  textRow('secret-incomplete', 'tls', {
    pattern:
      /secret "?[\w./-]+"? is missing "?[\w.-]+"? key|secret is not well-formed|missing ca\.crt|references non-existent secret key|couldn't find key \S+ in Secret|\bkey "?[\w.-]+"? (?:needs|has) to exist in secret\b|\bsecret,? .{0,60}(?:did not|does not|doesn't) (?:contain|have) .{0,40}\bkey\b/i,
    says: 'secret "webhook-certs" is missing "ca-cert.pem" key',
    means:
      'The Secret exists, but lacks a key that a Pod or a component needs. The component that writes the Secret has not added the key yet.',
    next: ['kubectl -n NAMESPACE describe secret SECRET'],
  }),
];
