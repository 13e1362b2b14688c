import { CelError, type CelValue, NotEvaluable, typeName } from './value.ts';

/** A function of CEL. Throws CelError, or {@link NotEvaluable} if its result is unknown. */
export type CelFunction = (...args: readonly CelValue[]) => CelValue;

/** A function for arguments of these types; for a method, the first one is the receiver. */
export interface Overload {
  readonly name: string;
  readonly types: readonly string[];
  readonly run: CelFunction;
}

/** `dyn` accepts any type. `run` gets arguments of exactly these types. */
export const overload = <Args extends readonly CelValue[]>(
  name: string,
  types: readonly string[],
  run: (...args: Args) => CelValue,
): Overload => ({ name, types, run: run as unknown as CelFunction });

const takes = ({ types }: Overload, given: readonly string[]): boolean =>
  types.length === given.length && types.every((type, at) => type === 'dyn' || type === given[at]);

/** cel-go's error if no overload matches: functions that are dispatched by traits have a shorter message. */
function refusal(name: string, given: readonly string[]): CelError {
  if (bare.has(name) || (name === 'find' && given[0] !== 'string')) return new CelError('no such overload');
  if (name === 'size') return new CelError('no such overload: size');
  if (!dispatched.has(name)) throw new NotEvaluable();
  return new CelError(`no such overload: ${name}(${given.join(', ')})`);
}

const bare = new Set(['startsWith', 'endsWith', 'contains', 'matches']);
/** Functions whose error was confirmed with a real API server. */
const dispatched = new Set(
  'lowerAscii split substring isSorted sum quantity url isURL find int string bool double'.split(' '),
);

/** Functions by name. The first overload that matches is called; otherwise cel-go's error is thrown. */
export function byName(overloads: readonly Overload[]): ReadonlyMap<string, CelFunction> {
  const names = new Set(overloads.map(({ name }) => name));
  return new Map(
    [...names].map((name) => {
      const candidates = overloads.filter((one) => one.name === name);
      const run: CelFunction = (...args) => {
        const given = args.map(typeName);
        const fitting = candidates.find((one) => takes(one, given));
        if (fitting !== undefined) return fitting.run(...args);
        const known = candidates.some(({ types }) => types.length === given.length);
        // Kubernetes types can have functions that are not implemented here.
        if (!known || given.some((type) => type.includes('.') || type === 'optional_type'))
          throw new NotEvaluable();
        throw refusal(name, given);
      };
      return [name, run];
    }),
  );
}
