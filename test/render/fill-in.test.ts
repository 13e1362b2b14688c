import { expect } from 'chai';
import { fillIn, withAdviceFilledIn } from '../../src/render/fill-in.ts';
import { calloutReport, findingReport, reportOf } from '../support/report.ts';

const callout = calloutReport();
const with_ = (...objects: readonly (readonly [object: string, field?: string])[]) =>
  findingReport(callout, {
    check: 'x',
    evidence: objects.map(([object, field]) => ({ object, value: 'x', ...(field ? { field } : {}) })),
  });

describe('advice filled in', () => {
  for (const [name, advice, finding, filled] of [
    [
      'takes the namespace of the backend',
      'Look: `kubectl -n NAMESPACE get pods`',
      with_(),
      'Look: `kubectl -n shop get pods`',
    ],
    [
      'takes a Pod and its container from the evidence',
      'kubectl -n NAMESPACE logs POD -c CONTAINER --previous',
      with_(
        ['Pod shop/a', 'status.containerStatuses[webhook]'],
        ['Pod shop/b', 'status.containerStatuses[webhook]'],
      ),
      'kubectl -n shop logs a -c webhook --previous',
    ],
    [
      'takes the only object of a kind',
      '`kubectl -n NAMESPACE scale deployment/NAME --replicas=2`',
      with_(['Deployment shop/policy-server']),
      '`kubectl -n shop scale deployment/policy-server --replicas=2`',
    ],
    [
      'takes the configuration from the subject',
      '`kubectl get validatingwebhookconfiguration NAME`',
      with_(),
      '`kubectl get validatingwebhookconfiguration policy`',
    ],
    [
      'leaves a choice between two objects to the reader',
      '`kubectl edit deployment NAME`',
      with_(['Deployment shop/a'], ['Deployment shop/b']),
      '`kubectl edit deployment NAME`',
    ],
    [
      'leaves a choice between two namespaces to the reader',
      '`kubectl -n NAMESPACE get pods`',
      with_(['Deployment other/a']),
      '`kubectl -n NAMESPACE get pods`',
    ],
    [
      'leaves kinds that nothing names',
      '`kubectl -n NAMESPACE delete endpointslice NAME`',
      with_(),
      '`kubectl -n shop delete endpointslice NAME`',
    ],
    ['touches commands only', 'service "NAME" in NAMESPACE', with_(), 'service "NAME" in NAMESPACE'],
  ] as const) {
    it(name, () => expect(fillIn(advice, finding, [callout])).to.equal(filled));
  }

  it('names no single configuration where several share the cause', () => {
    const advice = '`kubectl -n NAMESPACE delete validatingwebhookconfiguration NAME`';
    const both = [callout, calloutReport({ configuration: 'other' })];
    expect(fillIn(advice, with_(), both)).to.equal(
      '`kubectl -n shop delete validatingwebhookconfiguration NAME`',
    );
  });

  it('is what JSON and YAML say, each finding for its own callout', () => {
    const other = calloutReport({ configuration: 'other' });
    const advice = '`kubectl edit validatingwebhookconfiguration NAME`';
    const report = reportOf(
      [callout, other],
      [callout, other].map((one) => findingReport(one, { check: 'x', advice })),
    );
    expect(withAdviceFilledIn(report).findings.map((finding) => finding.advice)).to.eql([
      '`kubectl edit validatingwebhookconfiguration policy`',
      '`kubectl edit validatingwebhookconfiguration other`',
    ]);
  });
});
