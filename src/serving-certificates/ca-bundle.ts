import { isVerified, trustOf } from '../apiserver/certificate/anchors.ts';
import type { Certificate } from '../apiserver/certificate/certificate.ts';
import { type Callout, clientConfigEvidence } from '../facts/callout.ts';
import type { Evidence } from '../facts/object-ref.ts';
import type { Facts } from '../facts/snapshot.ts';

/** Webhooks and APIServices whose serving certificate the API server verifies. */
export const verified = ({ callouts }: Pick<Facts, 'callouts'>): readonly Callout[] =>
  callouts.filter(isVerified);

/** The anchors of a bundle that can be parsed; none for a bundle that cannot, and for the system roots. */
export function anchorsOf(callout: Callout, version: string | undefined): readonly Certificate[] {
  const trust = trustOf(callout, version);
  return trust?.kind === 'loaded' ? trust.certificates : [];
}

/** The display name of a certificate: its common name, else its organization, else its serial number. */
export const nameOf = ({ subject, serial }: Certificate): string =>
  subject.commonName || (subject.organizations[0] ?? `serial ${serial.toString(16)}`);

/** The date of a time in a certificate. */
export const dayOf = ({ text }: { readonly text: string }): string => text.slice(0, 10);

/** The time since which all of them have been expired, RFC 3339; undefined if there are none. */
export function expiredSince(certificates: readonly Certificate[]): string | undefined {
  const ends = certificates.map(({ notAfter }) => notAfter.at);
  return ends.length === 0 ? undefined : new Date(Math.max(...ends)).toISOString();
}

/** Evidence for the validity period of certificates in the bundle. */
export const validityEvidence = (
  callout: Callout,
  certificates: readonly Certificate[],
): readonly Evidence[] =>
  certificates.map((certificate) =>
    clientConfigEvidence(
      callout,
      'caBundle',
      `${nameOf(certificate)}: notBefore ${certificate.notBefore.text}, notAfter ${certificate.notAfter.text}`,
    ),
  );
