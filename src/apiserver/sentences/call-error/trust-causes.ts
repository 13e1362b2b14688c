import { ends } from './cause-pattern.ts';

/** Errors of crypto/x509 and crypto/tls. Go's Verify returns only the first one. */
export const trustCauses = [
  // could not get REST client: unable to load root certificates: unable to parse bytes as PEM block
  ends('ca-bundle-invalid', /unable to load root certificates|error resolving resource/),
  // could not get REST client: tls: failed to find any PEM data in certificate input: the kubeconfig for
  // webhooks
  ends(
    'own-certificate-invalid',
    /(?<!\("?)tls: (?:failed to find .{0,60} in (?:certificate|key) input|failed to parse private key|private key (?:type )?does not match public key)/,
  ),
  // x509: certificate has expired or is not yet valid: current time 2026-01-01T00:00:00Z is before
  // 2026-02-01T00:00:00Z
  ends(
    'not-yet-valid',
    /certificate has expired or is not yet valid: current time \S+ is before (?<bound>\d[^\s,;"')\]]*)/,
  ),
  // x509: certificate has expired or is not yet valid: current time 2026-01-01T00:00:00Z is after
  // 2025-12-01T00:00:00Z
  ends(
    'expired',
    /certificate has expired or (?:is )?not yet valid(?:: current time \S+ is after (?<bound>\d[^\s,;"')\]]*))?|\bx509:? certificate has expired\b(?! or)/,
  ),
  // x509: certificate relies on legacy Common Name field, use SANs instead
  ends('legacy-common-name', /relies on legacy Common Name field/),
  // x509: certificate is valid for ip-192-0-2-7.example.internal, not policy.shop.svc: no name of a Service,
  // nor of this one
  ends(
    'name-mismatch',
    /certificate is valid for (?=.*?, not (?<own>[^\s.]+)\.)(?<names>(?:(?!\.svc|localhost|, not |\k<own>).)+), not (?<wanted>[^\s",;]+\.svc\b[^\s",;]*)/,
    'certificate-of-other-server',
  ),
  // x509: certificate is valid for a.shop.svc, not policy.shop.svc: another Service of this namespace
  ends(
    'name-mismatch',
    /certificate is valid for (?=.*?, not (?<own>[^\s.]+)(?<home>\.[^\s.]+\.svc\b))(?=(?:(?!, not ).)*\k<home>)(?<names>(?:(?!, not |(?<![\w-])\k<own>\.).)+), not (?<wanted>[^\s",;]+)/,
    'certificate-of-other-service',
  ),
  // x509: certificate is valid for a.shop.svc.cluster.local, not policy.shop.svc
  ends('name-mismatch', /certificate is valid for (?<names>.+?), not (?<wanted>[^\s",;]+)/),
  // x509: certificate is valid for a.shop.svc, cut
  ends('name-mismatch', /x509: certificate is valid for (?!\d)/),
  // x509: certificate is not valid for any names, but wanted to match policy.shop.svc: it has no DNS name, but
  // for example a URI (SPIFFE)
  ends(
    'name-mismatch',
    /certificate is not valid for any names, but wanted to match (?<wanted>[^\s",;]+)/,
    'certificate-without-names',
  ),
  // x509: certificate is valid for 120 names, but none matched policy.shop.svc; x509: cannot validate certificate for 192.0.2.7 because it doesn't contain any IP SANs
  ends(
    'name-mismatch',
    /(?:certificate is valid for \d+ (?:names|IP SANs), but none matched|cannot validate certificate for) (?<wanted>[^\s",;]+)/,
  ),
  // x509: certificate signed by unknown authority (possibly because of "x509: cannot verify signature:
  // insecure algorithm SHA1-RSA" while trying to verify candidate authority certificate "policy-ca")
  ends('unknown-authority', /insecure algorithm (?:SHA1|MD5|MD2)/, 'sha1-signature'),
  // x509: certificate signed by unknown authority (possibly because of "x509: invalid signature: parent
  // certificate cannot sign this kind of certificate" while trying to verify candidate authority certificate
  // "policy-ca")
  ends(
    'unknown-authority',
    /signed ?by unknown authority \(possibly because of "?(?<hint>[^"]*parent certificate cannot sign[^"]*?)"? while trying to verify candidate authority certificate "?(?<authority>[^")]*)/,
    'authority-cannot-sign',
  ),
  ends(
    'unknown-authority',
    /^(?!.*signed ?by unknown authority).*x509: invalid signature: parent certificate cannot sign this kind of certificate/,
    'authority-cannot-sign',
  ),
  // x509: certificate signed by unknown authority (possibly because of "crypto/rsa: verification error" while
  // trying to verify candidate authority certificate "policy-ca"); the end may be cut
  ends(
    'unknown-authority',
    /signed ?by unknown authority \(possibly because of "?(?:(?<hint>.+?)"? while trying to verify candidate authority certificate "?(?<authority>[^")]*)|crypto\/|x509: \w+ verification failure)/,
    'regenerated-authority',
  ),
  ends('unknown-authority', /signed ?by unknown authority/),
  // x509: certificate specifies an incompatible key usage
  ends('wrong-usage', /certificate specifies an incompatible key usage/),
  // x509: certificate is not authorized to sign other certificates
  ends(
    'ca-not-allowed',
    /not authorized to sign other certificates|too many intermediates for path length constraint/,
  ),
  // x509: a root or intermediate certificate is not authorized to sign for this name: DNS name "…" is not
  // permitted …
  ends('name-constraint', /is not authorized to sign for this name/),
  // x509: unhandled critical extension
  ends('critical-extension', /unhandled critical extension/),
  // tls: invalid signature by the server certificate: crypto/rsa: 768-bit keys are insecure (see …)
  ends('weak-key', /bit keys are insecure|RSA key larger than 8192 bits/),
  // tls: failed to parse certificate from server: x509: negative serial number
  ends('certificate-malformed', /failed to parse certificate from server|\bx509: malformed /),
  // x509: failed to load system roots and no roots provided
  ends('no-system-roots', /failed to load system roots/),
  ends(
    'tls-alert',
    /remote error: tls: (?<alert>protocol version not supported)|\btls: (?:server selected unsupported protocol version|protocol version not supported)/,
    'alert-of-version',
  ),
  ends(
    'tls-alert',
    /remote error: tls: (?<alert>(?:bad|unknown|unsupported|revoked|expired)? ?certificate[a-z ]*|unknown certificate[a-z ]*)/,
    'alert-of-client-certificate',
  ),
  ends('tls-alert', /remote error: tls: (?<alert>unrecognized name)/, 'alert-of-server-name'),
  ends('tls-alert', /remote error: tls: (?<alert>internal error)/, 'alert-of-server'),
  // remote error: tls: handshake failure
  ends(
    'tls-alert',
    /remote error: tls: (?<alert>handshake failure|insufficient security level)/,
    'alert-of-parameters',
  ),
  // remote error: tls: access denied
  ends('tls-alert', /remote error: tls: (?<alert>[a-zA-Z0-9 ]+)/),
  // tls: failed to verify certificate: cut
  ends(
    'certificate-other',
    /(?:failed to verify certificate|\btls: f\w{0,5}(?: to(?: v\w{0,5})?)?|\bx509: \w{0,11})\W*$/,
    'trust-cut',
  ),
] as const;

/** Any other error of crypto/x509 or crypto/tls; matched last. */
export const otherTrustCause = ends('certificate-other', /\bx509: |(?:^|[:"] ?)tls: /);
