import type { Operation } from '../../apiserver/admission-request.ts';
import type { RequestShape } from '../../apiserver/cel/any-request.ts';
import {
  type ConditionOutcome,
  conditionOutcomesOfAny,
  readsVariable,
} from '../../apiserver/match-conditions.ts';
import { type AdmissionCallout, isAdmission, type RuleWithOperations } from '../../facts/callout.ts';
import { defineCheck } from '../check.ts';

const everyOperation: readonly Operation[] = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];

const only = (values: readonly string[]): string | undefined =>
  values.length === 1 && values[0] !== '*' ? values[0] : undefined;

/** What a rule covers, taken apart by operation and resource: of each part an expression may say another thing. */
function shapesOf({
  operations,
  apiGroups,
  apiVersions,
  resources,
}: RuleWithOperations): readonly RequestShape[] {
  const wanted = everyOperation.filter((one) => operations.includes('*') || operations.includes(one));
  const [group, version] = [only(apiGroups), only(apiVersions)];
  return wanted.flatMap((operation) =>
    resources.map((entry) => {
      const [resource = '', subresource = ''] = entry.split('/');
      return {
        operation,
        ...(group !== undefined && { group }),
        ...(version !== undefined && { version }),
        ...(resource !== '*' && { resource }),
        ...(subresource !== '*' && { subresource }),
      };
    }),
  );
}

const shapeText = ({ operation, resource = '*', subresource = '*' }: RequestShape): string =>
  `${operation} ${subresource === '' ? resource : `${resource}/${subresource}`}`;

/** Enough to recognise them by. */
function listed(shapes: readonly RequestShape[]): string {
  const texts = [...new Set(shapes.map(shapeText))];
  return texts.length <= 4
    ? texts.join(', ')
    : `${texts.slice(0, 3).join(', ')} and ${texts.length - 3} more`;
}

interface Judged {
  readonly shape: RequestShape;
  readonly outcomes: readonly ConditionOutcome[];
}

/** Every kind of request that the rules cover and no condition leaves out for sure. */
const judge = (callout: AdmissionCallout): readonly Judged[] =>
  callout.rules
    .flatMap(shapesOf)
    .map((shape) => ({ shape, outcomes: conditionOutcomesOfAny(callout, shape) }));

const isLeftOut = ({ outcomes }: Judged, but: number): boolean =>
  outcomes.some(({ outcome }, at) => at !== but && outcome === 'false');

/** Whether nothing but this condition keeps the requests from their end. */
const decidesAlone = ({ outcomes }: Judged, at: number): boolean =>
  outcomes.every(({ outcome }, other) => other === at || outcome === 'true' || outcome === 'error');

type Verdict =
  | {
      readonly id: 'refuses' | 'refusesSome' | 'mayRefuse' | 'passesOver' | 'passesOverSome';
      readonly error: string;
      readonly requests: string;
    }
  | { readonly id: 'neverCalled' | 'leavesOutNothing' | 'readsNothing' };

function verdictOn(callout: AdmissionCallout, at: number, judged: readonly Judged[]): Verdict | undefined {
  const met = judged.filter((one) => !isLeftOut(one, at));
  const failing = met.filter(({ outcomes }) => outcomes[at]?.outcome === 'error');
  const [first] = failing;
  const error = first?.outcomes[at];
  if (error?.outcome === 'error') {
    const requests = listed(failing.map(({ shape }) => shape));
    const all = failing.length === judged.length;
    const told = { error: error.because, requests };
    if (callout.failurePolicy === 'Ignore') return { id: all ? 'passesOver' : 'passesOverSome', ...told };
    if (!failing.some((one) => decidesAlone(one, at))) return { id: 'mayRefuse', ...told };
    return { id: all && failing.every((one) => decidesAlone(one, at)) ? 'refuses' : 'refusesSome', ...told };
  }
  const condition = callout.matchConditions[at];
  if (condition === undefined || readsVariable(condition, 'namespaceObject') !== true) return undefined;
  const outcomes = new Set(judged.map((one) => one.outcomes[at]?.outcome));
  if (outcomes.size === 1 && outcomes.has('false')) return { id: 'neverCalled' };
  return { id: outcomes.size === 1 && outcomes.has('true') ? 'leavesOutNothing' : 'readsNothing' };
}

export const matchConditionBroken = defineCheck({
  meta: {
    id: 'match-condition-broken',
    link: 'registration',
    title: 'A matchCondition cannot do what it says',
    severity: 'warning',
    why: 'An expression that ends in an error decides by failurePolicy, before the webhook is asked: Fail refuses the request with 403, Ignore passes the webhook over without a word. It ends in one when it reads a field that is not there: `object` is null when something is deleted, `oldObject` when it is created, `request.subResource` is absent without a subresource. `namespaceObject` can be named, but for webhooks it is always null; only admission policies get it.',
    advice:
      'Ask before you read: `has(object.metadata.labels) && …`, `object == null || …`, or `object.?metadata.labels.team.orValue("")`. To choose by namespace use `request.namespace` or the namespaceSelector of the webhook, not `namespaceObject`.',
    messages: {
      refuses: {
        text: 'matchCondition {condition} always ends in an error ({error}): every request that the rules cover is refused',
        severity: 'error',
        consequence: 'failing',
      },
      refusesSome: {
        text: 'matchCondition {condition} ends in an error ({error}) for {requests}: these requests are refused',
        severity: 'error',
        consequence: 'degraded',
      },
      mayRefuse:
        'matchCondition {condition} ends in an error ({error}) for {requests}: what no other condition leaves out is refused',
      passesOver:
        'matchCondition {condition} always ends in an error ({error}): with failurePolicy Ignore the webhook is never called',
      passesOverSome:
        'matchCondition {condition} ends in an error ({error}) for {requests}: with failurePolicy Ignore the webhook is not called for them',
      neverCalled:
        'matchCondition {condition} reads namespaceObject, which is null for webhooks, and is always false: the webhook is never called',
      leavesOutNothing:
        'matchCondition {condition} reads namespaceObject, which is null for webhooks, and is always true: it leaves out nothing',
      readsNothing: 'matchCondition {condition} reads namespaceObject, which is null for webhooks',
    },
    references: [
      'https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-matchconditions',
    ],
  },
  requires: ['callouts'],
  subjects: ({ callouts }) =>
    callouts
      .filter(isAdmission)
      .filter(({ matchConditions, rules }) => matchConditions.length > 0 && rules.length > 0),
  run(callout, _facts, find) {
    const judged = judge(callout);
    return callout.matchConditions.flatMap(({ name, expression }, at) => {
      const verdict = verdictOn(callout, at, judged);
      if (verdict === undefined) return [];
      const field = `webhooks[${callout.index}].matchConditions[${at}].expression`;
      const evidence = [{ object: callout.ref, field, value: expression }];
      switch (verdict.id) {
        case 'refuses':
        case 'passesOver':
          return [find(verdict.id, { condition: name, error: verdict.error }, evidence)];
        case 'refusesSome':
        case 'mayRefuse':
        case 'passesOverSome': {
          const { error, requests } = verdict;
          return [find(verdict.id, { condition: name, error, requests }, evidence)];
        }
        default:
          return [find(verdict.id, { condition: name }, evidence)];
      }
    });
  },
});
