import { expect } from 'chai';
import type { AdmissionRequest } from '../../../src/apiserver/admission/admission-request.ts';
import type { MatchFacts } from '../../../src/apiserver/admission/match.ts';
import type { TraceCall, TracedResponse } from '../../../src/apiserver/trace/trace-call.ts';
import { type Trace, traceRequest } from '../../../src/apiserver/trace/trace-request.ts';
import type { AdmissionCallout, Callout } from '../../../src/facts/callout.ts';
import { lookup } from '../../../src/facts/lookup.ts';
import { conversion, namespace, objects, webhook } from '../../support/snapshot.ts';

const verbs = ['create', 'update', 'delete'];
const served = (group: string, version: string, resource: string, kind: string) => ({
  group,
  version,
  resource,
  kind,
  singular: kind.toLowerCase(),
  namespaced: true,
  verbs,
});
const facts = {
  version: 'v1.35.4',
  namespaces: objects(namespace('shop')),
  served: lookup(
    new Map([
      [
        'served',
        {
          stale: [],
          resources: [
            served('', 'v1', 'configmaps', 'ConfigMap'),
            served('autoscaling', 'v1', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler'),
            served('autoscaling', 'v2', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler'),
            served('example.com', 'v1', 'widgets', 'Widget'),
            served('example.com', 'v1beta1', 'widgets', 'Widget'),
          ],
        },
      ],
    ]),
    { others: undefined },
  ),
};
const every = (over: Partial<AdmissionCallout> = {}): AdmissionCallout =>
  webhook({
    rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }],
    namespaceSelector: {},
    ...over,
  });
const mutating = (name: string, over: Partial<AdmissionCallout> = {}): AdmissionCallout =>
  every({ kind: 'mutating', configuration: name, webhook: `${name}.example.com`, ...over });

const creation = (group: string, version: string, resource: string, kind: string): AdmissionRequest => ({
  operation: 'CREATE',
  group,
  version,
  resource,
  kind,
  namespace: 'shop',
  name: 'x',
  labels: {},
  object: {
    apiVersion: group === '' ? version : `${group}/${version}`,
    kind,
    metadata: { name: 'x', namespace: 'shop' },
  },
});
const configMap = creation('', 'v1', 'configmaps', 'ConfigMap');

const allowed = (patched?: unknown, seconds = 0): TracedResponse => ({
  end: { outcome: 'allowed', warnings: [], auditAnnotations: {}, ...(patched ? { patched } : {}) },
  seconds,
});
const denied = (message: string): TracedResponse => ({
  end: { outcome: 'denied', code: 403, reason: '', message, warnings: [] },
  seconds: 0,
});
const notCalled = (why: string): TracedResponse => ({ end: { outcome: 'not-called', why }, seconds: 0 });
const broken = (seconds = 0): TracedResponse => ({
  end: { outcome: 'call-failure', text: 'failed calling webhook', complete: true, code: 503 },
  seconds,
});

function play(
  request: AdmissionRequest,
  callouts: readonly Callout[],
  answer: (call: TraceCall) => TracedResponse,
  over: Partial<MatchFacts> = {},
  unlisted?: Parameters<typeof traceRequest>[3],
): Trace {
  const tracing = traceRequest(request, callouts, { ...facts, ...over }, unlisted);
  for (let next = tracing.next(); ; next = tracing.next(next.value.map(answer)))
    if (next.done === true) return next.value;
}
const shown = ({ steps, result }: Trace) => ({
  result,
  steps: steps.map(({ phase, callout, outcome }) => `${phase} ${callout.configuration} ${outcome}`),
});

