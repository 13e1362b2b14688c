/** A difference between releases of kube-apiserver. */
export interface VersionChange {
  /**
   * The first release with the behaviour, `1.34`. Before it, the first patch release of each older minor that
   * also has it; those were mostly built with a newer Go version than the minor before them.
   */
  readonly since: readonly string[];
  /** Only the patch releases of the minors in `since` have it. */
  readonly only?: true;
  /** The first minor release for which the behaviour is not known. */
  readonly knownBefore?: string;
  /** The behaviour from then on, for docs/apiserver.md. */
  readonly now: string;
}

const goOf: Readonly<Record<'1.23' | '1.24' | '1.24.11' | '1.26', readonly string[]>> = {
  '1.23': ['1.29.15', '1.30.11', '1.31.7', '1.32'],
  '1.24': ['1.31.14', '1.32.10', '1.33'],
  '1.24.11': ['1.32.11', '1.33.7', '1.34.3', '1.35'],
  '1.26': ['1.34.11', '1.35.8', '1.36'],
};

/**
 * All known differences between releases, except for removed API versions
 * (apiserver/admission/removed-versions.ts). The Go version of a release is in its `.go-version`.
 */
export const versionChanges = {
  'call-stage': {
    since: ['1.23'],
    now: 'error messages contain `failed to call webhook: ` before the cause',
  },
  'sha1-refused': { since: ['1.24'], now: 'the API server rejects SHA-1 signatures (Go 1.18)' },
  'policies-exempt': {
    since: ['1.26'],
    now: 'the API server sends ValidatingAdmissionPolicies and their bindings to no webhook',
  },
  'tls-prefix': {
    since: ['1.27'],
    now: 'error messages contain `tls: failed to verify certificate: ` before the error of a certificate (Go 1.20)',
  },
  'match-conditions': { since: ['1.28'], now: 'the API server evaluates `matchConditions`' },
  'loopback-over-http2': {
    since: ['1.30'],
    now: 'the API server calls a URL with a loopback address over HTTP/2 (kubernetes#122558), which fails if an IPv6 address has no brackets',
  },
  'library-costs': {
    since: ['1.30'],
    now: 'the cost limit of matchConditions counts the functions of Kubernetes with their cost, for example 350 000 for `authorizer.….check()`; before, each call cost 1',
  },
  'rsa-key-exchange-off': {
    since: ['1.30'],
    now: 'TLS handshakes offer no RSA key exchange (the `go` line of the module is 1.22)',
  },
  'duplicate-extension-named': {
    since: goOf['1.23'],
    now: 'the error message for a duplicate X.509 extension contains its OID (Go 1.23)',
  },
  'network-in-network': {
    since: ['1.32'],
    now: '`containsCIDR` is true for each network inside of the other; before, only if both have the same network address',
  },
  'negative-serials-refused': {
    since: ['1.32'],
    now: 'the API server rejects negative serial numbers (the `go` line of the module is 1.23)',
  },
  'mutating-policies-exempt': {
    since: ['1.32'],
    now: 'the API server sends MutatingAdmissionPolicies and their bindings to no webhook',
  },
  'too-long-words': {
    since: ['1.32'],
    now: 'the error message for too large annotations is `Too long: may not be more than … bytes`; before, it was `must have at most`',
  },
  'certificate-policies': {
    since: goOf['1.24'],
    now: 'Go checks certificate policies, and the error message for SHA-1 no longer contains GODEBUG (Go 1.24)',
  },
  'pem-ends-at-misplaced-begin': {
    // go.dev/issue/75950
    since: ['1.31.14', '1.32.10', '1.33.6', '1.34.2'],
    only: true,
    now: 'a caBundle is read up to the first BEGIN that is not at the start of a line; the certificates after it do not count (Go 1.24.9)',
  },
  'small-rsa-refused': {
    since: ['1.33'],
    now: 'the API server rejects RSA keys below 1024 bits (the `go` line of the module is 1.24)',
  },
  'many-names-counted': {
    since: goOf['1.24.11'],
    now: 'the error message contains the number of names if a certificate has 100 or more, and no list; an excluded subdomain also excludes the wildcard of its parent domain (Go 1.24.11 and 1.25.5)',
  },
  'endpoint-slices': {
    since: ['1.34'],
    now: 'the API server resolves Services by EndpointSlices, and its messages mention them; before, it used Endpoints',
  },
  'pod-resize': {
    since: ['1.33'],
    now: 'the API server serves `pods/resize` by default (InPlacePodVerticalScaling)',
  },
  'retry-after-bounded': {
    since: ['1.33'],
    now: 'the API server waits for a `Retry-After` of a webhook up to `timeoutSeconds`; before, it waited until it ended, or until the request timed out (504)',
  },
  'blank-bundle': {
    since: ['1.34'],
    now: 'the API server treats a caBundle of a CRD that contains only white space as empty; before, every request for the CRD failed',
  },
  'validation-words': {
    since: ['1.34'],
    now: 'validation errors print values as JSON, and no longer explain why the name of a Service or a schema is required; before, they printed Go syntax',
  },
  'undecodable-patch': {
    since: ['1.34'],
    now: 'a patch that cannot be decoded or applied is a failed call, so `failurePolicy` applies',
  },
  'unavailable-503': {
    since: ['1.34'],
    now: 'metrics and audit log record a failed call as 503; before, they recorded 400',
  },
  'port-forward-create': {
    since: ['1.35'],
    now: 'a port-forward requires `create` on `pods/portforward`, even if it starts with GET',
  },
  'patch-null': {
    since: ['1.35'],
    now: 'the API server refuses a patch that replaces the object with a scalar; before, the patch had no effect. A `test` without a value compares with null; before, it aborted the request (json-patch 4.13)',
  },
  'embedded-paths': {
    since: ['1.35'],
    now: 'a decoding error contains the names of embedded structs: `rules.Rule.resources`',
  },
  'label-words': {
    since: ['1.35'],
    now: 'error messages for invalid labels contain `bytes` and `a valid label key`',
  },
  'scheme-named': {
    since: ['1.35'],
    knownBefore: '1.38',
    now: 'the error message for a response of an unknown kind ends with `in scheme "pkg/runtime/scheme.go:111"`, a line of the source code; before, with another line, which the model does not predict',
  },
  'aggregated-trust': {
    since: ['1.36'],
    now: 'the API server checks the availability of an APIService with its caBundle',
  },
  'constrained-impersonation': {
    since: ['1.36'],
    now: '`--as` also works with the permissions of constrained impersonation, for example `impersonate:user-info` (KEP-5284)',
  },
  'name-constraints-per-chain': {
    since: goOf['1.26'],
    now: 'Go checks name constraints for each chain, after usages; the error message for a point that is not on its curve contains the curve (Go 1.26)',
  },
  'reviews-exempt': { since: ['1.37'], now: 'the API server sends token and access reviews to no webhook' },
  'updates-without-namespace': {
    since: ['1.37'],
    now: 'the API server no longer refuses an update in a namespace that does not exist: it calls webhooks without a `namespaceSelector`, and returns 404 for a webhook with one',
  },
  'typed-objects': {
    since: ['1.37'],
    now: 'in matchConditions for built-in resources, `in` with a key that is not a string is an error; before, it is false',
  },
  'corrupt-object': {
    since: ['1.37'],
    now: 'a failed conversion of a stored object is a `StorageError: corrupt object` that contains the error message',
  },
} as const satisfies Readonly<Record<string, VersionChange>>;

