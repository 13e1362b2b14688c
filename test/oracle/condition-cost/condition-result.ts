import { resultOf, type Variables } from '../../../src/apiserver/cel/evaluate.ts';
import { parse } from '../../../src/apiserver/cel/parse.ts';
import { CelError, NotEvaluable } from '../../../src/apiserver/cel/value.ts';

const metadata = { name: 'new', namespace: 'shop', labels: { team: 'a' }, annotations: { note: 'x' } };
const resource = { group: '', version: 'v1', resource: 'pods' };
const kind = { group: '', version: 'v1', kind: 'Pod' };
/** The variables for the conditions of the cost suite. */
export const conditionVariables = {
  object: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: {
      containers: [{ name: 'app', image: 'registry.example.com/app:1', ports: [{ containerPort: 8080 }] }],
      replicas: 3,
      ratio: 0.5,
      list: ['a', 'b'],
      mixed: ['a', 1],
      flag: true,
      nothing: null,
    },
  },
  oldObject: null,
  namespaceObject: null,
  request: {
    name: 'new',
    namespace: 'shop',
    operation: 'CREATE',
    dryRun: false,
    kind,
    requestKind: kind,
    resource,
    // The object is untyped, as those of custom resources.
    requestResource: { ...resource, group: 'shop.example.com' },
    userInfo: { username: 'alice', groups: ['system:masters', 'system:authenticated'] },
  },
};
/** The result of a condition, or the message of its error, in the model; undefined if it is unknown. */
export function conditionResult(
  expression: string,
  variables: Variables,
  version: string,
): string | undefined {
  try {
    return String(resultOf(parse(expression), variables, version));
  } catch (thrown) {
    if (thrown instanceof CelError) return thrown.message;
    if (thrown instanceof NotEvaluable) return undefined;
    throw thrown;
  }
}

/** The result of a condition, or the message of its error, and its cost. */
export type RecordedCondition = readonly [result: string, cost: number];
