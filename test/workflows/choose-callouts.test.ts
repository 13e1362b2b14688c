import { expect } from 'chai';
import { calloutId } from '../../src/facts/callout.ts';
import {
  CalloutNameError,
  chooseCallouts,
  namedWithoutWebhooks,
} from '../../src/workflows/choose-callouts.ts';
import { aggregatedApi, conversion, webhook } from '../support/snapshot.ts';
import { listing } from '../support/unread.ts';

const second = webhook({ webhook: 'second.example.com', index: 1 });
const twin = webhook({ kind: 'mutating', configuration: 'twin', webhook: 'a' });
const otherTwin = webhook({ kind: 'validating', configuration: 'twin', webhook: 'a' });
const callouts = [webhook(), second, conversion(), aggregatedApi(), twin, otherTwin];
const chosen = (...names: readonly string[]) => chooseCallouts(callouts, names).map(calloutId);

describe('chooseCallouts', () => {
  it('takes all when nothing is named', () => expect(chosen().length).to.equal(callouts.length));
  it('takes every webhook of a configuration', () =>
    expect(chosen('policy')).to.deep.equal([
      'validating/policy/policy.example.com',
      'validating/policy/second.example.com',
    ]));
  it('takes one webhook', () =>
    expect(chosen('policy/second.example.com')).to.deep.equal(['validating/policy/second.example.com']));
  it('takes ids as reports print them', () => {
    for (const callout of callouts) expect(chosen(calloutId(callout))).to.deep.equal([calloutId(callout)]);
  });
  it('takes kind/configuration', () => expect(chosen('mutating/twin')).to.deep.equal(['mutating/twin/a']));
  it('takes names as kubectl writes them', () => {
    for (const name of [
      'validatingwebhookconfiguration/policy',
      'vwc/policy',
      'validatingwebhookconfigurations.admissionregistration.k8s.io/policy',
    ])
      expect(chosen(name), name).to.deep.equal(chosen('validating/policy'));
    expect(chosen('mutatingwebhookconfiguration/twin')).to.deep.equal(['mutating/twin/a']);
    expect(chosen('customresourcedefinition/widgets.example.com')).to.deep.equal(
      chosen('crd/widgets.example.com'),
    );
    expect(chosen('apiservices/v1beta1.metrics.example.com')).to.deep.equal(
      chosen('apiservice/v1beta1.metrics.example.com'),
    );
  });
  it("takes the webhook's own name, as errors have it", () =>
    expect(chosen('second.example.com')).to.deep.equal(['validating/policy/second.example.com']));
  it('takes the Service that is called', () => {
    const { namespace, name } = second.client.service ?? {};
    const all = callouts.filter(({ client }) => client.service?.name === name).map(calloutId);
    expect(chosen(`${namespace}/${name}`)).to.deep.equal(all);
    expect(chosen(`service/${name}`)).to.deep.equal(all);
    expect(() => chosen(`elsewhere/${name}`)).to.throw(CalloutNameError);
  });
  it('says nothing against a name that could stand in a list that was not read', () => {
    const unread = [{ what: listing('mutatingwebhookconfigurations'), why: 'forbidden' as const }];
    expect(chooseCallouts(callouts, ['absent'], [], unread)).to.deep.equal([]);
    expect(chooseCallouts(callouts, ['mutating/absent'], [], unread)).to.deep.equal([]);
    expect(() => chooseCallouts(callouts, ['crd/absent'], [], unread)).to.throw(CalloutNameError);
  });
  it('takes a configuration without webhooks for what it is: nobody', () => {
    const empty = ['validating/empty', 'mutating/policy'];
    expect(chooseCallouts(callouts, ['empty'], empty)).to.deep.equal([]);
    expect(chooseCallouts(callouts, ['validating/empty'], empty)).to.deep.equal([]);
    expect(chooseCallouts(callouts, ['mutating/policy'], empty)).to.deep.equal([]);
    expect(chooseCallouts(callouts, ['policy', 'empty'], empty).length).to.equal(2);
    expect(() => chooseCallouts(callouts, ['mutating/empty'], empty)).to.throw(CalloutNameError);
    expect(() => chooseCallouts(callouts, ['empty/one'], empty)).to.throw(CalloutNameError);
    expect(namedWithoutWebhooks(empty, ['empty', 'mutating/policy'])).to.deep.equal(empty);
    expect(namedWithoutWebhooks(empty, ['nobody'])).to.deep.equal([]);
  });
  it('takes each once', () => expect(chosen('policy', 'policy/second.example.com').length).to.equal(2));
  for (const [name, candidates] of [
    ['twin', ['mutating/twin', 'validating/twin']],
    [
      'nobody',
      [
        'validating/policy',
        'crd/widgets.example.com',
        'apiservice/v1beta1.metrics.example.com',
        'mutating/twin',
        'validating/twin',
      ],
    ],
  ] as const) {
    it(`refuses "${name}" and lists candidates`, () => {
      expect(() => chosen(name))
        .to.throw(CalloutNameError)
        .with.property('candidates')
        .that.deep.equals(candidates);
    });
  }
});