interface Release {
  readonly minor: number;
  /** The newest one if the version has none: `1.35+`. */
  readonly patch: number;
}

/** `v1.35.4`, `v1.33.5-gke.1080000`, `v1.34.2+k3s1`, `1.35+`; undefined if the version could not be read. */
function releaseOf(version: string | undefined): Release | undefined {
  const [, minor, patch] = /^v?1\.(\d+)(?:\.(\d+))?/.exec(version ?? '') ?? [];
  if (minor === undefined) return undefined;
  return { minor: Number(minor), patch: patch === undefined ? Number.POSITIVE_INFINITY : Number(patch) };
}

/** True for the version of an Amazon EKS control plane: `v1.33.5-eks-3cfe0ce`. */
export const isEks = (version: string | undefined): boolean => version?.includes('-eks-') === true;

/** `v1.33.5-gke.1080000` → 33. */
export const minorVersion = (version: string | undefined): number | undefined => releaseOf(version)?.minor;

/** The first and last minor version whose API servers were tested (docs/apiserver.md). */
export const testedMinors = { oldest: 29, newest: 38 };

/** The version for a header, with a note if it was not tested. */
export function versionText(version: string): string {
  const minor = minorVersion(version) ?? testedMinors.oldest;
  if (minor < testedMinors.oldest) return `${version} (not tested: older than 1.${testedMinors.oldest})`;
  return minor > testedMinors.newest
    ? `${version} (not tested: newer than 1.${testedMinors.newest})`
    : version;
}

/** True if an API server of this version has the behaviour; if unknown, the current version counts. */
export function behaves(version: string | undefined, change: keyof typeof versionChanges): boolean {
  const release = releaseOf(version);
  const { since, only, knownBefore } = versionChanges[change] as VersionChange;
  if (release === undefined) return only !== true;
  if (release.minor >= (minorVersion(knownBefore) ?? Number.POSITIVE_INFINITY)) return false;
  return since.some((first, at) => {
    const { minor, patch } = releaseOf(first) as Release;
    if (only === true) return release.minor === minor && release.patch === patch;
    if (at === since.length - 1) return release.minor >= minor;
    return release.minor === minor && release.patch >= patch;
  });
}
