import { behaves } from '../../facts/server-version.ts';

/** What differs between the Go versions that releases of Kubernetes are built with, and their GODEBUG defaults. */
export interface GoRules {
  readonly negativeSerials: boolean;
  /** SHA-1 signatures are good. */
  readonly sha1: boolean;
  /** The refusal of SHA-1 names the GODEBUG that allows it. */
  readonly sha1Override: boolean;
  /** RSA keys below 1024 bits are good. */
  readonly smallRsaKeys: boolean;
  /** Certificate policies are compared, and their extensions understood. */
  readonly policies: boolean;
  /** An extension that is there twice is named. */
  readonly namesDuplicates: boolean;
  /** 100 names and more are counted, not listed. */
  readonly countsManyNames: boolean;
  /** An excluded subdomain excludes the wildcard above it. */
  readonly excludesWildcards: boolean;
  /**
   * `per-authority`: each candidate's name constraints while a chain is built. `per-chain`: after usages, over the
   * whole chain.
   */
  readonly nameConstraints: 'per-authority' | 'per-chain';
  /** A point off the curve is refused in the words of its curve. */
  readonly namesPoints: boolean;
  /** A BEGIN that is not at the start of a line ends what is read of a PEM text. */
  readonly pemEndsEarly: boolean;
  /** `tls: failed to verify certificate: `, or nothing. */
  readonly prefix: string;
}

const rulesOf = (version: string | undefined): GoRules => ({
  negativeSerials: !behaves(version, 'negative-serials-refused'),
  sha1: !behaves(version, 'sha1-refused'),
  sha1Override: !behaves(version, 'certificate-policies'),
  smallRsaKeys: !behaves(version, 'small-rsa-refused'),
  policies: behaves(version, 'certificate-policies'),
  namesDuplicates: behaves(version, 'duplicate-extension-named'),
  countsManyNames: behaves(version, 'many-names-counted'),
  excludesWildcards: behaves(version, 'many-names-counted'),
  nameConstraints: behaves(version, 'name-constraints-per-chain') ? 'per-chain' : 'per-authority',
  namesPoints: behaves(version, 'name-constraints-per-chain'),
  pemEndsEarly: behaves(version, 'pem-ends-at-misplaced-begin'),
  prefix: behaves(version, 'tls-prefix') ? 'tls: failed to verify certificate: ' : '',
});

const known = new Map<string | undefined, GoRules>();

/**
 * The same object for the same version.
 *
 * @param version the API server's; one that is not known counts as current.
 */
export function goRules(version: string | undefined): GoRules {
  const rules = known.get(version) ?? rulesOf(version);
  known.set(version, rules);
  return rules;
}
