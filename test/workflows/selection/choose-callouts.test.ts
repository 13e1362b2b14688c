import { expect } from 'chai';
import { calloutId } from '../../../src/facts/callout.ts';
import {
  CalloutNameError,
  chooseCallouts,
  namedCallouts,
  namedWithoutWebhooks,
} from '../../../src/workflows/selection/choose-callouts.ts';
import { aggregatedApi, conversion, webhook } from '../../support/snapshot.ts';
import { listing } from '../../support/unread.ts';

const second = webhook({ webhook: 'second.example.com', index: 1 });
const twin = webhook({ kind: 'mutating', configuration: 'twin', webhook: 'a' });
const otherTwin = webhook({ kind: 'validating', configuration: 'twin', webhook: 'a' });
const callouts = [webhook(), second, conversion(), aggregatedApi(), twin, otherTwin];
const chosen = (...names: readonly string[]) => chooseCallouts(callouts, names).map(calloutId);

describe('chooseCallouts', () => {
  it('selects all without a name', () => expect(chosen().length).to.equal(callouts.length));
  it('selects every webhook of a configuration', () =>
    expect(chosen('policy')).to.deep.equal([
      'validating/policy/policy.example.com',
      'validating/policy/second.example.com',
    ]));
  it('selects one webhook', () =>
    expect(chosen('policy/second.example.com')).to.deep.equal(['validating/policy/second.example.com']));
  it('accepts ids as reports print them', () => {
    for (const callout of callouts) expect(chosen(calloutId(callout))).to.deep.equal([calloutId(callout)]);
  });
  it('accepts kind/configuration', () => expect(chosen('mutating/twin')).to.deep.equal(['mutating/twin/a']));
  it('selects both configurations of one name', () =>
    expect(chosen('twin')).to.deep.equal(['mutating/twin/a', 'validating/twin/a']));
  it('accepts names as kubectl prints them', () => {
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
  it('accepts the webhook’s own name, as in errors', () =>
    expect(chosen('second.example.com')).to.deep.equal(['validating/policy/second.example.com']));
  it('accepts the called Service', () => {
    const { namespace, name } = second.client.service ?? {};
    const all = callouts.filter(({ client }) => client.service?.name === name).map(calloutId);
    expect(chosen(`${namespace}/${name}`)).to.deep.equal(all);
    expect(chosen(`service/${name}`)).to.deep.equal(all);
    expect(() => chosen(`elsewhere/${name}`)).to.throw(CalloutNameError);
  });
  it('does not refuse a name that may be in a list that was not read', () => {
    const unread = [{ what: listing('mutatingwebhookconfigurations'), why: 'forbidden' as const }];
    expect(chooseCallouts(callouts, ['absent'], { unread })).to.deep.equal([]);
    expect(chooseCallouts(callouts, ['mutating/absent'], { unread })).to.deep.equal([]);
    expect(() => chooseCallouts(callouts, ['crd/absent'], { unread })).to.throw(CalloutNameError);
  });
  it('selects nothing for a configuration without webhooks', () => {
    const empty = ['validating/empty', 'mutating/policy'];
    const naming = { withoutWebhooks: empty };
    expect(chooseCallouts(callouts, ['empty'], naming)).to.deep.equal([]);
    expect(chooseCallouts(callouts, ['validating/empty'], naming)).to.deep.equal([]);
    expect(chooseCallouts(callouts, ['mutating/policy'], naming)).to.deep.equal([]);
    expect(chooseCallouts(callouts, ['policy', 'empty'], naming).length).to.equal(2);
    expect(() => chooseCallouts(callouts, ['mutating/empty'], naming)).to.throw(CalloutNameError);
    expect(() => chooseCallouts(callouts, ['empty/one'], naming)).to.throw(CalloutNameError);
    expect(namedWithoutWebhooks(empty, ['empty', 'mutating/policy'])).to.deep.equal(empty);
    expect(namedWithoutWebhooks(empty, ['nobody'])).to.deep.equal([]);
  });
  it('accepts other parts of errors: the URL, its host, the group and version, the Service alone', () => {
    const all = chosen('shop/policy');
    expect(chosen('policy.shop.svc')).to.deep.equal(all);
    expect(chosen('svc/policy')).to.deep.equal(all);
    expect(chosen('https://policy.shop.svc:443/convert?timeout=30s')).to.deep.equal([
      'crd/widgets.example.com',
    ]);
    expect(chosen('example.com/v1, Kind=Widget')).to.deep.equal(['crd/widgets.example.com']);
    expect(chosen('metrics.example.com/v1beta1')).to.deep.equal(['apiservice/v1beta1.metrics.example.com']);
  });
  it('selects a Service in one namespace only if that is given', () => {
    expect(chooseCallouts(callouts, ['service/policy'], { namespace: 'shop' }).length).to.be.greaterThan(0);
    for (const name of ['service/policy', 'svc/policy'])
      expect(() => chooseCallouts(callouts, [name], { namespace: 'elsewhere' }))
        .to.throw(CalloutNameError)
        .with.property('absent', true);
  });
  it('accepts a prefix that contains all names with it', () => {
    expect(chosen('second')).to.deep.equal(['validating/policy/second.example.com']);
    expect(chosen('validating/pol')).to.deep.equal(chosen('policy'));
    expect(chosen('crd/wid')).to.deep.equal(['crd/widgets.example.com']);
    expect(chosen('s')).to.deep.equal(chosen('second.example.com'));
    expect(chosen('policy/sec')).to.deep.equal(['validating/policy/second.example.com']);
    expect(namedCallouts(callouts, 'secon').meaning).to.equal('second.example.com');
    expect(namedCallouts(callouts, 'policy').meaning).to.equal(undefined);
  });
  it('refuses a prefix of several names, and accepts only complete names if required', () => {
    expect(() => chosen('tw'))
      .to.throw(CalloutNameError, 'prefix of several names')
      .with.property('candidates')
      .that.deep.equals(['mutating/twin', 'validating/twin']);
    for (const name of ['secon', ''])
      expect(() => chooseCallouts(callouts, [name], { exactNames: true })).to.throw(
        CalloutNameError,
        'no webhook',
      );
    expect(() => chosen('')).to.throw(CalloutNameError, 'no webhook');
  });
  it('does not treat a prefix as unique if a list was not read', () => {
    const unread = [{ what: listing('mutatingwebhookconfigurations'), why: 'forbidden' as const }];
    expect(chooseCallouts(callouts, ['secon'], { unread })).to.deep.equal([]);
  });
  for (const [typed, similar] of [
    ['polciy', 'validating/policy'],
    ['validating/polcy', 'validating/policy'],
    ['secnd.example.com', 'second.example.com'],
    ['shop/polcy', 'shop/policy'],
    ['zzzzzz', undefined],
  ] as const)
    it(`suggests what is similar to "${typed}"`, () =>
      expect(() => chosen(typed))
        .to.throw(CalloutNameError)
        .with.property('similar', similar));
  it('selects each once', () => expect(chosen('policy', 'policy/second.example.com').length).to.equal(2));
  for (const [name, candidates] of [
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
