import type { Callout } from '../../facts/callout.ts';
import { remembered } from '../../facts/derive.ts';
import { behaves } from '../../facts/server-version.ts';
import type { Certificate } from './certificate.ts';
import { type CaBundle, loadCaBundle } from './load-ca-bundle.ts';

/** White space in a CRD counts as no bundle from 1.34 on (webhook_converter.go webhookClientConfigForCRD). */
export const isBlankBundle = ({ kind, client: { caBundle = '' } }: Callout, version?: string): boolean =>
  kind === 'conversion' &&
  behaves(version, 'blank-bundle') &&
  Buffer.from(caBundle, 'base64').toString('latin1').trim() === '';

/** False: an APIService whose server may present anything. */
export const isVerified = (callout: Callout): boolean =>
  callout.kind !== 'aggregated-api' || !callout.insecureSkipTLSVerify;

/**
 * What the API server trusts when it calls; undefined when it verifies nothing (an APIService's
 * insecureSkipTLSVerify).
 *
 * @param version the API server's.
 */
export const trustOf = remembered((callout: Callout, version?: string): CaBundle | undefined => {
  if (!isVerified(callout)) return undefined;
  return isBlankBundle(callout, version)
    ? { kind: 'system-roots' }
    : loadCaBundle(callout.client.caBundle ?? '', version);
});

/** Anchors by what a moment makes of them. */
export interface AnchorsAt {
  readonly valid: readonly Certificate[];
  readonly expired: readonly Certificate[];
  readonly notYetValid: readonly Certificate[];
}

/** @param at RFC 3339. */
export function anchorsAt(anchors: readonly Certificate[], at: string): AnchorsAt {
  const now = Date.parse(at);
  return {
    valid: anchors.filter(({ notBefore, notAfter }) => notBefore.at <= now && now <= notAfter.at),
    expired: anchors.filter(({ notAfter }) => now > notAfter.at),
    notYetValid: anchors.filter(({ notBefore, notAfter }) => now < notBefore.at && now <= notAfter.at),
  };
}

/**
 * True when a call fails whatever is presented: every chain ends in an anchor, and each of them is out of date
 * (crypto/x509 isValid).
 */
export function trustsNothingAt(bundle: CaBundle | undefined, at: string): boolean {
  return bundle?.kind === 'loaded' && anchorsAt(bundle.certificates, at).valid.length === 0;
}
