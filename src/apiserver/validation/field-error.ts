import { goQuote } from '../go/quote.ts';
import { goJsonText } from '../go/value.ts';

/** The API server's error about one field (apimachinery/pkg/util/validation/field/errors.go). */
export interface FieldError {
  /** As in the error, `webhooks[0].rules[1].resources`. */
  readonly field: string;
  /** The text after the field: `Required value`, `Invalid value: "x": why`. */
  readonly text: string;
  /** The text before 1.34, if it was different. */
  readonly before?: string;
  /** The error contains more text that is not predicted: a list in Go's format, or a compiler's error. */
  readonly shortened?: true;
}

/** Joins the errors of several parts; `false` is a condition that does not hold. */
export const errors = (
  ...parts: readonly (FieldError | readonly FieldError[] | false)[]
): readonly FieldError[] => parts.flat().filter((part) => part !== false);

const valueText = (value: unknown): string =>
  typeof value === 'string' ? goQuote(value) : goJsonText(value);
/** A value in Go syntax, as errors contain it before 1.34. */
const goSource = (value: unknown, type: string): string => {
  if (value === null) return `[]${type}(nil)`;
  return Array.isArray(value) ? `[]${type}{${value.map(goQuote).join(', ')}}` : valueText(value);
};
const because = (why: string): string => (why === '' ? '' : `: ${why}`);

/**
 * `Required value`.
 *
 * @param why the reason; `before`: the reason before 1.34.
 */
export const requiredError = (field: string, why = '', before = why): FieldError => ({
  field,
  text: `Required value${because(why)}`,
  before: `Required value${because(before)}`,
});
/** `Forbidden`: the field must not be set. */
export const forbiddenError = (field: string, why: string): FieldError => ({
  field,
  text: `Forbidden: ${why}`,
});
/** @param type the Go type of a list's items. */
export const invalid = (field: string, value: unknown, why: string, type = 'string'): FieldError => ({
  field,
  text: `Invalid value: ${valueText(value)}: ${why}`,
  before: `Invalid value: ${goSource(value, type)}: ${why}`,
});
/** The same for a value whose Go format is not predicted. */
export const invalidAtLength = (field: string, why: string): FieldError => ({
  field,
  text: why,
  shortened: true,
});
/** `Duplicate value`: an item of a list that must be unique. */
export const duplicate = (field: string, value: string): FieldError => ({
  field,
  text: `Duplicate value: ${goQuote(value)}`,
});
/** `Too many`: a list of more than `most` items. */
export const tooMany = (field: string, count: number, most: number): FieldError => ({
  field,
  text: `Too many: ${count}: must have at most ${most} items`,
});

/**
 * An error if the value is set and is not one of these.
 *
 * @param shown `goQuote` for a plain string; the JSON encoder writes a value of a named Go type.
 */
export function oneOf(
  field: string,
  value: string | undefined,
  supported: readonly string[],
  shown: (value: string) => string = goJsonText,
): readonly FieldError[] {
  if (value === undefined || supported.includes(value)) return [];
  const text = (quoted: string) =>
    `Unsupported value: ${quoted}: supported values: ${supported.map(goQuote).join(', ')}`;
  return [{ field, text: text(shown(value)), before: text(goQuote(value)) }];
}
