import { compareValues } from '../../basics/collections.ts';
import { type CelQuantity, NotEvaluable } from './value.ts';

const decimal: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binary: Readonly<Record<string, bigint>> = {
  Ki: 10n,
  Mi: 20n,
  Gi: 30n,
  Ti: 40n,
  Pi: 50n,
  Ei: 60n,
};

/**
 * Parses a quantity as apimachinery's resource.ParseQuantity does; undefined if it is invalid. Throws {@link
 * NotEvaluable} if Go would round or cap it.
 */
export function parseQuantity(text: string): CelQuantity | undefined {
  const match = /^([+-]?)(\d+\.?\d*|\.\d+)(?:([KMGTPE]i)|([numkMGTPE]?)|[eE]([+-]?\d{1,3}))$/.exec(text);
  // Go has special rules for a decimal point without a digit.
  if (match === null && /^[^\d]*\.[^\d]*$/.test(text)) throw new NotEvaluable();
  if (match === null) return undefined;
  const [, sign, number = '', two, ten = '', exponent] = match;
  const [integer = '', fraction = ''] = number.split('.');
  const digits = BigInt(`${integer}${fraction}` || '0');
  const power = (exponent === undefined ? (decimal[ten] ?? 0) : Number(exponent)) - fraction.length;
  if (Math.abs(power) > 40) throw new NotEvaluable();
  const numerator =
    (sign === '-' ? -digits : digits) * 2n ** (binary[two ?? ''] ?? 0n) * 10n ** BigInt(Math.max(0, power));
  const denominator = 10n ** BigInt(Math.max(0, -power));
  const quantity = { is: 'kubernetes.Quantity', numerator, denominator } as const;
  if ((numerator * 10n ** 9n) % denominator !== 0n || abs(numerator) / denominator >= 2n ** 63n)
    throw new NotEvaluable();
  return quantity;
}

const abs = (value: bigint): bigint => (value < 0n ? -value : value);

/** Negative, zero or positive, as a sort function returns it. */
export function compareQuantities(a: CelQuantity, b: CelQuantity): number {
  return compareValues(a.numerator * b.denominator, b.numerator * a.denominator);
}

/** `a + b` for the sign 1, `a - b` for -1; exact. */
export const sumOf = (a: CelQuantity, b: CelQuantity, sign: 1n | -1n): CelQuantity => ({
  is: 'kubernetes.Quantity',
  numerator: a.numerator * b.denominator + sign * b.numerator * a.denominator,
  denominator: a.denominator * b.denominator,
});
