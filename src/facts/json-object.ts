/** A JSON or YAML object with unknown members. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** True for an object; false for an array and for null. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
