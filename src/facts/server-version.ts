/** A difference between releases of kube-apiserver. */
export interface VersionChange {
  /**
   * The first release that behaves so, `1.34`; before it, of each older minor that got it in a patch, the first such patch.
   * Those were mostly built with a newer Go than the minor before them.
   */
  readonly since: readonly string[];
  /** What is so from then on, for docs/apiserver.md. */
  readonly now: string;
}

const goOf: Readonly<Record<'1.23' | '1.24' | '1.24.11', readonly string[]>> = {
  '1.23': ['1.29.15', '1.30.11', '1.31.7', '1.32'],
  '1.24': ['1.31.14', '1.32.10', '1.33'],
  '1.24.11': ['1.32.11', '1.33.7', '1.34.3', '1.35'],
};

/**
 * Every difference between releases that the model knows, but for the versions of APIs that are no longer served
 * (apiserver/admission/removed-versions.ts). Which Go built a release stands in its `.go-version`.
 */
export const versionChanges = {
  'call-stage': {
    since: ['1.23'],
    now: '`failed to call webhook: ` stands before the cause of a call that failed',
  },
  'sha1-refused': { since: ['1.24'], now: 'SHA-1 signatures are refused (Go 1.18)' },
  'policies-exempt': {
    since: ['1.26'],
    now: 'ValidatingAdmissionPolicies and their bindings are sent to no webhook',
  },
  'tls-prefix': {
    since: ['1.27'],
    now: '`tls: failed to verify certificate: ` stands before the fault of a certificate (Go 1.20)',
  },
  'match-conditions': { since: ['1.28'], now: '`matchConditions` are evaluated' },
  'rsa-key-exchange-off': {
    since: ['1.30'],
    now: 'TLS handshakes offer no RSA key exchange (the `go` line of the module is 1.22)',
  },
  'duplicate-extension-named': {
    since: goOf['1.23'],
    now: 'an X.509 extension that is there twice is named (Go 1.23)',
  },
  'negative-serials-refused': {
    since: ['1.32'],
    now: 'negative serial numbers are refused (the `go` line of the module is 1.23)',
  },
  'mutating-policies-exempt': {
    since: ['1.32'],
    now: 'MutatingAdmissionPolicies and their bindings are sent to no webhook',
  },
  'too-long-words': {
    since: ['1.32'],
    now: 'annotations that are too large are `Too long: may not be more than` so many bytes, before `must have at most`',
  },
  'certificate-policies': {
    since: goOf['1.24'],
    now: 'certificate policies are understood and compared, and the refusal of SHA-1 names no GODEBUG (Go 1.24)',
  },
  'small-rsa-refused': {
    since: ['1.33'],
    now: 'RSA keys below 1024 bits are refused (the `go` line of the module is 1.24)',
  },
  'many-names-counted': {
    since: goOf['1.24.11'],
    now: '100 names and more of a certificate are counted, not listed; an excluded subdomain excludes the wildcard above it (Go 1.24.11 and 1.25.5)',
  },
  'endpoint-slices': {
    since: ['1.34'],
    now: 'Services are resolved by EndpointSlices, before by Endpoints objects, and the messages say so',
  },
  'retry-after-bounded': {
    since: ['1.33'],
    now: 'a `Retry-After` of a webhook is waited for up to `timeoutSeconds`, before to its end or that of the request (504)',
  },
  'blank-bundle': {
    since: ['1.34'],
    now: 'a caBundle of white space in a CRD counts as none, before it failed every request for the CRD',
  },
  'validation-words': {
    since: ['1.34'],
    now: 'validation writes values as JSON, before as Go source, and leaves out why a Service’s name or a schema is required',
  },
  'undecodable-patch': {
    since: ['1.34'],
    now: 'a patch that cannot be decoded or applied is a failed call and obeys `failurePolicy`',
  },
  'unavailable-503': {
    since: ['1.34'],
    now: 'a call that failed counts as 503 in metrics and audit, before as 400',
  },
  'port-forward-create': {
    since: ['1.35'],
    now: 'a port-forward needs `create` on `pods/portforward` even where it begins with GET',
  },
  'patch-null': {
    since: ['1.35'],
    now: 'a patch that replaces the object by a scalar is refused, before it did nothing; `test` without a value is an answer, before it broke the request off (json-patch 4.13)',
  },
  'embedded-paths': {
    since: ['1.35'],
    now: 'a decoding error names embedded structs: `rules.Rule.resources`',
  },
  'label-words': { since: ['1.35'], now: 'faults of labels are worded by `bytes` and `a valid label key`' },
  'aggregated-trust': {
    since: ['1.36'],
    now: 'the availability of an APIService is checked with its own caBundle',
  },
  'name-constraints-per-chain': {
    since: ['1.36'],
    now: 'name constraints are judged per chain, after usages; a point off its curve is refused in words of the curve (Go 1.26)',
  },
  'reviews-exempt': { since: ['1.37'], now: 'token and access reviews are sent to no webhook' },
  'updates-without-namespace': {
    since: ['1.37'],
    now: 'an update is not refused because its namespace is gone: webhooks without a `namespaceSelector` are called, any other is the 404',
  },
  'corrupt-object': {
    since: ['1.37'],
    now: 'a stored object whose conversion fails is a `StorageError: corrupt object` that quotes the sentence',
  },
} as const satisfies Readonly<Record<string, VersionChange>>;

interface Release {
  readonly minor: number;
  /** The newest one where none is given: `1.35+`. */
  readonly patch: number;
}

/** `v1.35.4`, `v1.33.5-gke.1080000`, `v1.34.2+k3s1`, `1.35+`; undefined when nobody could read the version. */
function releaseOf(version: string | undefined): Release | undefined {
  const [, minor, patch] = /^v?1\.(\d+)(?:\.(\d+))?/.exec(version ?? '') ?? [];
  if (minor === undefined) return undefined;
  return { minor: Number(minor), patch: patch === undefined ? Number.POSITIVE_INFINITY : Number(patch) };
}

/** `v1.33.5-gke.1080000` → 33. */
export const minorVersion = (version: string | undefined): number | undefined => releaseOf(version)?.minor;

/** The minors between which API servers were asked (docs/apiserver.md). */
export const testedMinors = { oldest: 29, newest: 38 };

/** The version as a header has it; that no API server of its age was asked is part of it. */
export function versionText(version: string): string {
  const minor = minorVersion(version) ?? testedMinors.oldest;
  if (minor < testedMinors.oldest) return `${version} (not tested: older than 1.${testedMinors.oldest})`;
  return minor > testedMinors.newest
    ? `${version} (not tested: newer than 1.${testedMinors.newest})`
    : version;
}

/** Whether an API server of this version behaves so; one that is not known counts as a current one. */
export function behaves(version: string | undefined, change: keyof typeof versionChanges): boolean {
  const release = releaseOf(version);
  if (release === undefined) return true;
  const { since } = versionChanges[change] as VersionChange;
  return since.some((first, at) => {
    const { minor, patch } = releaseOf(first) as Release;
    if (at === since.length - 1) return release.minor >= minor;
    return release.minor === minor && release.patch >= patch;
  });
}
