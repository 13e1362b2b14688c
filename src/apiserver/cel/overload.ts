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

/**
 * Functions by name: the overload that fits the arguments is taken, none is an error in cel-go's words (cel-go
 * common/decls/decls.go MaybeNoSuchOverload).
 */
export function byName(overloads: readonly Overload[]): ReadonlyMap<string, CelFunction> {
  const names = new Set(overloads.map(({ name }) => name));
  return new Map(
    [...names].map((name) => {
      const candidates = overloads.filter((one) => one.name === name);
      const run: CelFunction = (...args) => {
        const given = args.map(typeName);
        const fitting = candidates.find((one) => takes(one, given));
        if (fitting !== undefined) return fitting.run(...args);
        // Other types may have it in Kubernetes, which we do not have.
        if (
          given.some((type) => type.includes('.')) ||
          !candidates.some(({ types }) => types.length === given.length)
        ) {
          throw new CannotTell();
        }
        throw new CelError(`no such overload: ${name}(${given.join(', ')})`);
      };
      return [name, run];
    }),
  );
}
