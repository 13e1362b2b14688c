import { authorizationMethods } from './authorization-functions.ts';
import { kubernetesFunctions, kubernetesMethods, setFunctions } from './kubernetes-functions.ts';
import { listFunctions, listMethods } from './list-functions.ts';
import { namespacedNetworkFunctions, networkFunctions, networkMethods } from './network-functions.ts';
import { byName, type Overload, overload } from './overload.ts';
import { conversions, sizes } from './standard-functions.ts';
import { textMethods } from './text-functions.ts';
import { timeFunctions, timeMethods } from './time-functions.ts';
import { CelError, type CelOptional, type CelValue } from './value.ts';
import { versionFunctions, versionMethods } from './version-functions.ts';

export type { CelFunction } from './overload.ts';

const optionalMethods: readonly Overload[] = [
  overload('hasValue', ['optional_type'], ({ value }: CelOptional) => value !== undefined),
  overload('value', ['optional_type'], ({ value }: CelOptional) => {
    if (value === undefined) throw new CelError('optional.none() dereference');
    return value;
  }),
];

const optionalFunctions: readonly Overload[] = [
  overload('optional.none', [], () => ({ is: 'optional' })),
  overload('optional.of', ['dyn'], (value: CelValue) => ({ is: 'optional', value })),
];

/** Global functions, by name. */
export const functions = byName([
  ...conversions,
  ...sizes,
  ...kubernetesFunctions,
  ...networkFunctions,
  ...versionFunctions,
  ...timeFunctions,
]);

/** Functions of a namespace, by their full name. */
export const namespaced = byName([
  ...setFunctions,
  ...optionalFunctions,
  ...listFunctions,
  ...namespacedNetworkFunctions,
]);

/** Methods, by name; the receiver is the first argument. */
export const methods = byName([
  ...sizes,
  ...textMethods,
  ...listMethods,
  ...optionalMethods,
  ...kubernetesMethods,
  ...networkMethods,
  ...versionMethods,
  ...timeMethods,
  ...authorizationMethods,
]);
