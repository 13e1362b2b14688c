import { noSuchOverload } from './operators.ts';
import { CelError, type CelValue, NotEvaluable } from './value.ts';

/** The result of a part of an expression; an error or an unknown part does not always end the evaluation. */
export type CelAnswer =
  | { readonly value: CelValue }
  | { readonly error: CelError }
  | { readonly unknown: NotEvaluable };

/** The result of an operand, also if it is an error or unknown. */
export function attempt(work: () => CelValue): CelAnswer {
  try {
    return { value: work() };
  } catch (error) {
    if (error instanceof CelError) return { error };
    if (error instanceof NotEvaluable) return { unknown: error };
    throw error;
  }
}

/** Throws a result that has no value. */
export function thrown(answer: Exclude<CelAnswer, { readonly value: CelValue }>): never {
  throw 'error' in answer ? answer.error : answer.unknown;
}

/** `&&` and `||`: one deciding operand is enough, whatever the others are. Unknown precedes an error. */
export function logical(deciding: boolean, answers: Iterable<CelAnswer>): boolean {
  let unknown: NotEvaluable | undefined;
  let error: CelError | undefined;
  for (const answer of answers) {
    if ('unknown' in answer) unknown ??= answer.unknown;
    else if ('error' in answer) error ??= answer.error;
    else if (answer.value === deciding) return deciding;
    else if (answer.value !== !deciding) error ??= noSuchOverload();
  }
  if (unknown !== undefined) throw unknown;
  if (error !== undefined) throw error;
  return !deciding;
}

/** The value of a condition, which must be a bool. */
export const conditionValue = (value: CelValue): boolean => {
  if (typeof value !== 'boolean') throw noSuchOverload();
  return value;
};

/** Iterates over all items as cel-go does: the error of a later item replaces that of an earlier one. */
export function collected<Item>(
  items: readonly Item[],
  keep: (item: Item) => boolean,
  result: (item: Item) => CelValue,
): readonly (readonly [Item, CelValue])[] {
  const found: (readonly [Item, CelValue])[] = [];
  let error: CelError | undefined;
  for (const item of items) {
    const kept = attempt(() => keep(item));
    if ('unknown' in kept) throw kept.unknown;
    if ('error' in kept) error = kept.error;
    if (!('value' in kept) || kept.value !== true) continue;
    const made = attempt(() => result(item));
    if ('unknown' in made && error === undefined) throw made.unknown;
    if ('error' in made) error ??= made.error;
    else if ('value' in made) found.push([item, made.value]);
  }
  if (error !== undefined) throw error;
  return found;
}
