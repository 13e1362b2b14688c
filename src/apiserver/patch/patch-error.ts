/** A patch that cannot be applied; `message` is the error of the library that the API server uses. */
export class PatchError extends Error {
  override readonly name = 'PatchError';
}

/** The library dereferences a nil pointer: the request ends without a response. */
export class PanicError extends Error {
  override readonly name = 'PanicError';
}

/** The patch exceeds a limit of this program, which `message` names; unknown what the API server does. */
export class PatchLimitExceeded extends Error {
  override readonly name = 'PatchLimitMet';
}

/** Throws PanicError: the library dereferences the missing value of an operation. */
export const panics = (): never => {
  throw new PanicError('a step without a value');
};

/** The error of encoding/json for a value of the wrong type. */
export const word = (kind: string, type: string): string =>
  `json: cannot unmarshal ${kind} into Go value of type ${type}`;
