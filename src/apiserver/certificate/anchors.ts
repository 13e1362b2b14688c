import { remembered } from '../../basics/derive.ts';
import { type Callout, isLoopback, isServiceBacked } from '../../facts/callout.ts';
import { behaves } from '../server-version.ts';
import type { Certificate } from './certificate.ts';
import { type CaBundle, loadCaBundle } from './parse/load-ca-bundle.ts';

/** True for a caBundle (base64) without content, such as the placeholder `Cg==`, an empty line. */
export const isBlank = (caBundle = ''): boolean =>
  Buffer.from(caBundle, 'base64').toString('latin1').trim() === '';

/** From 1.34 on, a white-space caBundle in a CRD counts as none (webhookClientConfigForCRD). */
export const isBlankBundle = ({ kind, client: { caBundle } }: Callout, version?: string): boolean =>
  kind === 'conversion' && behaves(version, 'blank-bundle') && isBlank(caBundle);

/**
 * False if no caBundle is needed. For an APIService with insecureSkipTLSVerify, the API server accepts any
 * certificate. For a webhook at its own Service, it also trusts its own certificate (apiserver/pkg/util/webhook
 * authentication.go NewDefaultAuthenticationInfoResolverWrapper).
 */
export const isVerified = (callout: Callout): boolean =>
  callout.kind === 'aggregated-api'
    ? !callout.insecureSkipTLSVerify
    : !(isServiceBacked(callout) && isLoopback(callout.client.service));

/**
 * The CA certificates that the API server trusts for a call; undefined if it needs none ({@link isVerified}).
 *
 * @param version the API server's.
 */
export const trustOf = remembered((callout: Callout, version?: string): CaBundle | undefined => {
  if (!isVerified(callout)) return undefined;
  return isBlankBundle(callout, version)
    ? { kind: 'system-roots' }
    : loadCaBundle(callout.client.caBundle ?? '', version);
});

/** Trust anchors, grouped by their validity at one time. */
export interface AnchorsAt {
  readonly valid: readonly Certificate[];
  readonly expired: readonly Certificate[];
  readonly notYetValid: readonly Certificate[];
}

const isValidAt = ({ notBefore, notAfter }: Certificate, now: number): boolean =>
  notBefore.at <= now && now <= notAfter.at;

/** @param at RFC 3339. */
export function anchorsAt(anchors: readonly Certificate[], at: string): AnchorsAt {
  const now = Date.parse(at);
  return {
    valid: anchors.filter((anchor) => isValidAt(anchor, now)),
    expired: anchors.filter(({ notAfter }) => now > notAfter.at),
    notYetValid: anchors.filter(({ notBefore, notAfter }) => now < notBefore.at && now <= notAfter.at),
  };
}

/**
 * True if calls fail with any certificate: every chain ends in a trust anchor, and all of them are expired or
 * not yet valid (crypto/x509 isValid).
 */
export function hasNoValidAnchorAt(bundle: CaBundle | undefined, at: string): boolean {
  if (bundle?.kind !== 'loaded') return false;
  const now = Date.parse(at);
  return !bundle.certificates.some((anchor) => isValidAt(anchor, now));
}
