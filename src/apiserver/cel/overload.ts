import { CannotTell, CelError, type CelValue, typeName } from './value.ts';

export type CelFunction = (...args: readonly CelValue[]) => CelValue;

/** A function for arguments of these types; of a method, the first is what it is called on. */
export interface Overload {
  readonly name: string;
  readonly types: readonly string[];
  readonly run: CelFunction;
}

/** `dyn` takes any type. `run` gets arguments of just these types. */
export const overload = <Args extends readonly CelValue[]>(
  name: string,
  types: readonly string[],
  run: (...args: Args) => CelValue,
): Overload => ({ name, types, run: run as unknown as CelFunction });

const takes = ({ types }: Overload, given: readonly string[]): boolean =>
  types.length === given.length && types.every((type, at) => type === 'dyn' || type === given[at]);

/** cel-go's words where no overload fits: some functions are dispatched by traits and say less. */
function refusal(name: string, given: readonly string[]): CelError {
  if (bare.has(name) || (name === 'find' && given[0] !== 'string')) return new CelError('no such overload');
  if (name === 'size') return new CelError('no such overload: size');
  if (!dispatched.has(name)) throw new CannotTell();
  return new CelError(`no such overload: ${name}(${given.join(', ')})`);
}

const bare = new Set(['startsWith', 'endsWith', 'contains', 'matches']);
/** Those that a real API server was asked about. */
const dispatched = new Set([
  'lowerAscii',
  'split',
  'substring',
  'isSorted',
  'sum',
  'quantity',
  'url',
  'isURL',
  'find',
  'int',
  'string',
  'bool',
  'double',
]);

/** Functions by name: the overload that fits the arguments is taken, none is an error in cel-go's words. */
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
        // Types of Kubernetes may have functions that we do not have.
        if (!known || given.some((type) => type.includes('.') || type === 'optional_type'))
          throw new CannotTell();
        throw refusal(name, given);
      };
      return [name, run];
    }),
  );
}
