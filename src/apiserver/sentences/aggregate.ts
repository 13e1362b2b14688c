/** Joins errors as apimachinery's aggregate: one as it is, several in brackets, without duplicates. */
export function aggregate(errors: readonly string[]): string {
  const [first = '', ...others] = new Set(errors);
  return others.length === 0 ? first : `[${[first, ...others].join(', ')}]`;
}
