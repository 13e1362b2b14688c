import type { Callout } from '../../../src/facts/callout.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { authorityDraft, type Draft, day, signDraft } from '../../oracle/certificate/chain-draft.ts';
import { pemOf } from '../../oracle/certificate/make-certificate.ts';
import { takenAt, webhook } from '../../support/snapshot.ts';

const now = new Date(takenAt);
const serviceReference = { namespace: 'shop', name: 'policy', port: 443 };

/** The day that many days after the snapshot. */
export const inDays = (days: number): Date => new Date(now.getTime() + days * day);

/** PEM of a CA that is valid between two days, counted from the snapshot. */
export function anchor(from: number, to: number, over: Partial<Draft> = {}): string {
  const draft = { ...authorityDraft(0, now), notBefore: inDays(from), notAfter: inDays(to), ...over };
  return pemOf(signDraft(draft));
}

export const encoded = (text: string): string => Buffer.from(text).toString('base64');

/** One webhook of a Service with this bundle. */
export const trusting = (pem: string, over: Parameters<typeof webhook>[0] = {}): Partial<Facts> => ({
  callouts: [webhook({ client: { service: serviceReference, caBundle: encoded(pem) }, ...over })],
});

export const about = (...callouts: readonly Callout[]): Partial<Facts> => ({ callouts });