describe('a request through its webhooks', () => {
  it('is unknown if a mutating webhook could not be called and a later one denies', () => {
    const trace = play(configMap, [mutating('a'), mutating('b')], ({ callout }) =>
      callout.configuration === 'a' ? notCalled('it has side effects') : denied('no'),
    );
    expect(shown(trace)).to.deep.equal({
      result: 'unknown',
      steps: ['mutating a not-called', 'mutating b denied'],
    });
  });

  it('fails if one could not be called and a later one is broken and required', () => {
    const trace = play(configMap, [mutating('a'), every()], ({ phase }) =>
      phase === 'mutating' ? notCalled('forbidden') : broken(),
    );
    expect(trace.result).to.equal('failed');
    expect(trace.messages).to.deep.equal(['Internal error occurred: failed calling webhook']);
  });

  it('is unknown if webhooks could not be listed, unless one is broken and required', () => {
    expect(play(configMap, [], () => allowed(), {}, { webhooks: true }).result).to.equal('unknown');
    expect(play(configMap, [every()], () => denied('no'), {}, { webhooks: true }).result).to.equal('unknown');
    expect(play(configMap, [every()], () => broken(), {}, { webhooks: true }).result).to.equal('failed');
  });

  it('ends before the first webhook in a namespace that does not exist or is being deleted', () => {
    const gone = { ...configMap, namespace: 'gone' };
    const going = { ...namespace('going'), status: { phase: 'Terminating' } } as const;
    const namespaces = objects(going);
    const said = (request: AdmissionRequest, over: Partial<MatchFacts> = {}) => {
      const { steps, result, messages } = play(request, [every()], () => allowed(), { namespaces, ...over });
      return [steps.length, result, ...messages];
    };
    const missing = [0, 'failed', 'namespaces "gone" not found'];
    expect(said(gone)).to.deep.equal(missing);
    expect(said({ ...gone, operation: 'UPDATE' }, { version: 'v1.36.4' })).to.deep.equal(missing);
    expect(said({ ...gone, operation: 'UPDATE' }, { version: 'v1.37.0' })).to.deep.equal([1, 'admitted']);
    expect(said({ ...gone, operation: 'DELETE' })).to.deep.equal([1, 'admitted']);
    expect(said({ ...configMap, namespace: 'going' })).to.deep.equal([
      0,
      'failed',
      'configmaps "x" is forbidden: unable to create new content in namespace going because it is being terminated',
    ]);
    expect(said({ ...configMap, namespace: 'going', operation: 'UPDATE' })).to.deep.equal([1, 'admitted']);
    const namespaceGoing = (name: string): AdmissionRequest => ({
      ...{ operation: 'DELETE', group: '', version: 'v1', resource: 'namespaces', kind: 'Namespace' },
      ...{ name, namespace: name, labels: {} },
    });
    expect(said(namespaceGoing('shop'))).to.deep.equal([1, 'admitted']);
    expect(said(namespaceGoing('kube-system'))).to.deep.equal([
      0,
      'failed',
      'namespaces "kube-system" is forbidden: this namespace may not be deleted',
    ]);
    const why = { what: 'namespaces', why: 'forbidden' } as const;
    expect(said(gone, { namespaces: lookup(new Map(), { others: why }) })).to.deep.equal([1, 'admitted']);
  });

  it('lists all validating webhooks that refuse', () => {
    const two = [every({ configuration: 'a', webhook: 'a' }), every({ configuration: 'b', webhook: 'b' })];
    const trace = play(configMap, two, ({ callout }) => denied(`not with ${callout.webhook}`));
    expect(trace.result).to.equal('denied');
    expect(trace.messages).to.deep.equal(['not with a', 'not with b']);
  });

  it('ends with its own timeout if fail-open webhooks use its 34 s', () => {
    const slow = (name: string) => mutating(name, { failurePolicy: 'Ignore', timeoutSeconds: 20 });
    const trace = play(configMap, [slow('a'), slow('b'), every()], () => broken(20));
    expect(shown(trace)).to.deep.equal({
      result: 'failed',
      steps: ['mutating a failed', 'mutating b failed'],
    });
    expect(trace.budget).to.deep.equal({ seconds: 34, spent: 40 });
    expect(trace.messages[0]).to.include('did not complete within requested timeout');
  });

  it('fails with the conversion webhook, whatever the failurePolicy', () => {
    const widget = creation('example.com', 'v1', 'widgets', 'Widget');
    const rules = [
      { apiGroups: ['example.com'], apiVersions: ['v1beta1'], operations: ['*'], resources: ['widgets'] },
    ];
    const crd = conversion({
      resource: { group: 'example.com', plural: 'widgets', kind: 'Widget', scope: 'Namespaced' },
    });
    const trace = play(widget, [every({ rules, failurePolicy: 'Ignore' }), crd], () => broken());
    expect(shown(trace)).to.deep.equal({
      result: 'failed',
      steps: ['conversion widgets.example.com failed', 'validating policy failed'],
    });
  });

  it('is unknown if a webhook gets another version, and CustomResourceDefinitions could not be listed', () => {
    const widget = creation('example.com', 'v1', 'widgets', 'Widget');
    const of = (version: string) =>
      every({
        rules: [
          { apiGroups: ['example.com'], apiVersions: [version], operations: ['*'], resources: ['widgets'] },
        ],
      });
    const said = (callouts: readonly AdmissionCallout[]) =>
      shown(play(widget, callouts, () => allowed(), {}, { definitions: true }));
    expect(said([of('v1beta1')])).to.deep.equal({
      result: 'unknown',
      steps: ['validating policy not-called'],
    });
    expect(said([of('v1')])).to.deep.equal({ result: 'admitted', steps: ['validating policy allowed'] });
  });

  it('is converted in both directions once, and webhooks get their version', () => {
    const widget = creation('example.com', 'v1', 'widgets', 'Widget');
    const rules = [
      { apiGroups: ['example.com'], apiVersions: ['v1beta1'], operations: ['*'], resources: ['widgets'] },
    ];
    const crd = conversion({
      resource: { group: 'example.com', plural: 'widgets', kind: 'Widget', scope: 'Namespaced' },
    });
    const got: string[] = [];
    const trace = play(widget, [mutating('a', { rules }), mutating('b', { rules }), every(), crd], (call) => {
      if (call.phase === 'conversion') return allowed({ ...call.object, apiVersion: call.to });
      const object = call.request.object as { readonly apiVersion: string };
      got.push(`${call.callout.configuration} ${object.apiVersion}`);
      return allowed(call.callout.configuration === 'a' ? { ...object, spec: { size: 1 } } : undefined);
    });
    expect(got).to.deep.equal(['a example.com/v1beta1', 'b example.com/v1beta1', 'policy example.com/v1']);
    expect(shown(trace).steps).to.deep.equal([
      'conversion widgets.example.com patched',
      'mutating a patched',
      'mutating b unchanged',
      'conversion widgets.example.com patched',
      'validating policy allowed',
    ]);
    expect(trace.object).to.deep.include({ apiVersion: 'example.com/v1', spec: { size: 1 } });
  });

  it('is unknown for a webhook that gets a built-in resource in another version', () => {
    const autoscaler = creation('autoscaling', 'v2', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler');
    const rules = [
      {
        apiGroups: ['autoscaling'],
        apiVersions: ['v1'],
        operations: ['*'],
        resources: ['horizontalpodautoscalers'],
      },
    ];
    const trace = play(autoscaler, [every({ rules })], () => allowed());
    expect(trace.result).to.equal('unknown');
    expect(trace.steps[0]?.message).to.include('only the API server converts');
  });

  it('includes the reason why a webhook matches or not', () => {
    const labelled = { ...configMap, labels: { app: 'web' } };
    const why = (over: Partial<AdmissionCallout>): string | undefined =>
      play(labelled, [every(over)], () => allowed()).steps[0]?.why;
    const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['configmaps'] };
    expect(why({})).to.equal('`rules[0]` matches CREATE of configmaps');
    expect(why({ rules: [rule] })).to.equal(
      'its `rules` do not match: none has CREATE of configmaps in version v1',
    );
    expect(why({ namespaceSelector: { matchLabels: { team: 'a' } } })).to.equal(
      'its `namespaceSelector` does not match the labels of namespace shop',
    );
    expect(why({ objectSelector: { matchLabels: { app: 'db' } } })).to.equal(
      'its `objectSelector` does not match the labels of the object',
    );
    const matchConditions = [
      { name: 'a', expression: 'object.kind == "ConfigMap"' },
      { name: 'b', expression: 'object.kind == "Secret"' },
    ];
    expect(why({ matchConditions })).to.equal(
      'its `matchConditions` do not match: `a` is true, `b` is false',
    );
    expect(why({ matchConditions: matchConditions.slice(0, 1) })).to.equal(
      '`rules[0]` matches CREATE of configmaps; `a` is true',
    );
  });
});
