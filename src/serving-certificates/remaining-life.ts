import type { Certificate } from '../apiserver/certificate/certificate.ts';

const hour = 60 * 60 * 1000;
const day = 24 * hour;

/** Days before the end of a long life that are worth a word. */
export const lastDays = 30;
/** A short life has its word when this share of it is left: whoever renews does so before. */
const lastShare = 0.2;

/** `10 days`, `1 hour`, `less than an hour`. */
export function leftText(milliseconds: number): string {
  const days = Math.floor(milliseconds / day);
  if (days > 0) return days === 1 ? '1 day' : `${days} days`;
  const hours = Math.floor(milliseconds / hour);
  return hours === 0 ? 'less than an hour' : hours === 1 ? '1 hour' : `${hours} hours`;
}

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
