import type { Operation } from '../admission-request.ts';
import type { Variables } from './evaluate.ts';
import { type CelValue, map, openMap, unforeseen } from './value.ts';

/** Requests of which only this much is known; what is absent may be anything. */
export interface RequestShape {
  readonly operation: Operation;
  readonly group?: string;
  readonly version?: string;
  readonly resource?: string;
  /** Empty: surely none. */
  readonly subresource?: string;
}

function objectOf(operation: Operation): CelValue | typeof unforeseen {
  if (operation === 'DELETE') return null;
  return operation === 'CONNECT' ? unforeseen : openMap([]);
}

const oldObjectOf = (operation: Operation): CelValue =>
  operation === 'CREATE' || operation === 'CONNECT' ? null : openMap([]);

/** The variables of a matchCondition for any request of a shape: what an expression comes to holds for all of them. */
export function variablesOfAny({
  operation,
  group,
  version,
  resource,
  subresource,
}: RequestShape): Variables {
  const where = map([
    ['group', group ?? unforeseen],
    ['version', version ?? unforeseen],
    ['resource', resource ?? unforeseen],
  ]);
  const absent = (key: unknown) =>
    subresource === '' && (key === 'subResource' || key === 'requestSubResource');
  const request = openMap(
    [
      ['operation', operation],
      ['resource', where],
      ['requestResource', where],
      ['userInfo', unforeseen],
      ['dryRun', unforeseen],
      ...(subresource ? ([['subResource', subresource]] as const) : []),
    ],
    (key) => !absent(key),
  );
  return new Map<string, CelValue | typeof unforeseen>([
    ['object', objectOf(operation)],
    ['oldObject', oldObjectOf(operation)],
    ['request', request],
    ['namespaceObject', null],
    ['authorizer', unforeseen],
  ]);
}
