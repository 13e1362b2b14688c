import { canPassWithMetadata, deniesOthers } from '../../apiserver/admission/condition-reach.ts';
import {
  brokenConditionSentence,
  decidesAlone,
  type EvaluatedShape,
  endsInError,
  evaluatedShapes,
  isExcluded,
} from '../../apiserver/admission/condition-shapes.ts';
import { conditionErrorsIn, readsVariable } from '../../apiserver/admission/match-conditions.ts';
import type { RequestShape } from '../../apiserver/cel/any-request.ts';
import { defined } from '../../basics/collections.ts';
import { type AdmissionCallout, calloutId, isAdmission, webhookEvidence } from '../../facts/callout.ts';
import type { Evidence } from '../../facts/evidence.ts';
import type { DryRun } from '../../facts/probes.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { NotKnown } from '../../facts/unread.ts';
import { listed } from '../../phrases/lists.ts';
import { type CheckStep, defineCheck, fatal, fatalForSome, type Messages } from '../check.ts';

const shapeText = ({ operation, resource = '*', subresource = '*' }: RequestShape): string =>
  `${operation} ${subresource === '' ? resource : `${resource}/${subresource}`}`;

type Verdict =
  | {
      readonly id: 'refuses' | 'refusesSome' | 'mayRefuse' | 'passesOver' | 'passesOverSome';
      readonly error: string;
      readonly requests: string;
      /** The error message of the API server for such a request. */
      readonly sentence?: string;
    }
  | {
      readonly id: 'alwaysFalse' | 'neverCalled' | 'leavesOutNothing' | 'readsNothing';
      readonly error?: undefined;
    };

function verdictOn(
  callout: AdmissionCallout,
  at: number,
  evaluated: readonly EvaluatedShape[],
): Verdict | undefined {
  const reaching = evaluated.filter((one) => !isExcluded(one, at));
  const failing = reaching.filter(({ outcomes }) => outcomes[at]?.outcome === 'error');
  const [first] = failing;
  const error = first?.outcomes[at];
  if (error?.outcome === 'error') {
    const requests = listed([...new Set(failing.map(({ shape }) => shape).map(shapeText))], { most: 3 });
    const all = failing.length === reaching.length;
    const data = { error: error.because, requests };
    if (callout.failurePolicy === 'Ignore') return { id: all ? 'passesOver' : 'passesOverSome', ...data };
    if (!failing.some((one) => decidesAlone(one, at))) return { id: 'mayRefuse', ...data };
    if (all && failing.every((one) => decidesAlone(one, at))) return { id: 'refuses', ...data };
    const refused = failing.find(endsInError);
    return { id: 'refusesSome', ...data, ...(refused && { sentence: brokenConditionSentence(refused) }) };
  }
  const condition = callout.matchConditions[at];
  if (condition === undefined) return undefined;
  const outcomes = new Set(evaluated.map((one) => one.outcomes[at]?.outcome));
  const isAlwaysFalse = outcomes.size === 1 && outcomes.has('false');
  if (readsVariable(condition, 'namespaceObject') !== true)
    return isAlwaysFalse ? { id: 'alwaysFalse' } : undefined;
  if (isAlwaysFalse) return { id: 'neverCalled' };
  return { id: outcomes.size === 1 && outcomes.has('true') ? 'leavesOutNothing' : 'readsNothing' };
}

function dryRunOf(callout: AdmissionCallout, { probes }: Pick<Facts, 'probes'>): DryRun | undefined {
  const id = calloutId(callout);
  return callout.failurePolicy === 'Ignore' ? undefined : probes.getIfKnown(id)?.dryRun;
}

const advice =
  '[end] Test for presence before the expression reads a field, for example `has(object.metadata.labels) && …`, `object == null || …` or `object.?metadata.labels.team.orValue("")`: `kubectl edit {kind} {configuration}`. [end] Correct or remove a condition that is always false. [end] To select by namespace, use `request.namespace` or the namespaceSelector of the webhook.';

