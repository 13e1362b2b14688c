import { atLeast } from '../../facts/server-version.ts';

/**
 * What differs between the Go versions that releases of Kubernetes are built with. Asked of Go 1.20, 1.22, 1.24, 1.25
 * and 1.26. Those before 1.24 differ in a few odd corners besides, such as alternative names that begin with a full
 * stop.
 */
export interface GoRules {
  /** Go < 1.23 accepts them; the GODEBUG line of the minor decides, not the compiler (Kubernetes 1.32). */
  readonly negativeSerials: boolean;
  /** SHA-1 signatures are good, up to Go 1.17 (Kubernetes 1.23). */
  readonly sha1: boolean;
  /** The refusal of SHA-1 names the GODEBUG that allows it, up to Go 1.23 (Kubernetes 1.32). */
  readonly sha1Override: boolean;
  /** RSA keys below 1024 bits are good, up to Go 1.23 (Kubernetes 1.32). */
  readonly smallRsaKeys: boolean;
  /** Certificate policies are compared, and their extensions understood, from Go 1.24 (Kubernetes 1.33). */
  readonly policies: boolean;
  /** An extension that is there twice is named, from Go 1.24 (Kubernetes 1.33). */
  readonly namesDuplicates: boolean;
  /** 100 names and more are counted, not listed: Go 1.25.5, which built Kubernetes 1.35.0. */
  readonly countsManyNames: boolean;
  /**
   * `per-authority`: each candidate's name constraints while a chain is built. `per-chain`: after usages, over the
   * whole chain, from Go 1.26 (Kubernetes 1.36).
   */
  readonly nameConstraints: 'per-authority' | 'per-chain';
  /** A point off the curve is refused in the words of its curve, from Go 1.26 (Kubernetes 1.36). */
  readonly namesPoints: boolean;
  /** `tls: failed to verify certificate: ` from Go 1.20 (Kubernetes 1.27), otherwise nothing. */
  readonly prefix: string;
}

const rulesOf = (version: string | undefined): GoRules => ({
  negativeSerials: !atLeast(version, 32),
  sha1: !atLeast(version, 24),
  sha1Override: !atLeast(version, 33),
  smallRsaKeys: !atLeast(version, 33),
  policies: atLeast(version, 33),
  namesDuplicates: atLeast(version, 33),
  countsManyNames: atLeast(version, 35),
  nameConstraints: atLeast(version, 36) ? 'per-chain' : 'per-authority',
  namesPoints: atLeast(version, 36),
  prefix: atLeast(version, 27) ? 'tls: failed to verify certificate: ' : '',
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
