import { behaves } from '../server-version.ts';

/** Differences between the Go versions that Kubernetes is built with, and their GODEBUG defaults. */
export interface GoRules {
  readonly negativeSerials: boolean;
  /** SHA-1 signatures are accepted. */
  readonly sha1: boolean;
  /** The error for SHA-1 names the GODEBUG setting that allows it. */
  readonly sha1Override: boolean;
  /** RSA keys below 1024 bits are accepted. */
  readonly smallRsaKeys: boolean;
  /** Certificate policies are checked, and their extensions supported. */
  readonly policies: boolean;
  /** The error for a duplicate extension names it. */
  readonly namesDuplicates: boolean;
  /** The error has the number of names, not the list, if there are 100 or more. */
  readonly countsManyNames: boolean;
  /** An excluded subdomain also excludes a wildcard that matches it. */
  readonly excludesWildcards: boolean;
  /**
   * `per-authority`: name constraints of each candidate are checked while a chain is built. `per-chain`:
   * after usages, for the complete chain.
   */
  readonly nameConstraints: 'per-authority' | 'per-chain';
  /** The error for a point that is not on the curve names the curve. */
  readonly namesPoints: boolean;
  /** Parsing of PEM text ends at a BEGIN that is not at the start of a line. */
  readonly pemEndsEarly: boolean;
  /** `tls: failed to verify certificate: `, or empty. */
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
 * The rules of an API server version; returns the same object for the same version.
 *
 * @param version the API server's; if unknown, the current one.
 */
export function goRules(version: string | undefined): GoRules {
  const rules = known.get(version) ?? rulesOf(version);
  known.set(version, rules);
  return rules;
}
