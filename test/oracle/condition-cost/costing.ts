const hundred = `[${Array.from({ length: 100 }, (_, at) => at).join(',')}]`;

/** Expressions that are true, with their costs. */
const units: readonly (readonly [cost: number, expression: string])[] = [
  [70_401, `${hundred}.all(a, ${hundred}.all(b, a + b >= 0))`],
  [501, `${hundred}.all(a, a >= 0)`],
  [4, '[0].all(a, true)'],
  [1, '1 == 1'],
];

/** An expression that is true and has exactly this cost. */
export function costing(cost: number): string {
  let left = cost;
  const terms: string[] = [];
  for (const [price, expression] of units) for (; left >= price; left -= price) terms.push(expression);
  return terms.join(' && ');
}