const messages = {
  refuses: fatal(
    'matchCondition {condition} always fails ({error}): every request that could reach the webhook is refused',
  ),
  refusedPlain: fatal(
    'matchCondition {condition} fails ({error}): the API server refused {request} of a test object',
  ),
  refusesSome: fatalForSome(
    'matchCondition {condition} fails ({error}) for {requests}: these requests are refused',
  ),
  mayRefuse:
    'matchCondition {condition} fails ({error}) for {requests}: they are refused unless another condition excludes them',
  passesOver:
    'matchCondition {condition} always fails ({error}): with failurePolicy Ignore the webhook is never called',
  passesOverSome:
    'matchCondition {condition} fails ({error}) for {requests}: with failurePolicy Ignore the webhook is not called for them',
  alwaysFalse:
    'matchCondition {condition} is false for every request that the rules match: the webhook is never called',
  neverCalled:
    'matchCondition {condition} reads namespaceObject, which is null for webhooks, and is always false: the webhook is never called',
  leavesOutNothing:
    'matchCondition {condition} reads namespaceObject, which is null for webhooks, and is always true: it excludes nothing',
  readsNothing: 'matchCondition {condition} reads namespaceObject, which is null for webhooks',
} as const satisfies Messages;

const requires = ['version', 'callouts', 'probes', 'namespaces', 'served'] as const;

/** A condition of a webhook, and the outcomes of all for requests that its rules match. */
interface PlacedCondition {
  readonly callout: AdmissionCallout;
  readonly at: number;
  readonly evaluated: readonly EvaluatedShape[];
}

type OwnStep = CheckStep<PlacedCondition, typeof requires, typeof messages, typeof advice>;

const expressionEvidence = ({ callout, at }: PlacedCondition): Evidence =>
  webhookEvidence(
    callout,
    `matchConditions[${at}].expression`,
    callout.matchConditions[at]?.expression ?? '',
  );

/** A condition that fails for the object of a dry run. */
const refusedDryRun: OwnStep = (condition, facts, find) => {
  const { callout, at, evaluated } = condition;
  const dryRun = dryRunOf(callout, facts);
  const detail = dryRun && conditionErrorsIn(callout, dryRun.message).find((one) => one.at === at);
  const verdict = verdictOn(callout, at, evaluated);
  if (dryRun === undefined || detail === undefined || verdict?.id === 'refuses') return undefined;
  const request = `${dryRun.operation} ${dryRun.resource}`;
  const whose = canPassWithMetadata(callout, dryRun, facts) ? `${request} of a test object` : request;
  const data = {
    condition: callout.matchConditions[at]?.name ?? '',
    error: detail.because,
    request,
    requests: verdict?.error === detail.because ? verdict.requests : whose,
  };
  const evidence = [expressionEvidence(condition), { object: callout.ref, value: dryRun.message }];
  const messageId = deniesOthers(callout, dryRun, facts) ? 'refusedPlain' : 'refusesSome';
  return find(messageId, data, evidence, 'observed');
};

/** A condition that fails, or decides nothing, for requests that the rules match. */
const brokenCondition: OwnStep = (condition, _facts, find) => {
  const { callout, at, evaluated } = condition;
  const verdict = verdictOn(callout, at, evaluated);
  if (verdict === undefined) return undefined;
  const { id, error = '', requests = '', sentence } = { requests: '', sentence: undefined, ...verdict };
  const data = { condition: callout.matchConditions[at]?.name ?? '', error, requests };
  return { ...find(id, data, [expressionEvidence(condition)]), ...defined({ sentence }) };
};

export const matchConditionBroken = defineCheck({
  meta: {
    id: 'match-condition-broken',
    title: 'matchCondition fails or is always false',
    severity: 'warning',
    why: 'An expression that reads an absent field fails: `object` is null on DELETE, `oldObject` on CREATE. `request.subResource` is absent without a subresource. failurePolicy Fail then refuses the request with 403, and Ignore skips the webhook. `namespaceObject` is accepted but always null for webhooks; only admission policies have it.',
    advice,
    noRemedy: 'up-to-its-owner',
    messages,
    references: [
      '/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-matchconditions',
    ],
  },
  requires,
  subjects: ({ callouts }) =>
    callouts
      .filter(isAdmission)
      .filter(({ matchConditions, rules }) => matchConditions.length > 0 && rules.length > 0),
  run(callout, facts, find) {
    const evaluated = evaluatedShapes(facts, callout);
    const found = callout.matchConditions.flatMap(
      (_, at) =>
        refusedDryRun({ callout, at, evaluated }, facts, find) ??
        brokenCondition({ callout, at, evaluated }, facts, find) ??
        [],
    );
    const [unread] = evaluated.flatMap(({ outcomes }) =>
      outcomes.flatMap((one) => (one.outcome === 'unknown' ? (one.unread ?? []) : [])),
    );
    if (found.length === 0 && unread !== undefined) throw new NotKnown(unread);
    return found;
  },
});
