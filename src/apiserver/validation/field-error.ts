import { goQuote } from '../certificate/go-quote.ts';

/** What the API server finds wrong with one field (apimachinery/pkg/util/validation/field/errors.go). */
export interface FieldError {
  /** As its sentence has it, `webhooks[0].rules[1].resources`. */
  readonly field: string;
  /** What follows the field: `Required value`, `Invalid value: "x": why`. */
  readonly text: string;
  /** The same before 1.34, where it is worded in another way. */
  readonly before?: string;
  /** The sentence holds more here, which cannot be foreseen: a whole list in Go's words, a compiler's complaint. */
  readonly shortened?: true;
}

/** A value as Go's encoder writes it into a sentence. */
const goJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const valueText = (value: unknown): string => (typeof value === 'string' ? goQuote(value) : goJson(value));
/** A value as Go source, which is how it is written before 1.34. */
const goSource = (value: unknown, type: string): string => {
  if (value === null) return `[]${type}(nil)`;
  return Array.isArray(value) ? `[]${type}{${value.map(goQuote).join(', ')}}` : valueText(value);
};
const because = (why: string): string => (why === '' ? '' : `: ${why}`);

export const required = (field: string, why = '', before = why): FieldError => ({
  field,
  text: `Required value${because(why)}`,
  before: `Required value${because(before)}`,
});
export const forbidden = (field: string, why: string): FieldError => ({ field, text: `Forbidden: ${why}` });
/** @param type of a list's items in Go. */
export const invalid = (field: string, value: unknown, why: string, type = 'string'): FieldError => ({
  field,
  text: `Invalid value: ${valueText(value)}: ${why}`,
  before: `Invalid value: ${goSource(value, type)}: ${why}`,
});
/** The same about a value that Go prints at length. */
export const invalidAtLength = (field: string, why: string): FieldError => ({
  field,
  text: why,
  shortened: true,
});
export const duplicate = (field: string, value: string): FieldError => ({
  field,
  text: `Duplicate value: ${goQuote(value)}`,
});
export const tooMany = (field: string, count: number, most: number): FieldError => ({
  field,
  text: `Too many: ${count}: must have at most ${most} items`,
});

/** @param value of a type of its own in Go, which its encoder writes; a plain string is quoted. */
const unsupportedValue = (
  field: string,
  value: string,
  supported: readonly string[],
  plain = false,
): FieldError => {
  const text = (shown: string) =>
    `Unsupported value: ${shown}: supported values: ${supported.map(goQuote).join(', ')}`;
  return { field, text: text(plain ? goQuote(value) : goJson(value)), before: text(goQuote(value)) };
};

/** One of these, where it is told. */
export const oneOf = (
  field: string,
  value: string | undefined,
  supported: readonly string[],
  plain = false,
): readonly FieldError[] =>
  value === undefined || supported.includes(value) ? [] : [unsupportedValue(field, value, supported, plain)];
