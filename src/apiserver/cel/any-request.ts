import type { Operation } from '../admission/admission-request.ts';
import type { Variables } from './evaluate.ts';
import { mayHaveField } from './object-fields.ts';
import { type CelValue, celMap, openMap, unknownValue } from './value.ts';

/** Requests of which only these properties are known; an absent one can have any value. */
export interface RequestShape {
  readonly operation: Operation;
  readonly group?: string;
  readonly version?: string;
  readonly resource?: string;
  /** Empty: no subresource. */
  readonly subresource?: string;
}

/** Any object of the resource; for a subresource, objects of other kinds. */
const anyObject = (shape: RequestShape): CelValue =>
  openMap([], (field) => shape.subresource !== '' || mayHaveField(shape, field));

function objectOf(shape: RequestShape): CelValue | typeof unknownValue {
  if (shape.operation === 'DELETE') return null;
  return shape.operation === 'CONNECT' ? unknownValue : anyObject(shape);
}

/** The variables of a matchCondition for any request of a shape: the value is valid for all of them. */
export function variablesOfAny(shape: RequestShape): Variables {
  const { operation, group, version, resource, subresource } = shape;
  const where = celMap([
    ['group', group ?? unknownValue],
    ['version', version ?? unknownValue],
    ['resource', resource ?? unknownValue],
  ]);
  const absent = (key: unknown) =>
    subresource === '' && (key === 'subResource' || key === 'requestSubResource');
  const request = openMap(
    [
      ['operation', operation],
      ['resource', where],
      // matchPolicy Equivalent: the client may have requested another version or group.
      ['requestResource', unknownValue],
      ['userInfo', unknownValue],
      ['dryRun', unknownValue],
      ...(subresource ? ([['subResource', subresource]] as const) : []),
    ],
    (key) => !absent(key),
  );
  return new Map<string, CelValue | typeof unknownValue>([
    ['object', objectOf(shape)],
    ['oldObject', shape.operation === 'CREATE' || shape.operation === 'CONNECT' ? null : anyObject(shape)],
    ['request', request],
    ['namespaceObject', null],
    ['authorizer', unknownValue],
  ]);
}
