import type { Certificate } from '../apiserver/certificate/certificate.ts';

const day = 24 * 60 * 60 * 1000;

/** Days before the end of a long life that are worth a word. */
const lastDays = 30;
/** The remaining share of a short lifetime below which it is reported: renewal happens earlier. */
const lastShare = 0.2;

/**
 * Valid still, and near its end by days and by share of its life. Not yet while whoever renews it is not due, who may do
 * so later than that (`lead`, in milliseconds before the end).
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
