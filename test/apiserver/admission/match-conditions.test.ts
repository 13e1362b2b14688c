import { expect } from 'chai';
import type { AdmissionRequest } from '../../../src/apiserver/admission/admission-request.ts';
import { matchRequest } from '../../../src/apiserver/admission/match.ts';
import {
  accessChecks,
  conditionOutcomesOfAny,
  conditionsOf,
} from '../../../src/apiserver/admission/match-conditions.ts';
import { accessKey } from '../../../src/apiserver/cel/authorization-functions.ts';
import type { FailurePolicy } from '../../../src/facts/callout.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { ConditionAnswer as Answer, RecordedConditions } from '../../e2e/match-condition-questions.ts';
import { holdAgreement } from '../../oracle/agreement.ts';
import { recordedAnswers } from '../../support/recordings.ts';
import { namespace, objects, webhook } from '../../support/snapshot.ts';

/** By version: requests, in which `{at}` is the number of the question, and the recorded results. */
const requestsOf = recordedAnswers<AdmissionRequest>('match-condition-requests');
const recordings = recordedAnswers<RecordedConditions>('match-conditions');

const verdict = (
  request: AdmissionRequest,
  conditions: readonly string[],
  version?: string,
  failurePolicy: FailurePolicy = 'Fail',
): Answer | 'unknown' => {
  const matchConditions = conditions.map((expression, at) => ({ name: `c${at}`, expression }));
  const found = conditionsOf({ matchConditions, failurePolicy }, request, version);
  switch (found.outcome) {
    case 'hold':
      return 'called';
    case 'skipped':
      return 'passed over';
    case 'rejected':
      return { refused: found.text };
    case 'unknown':
      return 'unknown';
  }
};

/** The request without the content of its objects, as for a predicted request. */
const foreseen = ({ object, oldObject, user, name, ...rest }: AdmissionRequest): AdmissionRequest => {
  const labels = (of: object | undefined) =>
    (of as { metadata?: { labels?: Record<string, string> } } | undefined)?.metadata?.labels ?? {};
  return {
    ...rest,
    ...(name !== undefined && { name }),
    ...(object !== undefined && { labels: labels(object) }),
    ...(oldObject !== undefined && { oldLabels: labels(oldObject) }),
  };
};

for (const [version, answers] of recordings) {
  const patterns = new Map(
    [...(requestsOf.get(version) ?? [])].map(([name, request]) => [name, JSON.stringify(request)]),
  );
  const asked = [...answers.values()].flatMap(({ at, conditions, said }) =>
    Object.entries(said).map(([request, answer]) => ({
      request,
      conditions,
      answer,
      pattern: (patterns.get(request) ?? '').replaceAll('{at}', `${at}`),
    })),
  );
  const title = (request: string, conditions: readonly string[]) => `${request}: ${conditions.join(' and ')}`;

  describe(`matchConditions, compared with kube-apiserver ${version}`, () => {
    let requests: readonly AdmissionRequest[] = [];
    let verdicts: readonly (Answer | 'unknown')[] = [];
    before(() => {
      requests = asked.map(({ pattern }) => JSON.parse(pattern));
      verdicts = asked.map(({ conditions }, at) => verdict(made(at), conditions, version));
    });
    after(() => {
      requests = [];
    });
    const made = (at: number): AdmissionRequest => requests[at] as AdmissionRequest;

    it('have the same result, or unknown', () => {
      for (const [at, { request, conditions, answer }] of asked.entries())
        if (verdicts[at] !== 'unknown')
          expect(verdicts[at], title(request, conditions)).to.deep.equal(answer);
    });

    it('are rarely unknown if the objects are known', () => {
      const results = asked.map(({ answer }, at) => {
        const told = verdicts[at];
        return [told === 'unknown' ? undefined : told, answer] as const;
      });
      expect(asked.length).to.be.above(1500);
      expect(results.filter(([told]) => told === undefined).length / asked.length).to.be.below(0.015);
      holdAgreement('match-conditions', version, results);
    });

    it('are never wrong if only labels of the objects are known', () => {
      let told = 0;
      for (const [at, { request, conditions, answer }] of asked.entries()) {
        const partly = verdict(foreseen(made(at)), conditions, version);
        if (partly === 'unknown') continue;
        told += 1;
        expect(partly, title(request, conditions)).to.deep.equal(answer);
      }
      expect(told).to.be.above(900);
    });

    it('are never wrong if only the kind of the objects is known', () => {
      let told = 0;
      for (const [at, { request, conditions, answer }] of asked.entries()) {
        const [expression, another] = conditions;
        if (expression === undefined || another !== undefined) continue;
        const shape = { subresource: '', ...made(at) };
        const [any] = conditionOutcomesOfAny(
          { matchConditions: [{ name: 'c', expression }] },
          shape,
          version,
        );
        if (any === undefined || any.outcome === 'unknown') continue;
        told += 1;
        const end = typeof answer === 'string' ? answer : answer.refused.replace(/^.* is forbidden: /, '');
        const wanted = any.outcome === 'error' ? any.text : any.outcome === 'true' ? 'called' : 'passed over';
        expect(wanted, title(request, conditions)).to.equal(end);
      }
      expect(told).to.be.above(400);
    });

    it('skip the webhook after an error with failurePolicy Ignore', () => {
      for (const [at, { request, conditions, answer }] of asked.entries()) {
        const told = verdict(made(at), conditions, version, 'Ignore');
        if (told === 'unknown') continue;
        const wanted = typeof answer === 'object' ? 'passed over' : answer;
        expect(told, title(request, conditions)).to.equal(wanted);
      }
    });
  });
}

