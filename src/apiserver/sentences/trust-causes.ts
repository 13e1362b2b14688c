import { ends } from './cause-pattern.ts';

const nameMismatch = ['serving-certificate-name-mismatch'];

/** crypto/x509 and crypto/tls. A fault that Go's Verify sees first hides the others. */
export const trustCauses = [
  // could not get REST client: unable to load root certificates: unable to parse bytes as PEM block
  ends(
    'ca-bundle-invalid',
    /unable to load root certificates|failed to find any PEM data in certificate input/,
    ['ca-bundle-invalid', 'ca-injection-broken'],
  ),
  // x509: certificate has expired or is not yet valid: current time 2026-01-01T00:00:00Z is before 2026-02-01T00:00:00Z
  ends(
    'not-yet-valid',
    /certificate has expired or is not yet valid: current time \S+ is before (?<bound>\d[^\s,;"')\]]*)/,
    ['serving-certificate-not-yet-valid', 'clock-skew'],
  ),
  // x509: certificate has expired or is not yet valid: current time 2026-01-01T00:00:00Z is after 2025-12-01T00:00:00Z
  ends(
    'expired',
    /certificate has expired or is not yet valid(?:: current time \S+ is after (?<bound>\d[^\s,;"')\]]*))?/,
    ['serving-certificate-expired', 'ca-bundle-expired', 'certificate-not-issued'],
  ),
  // x509: certificate relies on legacy Common Name field, use SANs instead
  ends('legacy-common-name', /relies on legacy Common Name field/, [
    'serving-certificate-legacy-common-name',
  ]),
  // x509: certificate is not valid for any names, but wanted to match policy.shop.svc
  ends(
    'name-mismatch',
    /certificate is not valid for any names, but wanted to match (?<wanted>[^\s",;]+)/,
    nameMismatch,
  ),
  // x509: certificate is valid for a.shop.svc, b.shop.svc, not policy.shop.svc
  ends('name-mismatch', /certificate is valid for (?<names>.+?), not (?<wanted>[^\s",;]+)/, nameMismatch),
  // x509: certificate is valid for 120 names, but none matched policy.shop.svc
  ends(
    'name-mismatch',
    /is valid for \d+ (?:names|IP SANs), but none matched (?<wanted>[^\s",;]+)/,
    nameMismatch,
  ),
  // x509: cannot validate certificate for 192.0.2.7 because it doesn't contain any IP SANs
  ends(
    'name-mismatch',
    /cannot validate certificate for (?<wanted>\S+) because it doesn't contain any IP SANs/,
    nameMismatch,
  ),
  // x509: certificate signed by unknown authority (possibly because of "crypto/rsa: verification error" while trying to
  // verify candidate authority certificate "policy-ca")
  ends(
    'unknown-authority',
    /signed ?by unknown authority(?: \(possibly because of "(?<hint>.+?)" while trying to verify candidate authority certificate "(?<authority>[^"]*)"\))?/,
    ['stale-ca-bundle', 'ca-bundle-empty', 'ca-injection-broken', 'intermediate-missing'],
  ),
  // x509: certificate specifies an incompatible key usage
  ends('wrong-usage', /certificate specifies an incompatible key usage/, ['serving-certificate-wrong-usage']),
  // x509: certificate is not authorized to sign other certificates
  ends(
    'ca-not-allowed',
    /not authorized to sign other certificates|too many intermediates for path length constraint/,
    ['ca-not-allowed-to-sign'],
  ),
  // x509: a root or intermediate certificate is not authorized to sign for this name: DNS name "…" is not permitted …
  ends('name-constraint', /is not authorized to sign for this name/, ['name-constraint-violation']),
  // x509: unhandled critical extension
  ends('critical-extension', /unhandled critical extension/, ['unhandled-critical-extension']),
  // tls: invalid signature by the server certificate: crypto/rsa: 768-bit keys are insecure (see …)
  ends('weak-key', /bit keys are insecure|RSA key larger than 8192 bits/, ['weak-key']),
  // tls: failed to parse certificate from server: x509: negative serial number
  ends('certificate-malformed', /failed to parse certificate from server/, ['serving-certificate-malformed']),
  // x509: failed to load system roots and no roots provided
  ends('no-system-roots', /failed to load system roots/, ['ca-bundle-empty']),
  // remote error: tls: unrecognized name
  ends('tls-alert', /remote error: tls: (?<alert>[a-zA-Z0-9 ]+)/, [
    'client-certificate-demanded',
    'sni-refused',
    'server-has-no-certificate',
    'tls-version-unsupported',
    'cipher-unsupported',
  ]),
] as const;

/** Anything else that crypto/x509 or crypto/tls said; tried last. */
export const otherTrustCause = ends('certificate-other', /\b(?:x509|tls): /);
