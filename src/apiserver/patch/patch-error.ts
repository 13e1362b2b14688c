/** A patch that does not apply; `message` in the words of the library that the API server uses. */
export class PatchError extends Error {
  override readonly name = 'PatchError';
}

/** The library reads memory that is not there: the request ends without an answer. */
export class PanicError extends Error {
  override readonly name = 'PanicError';
}

/** Following the patch would take too long here, whatever an API server makes of it. `message` says what is too much. */
export class PatchLimitExceeded extends Error {
  override readonly name = 'PatchLimitMet';
}

export const panics = (): never => {
  throw new PanicError('a step without a value');
};

/** encoding/json about a value that is not what it should be. */
export const word = (kind: string, type: string): string =>
  `json: cannot unmarshal ${kind} into Go value of type ${type}`;