const pod: AdmissionRequest = {
  operation: 'CREATE',
  group: '',
  version: 'v1',
  resource: 'pods',
  kind: 'Pod',
  namespace: 'shop',
  labels: { app: 'policy' },
  unknownLabels: ['pod-template-hash'],
};

const cases: readonly (readonly [
  string,
  Partial<AdmissionRequest>,
  readonly string[],
  Answer | 'unknown',
])[] = [
  ['no conditions', {}, [], 'called'],
  ['a namespace left out', {}, ["request.namespace != 'shop'"], 'passed over'],
  ['another namespace left out', {}, ["request.namespace != 'kube-system'"], 'called'],
  ['a label of the template', {}, ["object.metadata.labels['app'] == 'policy'"], 'called'],
  ['a label that it surely lacks', {}, ['has(object.metadata.labels.team)'], 'passed over'],
  ['a label that its controller sets', {}, ["has(object.metadata.labels['pod-template-hash'])"], 'unknown'],
  ['all labels', {}, ['object.metadata.labels.size() == 1'], 'unknown'],
  [
    'labels of a Pod that nobody looked at',
    { moreLabels: true },
    ['has(object.metadata.labels.team)'],
    'unknown',
  ],
  [
    'labels of a Pod that surely has none',
    { labels: {}, unknownLabels: [] },
    ['has(object.metadata.labels)'],
    'passed over',
  ],
  ['an annotation', {}, ["object.metadata.annotations['a'] == 'b'"], 'unknown'],
  ['who asks', {}, ["!('system:nodes' in request.userInfo.groups)"], 'unknown'],
  [
    'who asks, and what decides already',
    {},
    ["request.userInfo.username == 'x' && request.namespace != 'shop'"],
    'passed over',
  ],
  [
    'who asks, and another condition that is false',
    {},
    ["request.userInfo.username == 'x'", 'false'],
    'passed over',
  ],
  ['what the template does not say', {}, ['has(object.spec.nodeName)'], 'unknown'],
  [
    'what the template says',
    { objectPart: { spec: { hostNetwork: true } } },
    ['object.spec.hostNetwork'],
    'called',
  ],
  [
    'containers, to which others may add',
    { objectPart: { spec: { containers: [{ name: 'a' }] } } },
    ['object.spec.containers.size() == 1'],
    'unknown',
  ],
  [
    'what the template leaves empty',
    {
      objectPart: {
        metadata: { creationTimestamp: null, annotations: { a: 'b' } },
        spec: { nodeName: null },
      },
    },
    ["object.metadata.annotations.a == 'b' && !has(object.spec.nodeName)"],
    'unknown',
  ],
  [
    'a template without metadata',
    { objectPart: { metadata: null } },
    ["object.metadata.namespace == 'shop'"],
    'called',
  ],
  [
    'the kind of a subresource',
    { subresource: 'eviction', kind: 'Eviction' },
    ["request.kind.group == ''"],
    'unknown',
  ],
  ['a text that is no expression', {}, ['object.'], 'unknown'],
  ['an unknown function', {}, ['nothing(object)'], 'unknown'],
  ['an answer that is no truth', {}, ['1 + 1'], 'unknown'],
  [
    'an error, in a Pod without a name yet',
    {},
    ["namespaceObject.metadata.name != 'x'"],
    {
      refused:
        "pods \"NAME\" is forbidden: expression 'namespaceObject.metadata.name != 'x'' resulted in error: no such key: metadata",
    },
  ],
  [
    'an error beside what nobody knows',
    {},
    ["namespaceObject.metadata.name != 'x'", 'request.userInfo.uid == ""'],
    'unknown',
  ],
  ['an old object of a creation', {}, ['oldObject == null'], 'called'],
  [
    'the options of a CONNECT',
    { operation: 'CONNECT', subresource: 'exec' },
    ["object.container == 'x'"],
    'unknown',
  ],
  [
    'the resource of a CONNECT',
    { operation: 'CONNECT', subresource: 'exec' },
    ["request.subResource == 'exec'"],
    'called',
  ],
];

