import type { Certificate } from '../apiserver/certificate/certificate.ts';

const day = 24 * 60 * 60 * 1000;

/** A certificate with a long lifetime is reported this many days before it expires. */
const lastDays = 30;
/** The remaining share of a short lifetime below which it is reported: renewal happens earlier. */
const lastShare = 0.2;

/**
 * True for a valid certificate that expires soon, by days and by share of its lifetime. False while its
 * renewal is not yet due, which may be later than these limits (`lead`, in milliseconds before the expiry).
 */
export function isSoon(
  { notBefore, notAfter }: Pick<Certificate, 'notBefore' | 'notAfter'>,
  now: number,
  lead = Number.POSITIVE_INFINITY,
): boolean {
  const left = notAfter.at - now;
  if (left < 0 || now < notBefore.at) return false;
  return left <= lead && left <= lastDays * day && left <= (notAfter.at - notBefore.at) * lastShare;
}