describe('matchConditions of a predicted request', () => {
  for (const [name, over, conditions, wanted] of cases) {
    it(name, () => {
      expect(verdict({ ...pod, ...over }, conditions)).to.deep.equal(wanted);
    });
  }
});

describe('matchConditions that use the authorizer', () => {
  const expression =
    '!authorizer.group("apps").resource("deployments").namespace("shop").check("breakglass").allowed()';
  const matchConditions = [{ name: 'break-glass', expression }];
  const request: AdmissionRequest = { operation: 'CREATE', group: '', version: 'v1', resource: 'pods' };
  const check = () => accessChecks({ matchConditions }, request)[0];

  it('return the required checks', () => {
    expect(check()).to.deep.equal({
      group: 'apps',
      resource: 'deployments',
      namespace: 'shop',
      verb: 'breakglass',
    });
    expect(verdict(request, [expression])).to.equal('unknown');
  });

  it('have the result of the API server', () => {
    const key = accessKey(check() ?? {});
    expect(verdict({ ...request, allowed: { [key]: true } }, [expression])).to.equal('passed over');
    expect(verdict({ ...request, allowed: { [key]: false } }, [expression])).to.equal('called');
  });

  it('use the resource of the request', () => {
    const asked = 'authorizer.requestResource.check("skip").allowed()';
    const of = { ...request, namespace: 'shop', name: 'web-0' };
    expect(accessChecks({ matchConditions: [{ name: 'c', expression: asked }] }, of)).to.deep.equal([
      { resource: 'pods', namespace: 'shop', name: 'web-0', verb: 'skip' },
    ]);
  });

  it('are unknown with more than two checks in one expression', () => {
    const twice = `${expression} && ${expression} && ${expression}`;
    const allowed = { [accessKey(check() ?? {})]: false };
    expect(verdict({ ...request, allowed }, [twice]))
      .to.have.property('refused')
      .that.includes('cost limit exceeded');
  });
});

describe('matchConditions and the other steps', () => {
  const facts = { namespaces: objects(namespace('shop')), served: complete<never>([]) };
  const outcome = (expression: string, failurePolicy: FailurePolicy, over: object = {}) => {
    const rules = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }];
    const matchConditions = [{ name: 'one', expression }];
    return matchRequest(webhook({ rules, matchConditions, failurePolicy, ...over }), pod, facts).outcome;
  };

  it('refuse, skip and call', () => {
    expect(outcome('namespaceObject.metadata.name == ""', 'Fail')).to.equal('rejected');
    expect(outcome('namespaceObject.metadata.name == ""', 'Ignore')).to.equal('skipped');
    expect(outcome('namespaceObject == null', 'Fail')).to.equal('called');
    expect(outcome('request.userInfo.username == "x"', 'Fail')).to.equal('unknown');
  });

  it('do not refuse requests that an objectSelector may exclude', () => {
    const objectSelector = { matchLabels: { 'pod-template-hash': 'x' } };
    expect(outcome('namespaceObject.metadata.name == ""', 'Fail', { objectSelector })).to.equal('unknown');
  });
});
