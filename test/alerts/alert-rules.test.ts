import { expect } from 'chai';
import { alertRules } from '../../src/alerts/alert-rules.ts';
import type { Callout } from '../../src/facts/callout.ts';
import { prometheusRule } from '../../src/workflows/alerts.ts';
import { aggregatedApi, conversion, webhook } from '../support/snapshot.ts';

const alerts = (...callouts: readonly Callout[]) =>
  alertRules(callouts).flatMap(({ rules }) =>
    rules.map(({ alert, labels }) => `${alert} ${labels.severity}`),
  );
const expressions = (...callouts: readonly Callout[]): string =>
  alertRules(callouts)
    .flatMap(({ rules }) => rules.map(({ expr }) => expr))
    .join('\n');

describe('alert rules', () => {
  it('have the severity of failurePolicy', () => {
    expect(alerts(webhook())).to.deep.equal([
      'WebhookCallsFail critical',
      'WebhookAnswersUnusable critical',
      'WebhookSlow critical',
    ]);
    expect(alerts(webhook({ failurePolicy: 'Ignore' }))).to.deep.equal([
      'WebhookFailsOpen warning',
      'WebhookAnswersUnusable warning',
      'WebhookSlow warning',
    ]);
  });
  it('count calls as slow that take half of the webhook’s own timeout', () => {
    expect(expressions(webhook({ timeoutSeconds: 3 }))).to.match(/> 1\.5$/m);
    expect(expressions(webhook({ timeoutSeconds: 30 }))).to.match(/> 15$/m);
  });
  it('distinguish kinds as the metrics do', () => {
    expect(expressions(webhook({ kind: 'mutating' })))
      .to.include('type="admit"')
      .and.not.include('validating"');
  });
  it('cover match conditions if there are any', () => {
    const conditions = { matchConditions: [{ name: 'x', expression: 'true' }] };
    expect(alerts(webhook(conditions))).to.include('WebhookMatchConditionErrors critical');
  });
  it('are one set for one name in two configurations, and their texts name both', () => {
    const groups = alertRules([
      webhook(),
      webhook({ configuration: 'other', failurePolicy: 'Ignore', timeoutSeconds: 4 }),
    ]);
    expect(groups).to.have.length(1);
    expect(groups[0]?.rules.map(({ alert }) => alert)).to.include.members([
      'WebhookCallsFail',
      'WebhookFailsOpen',
    ]);
    expect(groups[0]?.rules[0]?.annotations.description).to.include('this covers policy, other together');
    expect(groups[0]?.rules.find(({ alert }) => alert === 'WebhookSlow')?.expr).to.match(/> 2$/);
  });
  it('have groups with different names', () => {
    const groups = alertRules([webhook(), webhook({ kind: 'mutating' }), conversion(), aggregatedApi()]);
    expect(new Set(groups.map(({ name }) => name)).size).to.equal(4);
  });
  it('cover conversions and APIs', () => {
    expect(alerts(conversion(), aggregatedApi())).to.deep.equal([
      'ConversionFails critical',
      'APIServiceUnavailable critical',
    ]);
  });
  it('are absent for webhooks that are never called', () => {
    expect(alerts(webhook({ rules: [] }))).to.deep.equal([]);
  });
  it('escape names in expressions and templates', () => {
    const [group] = alertRules([webhook({ webhook: 'a"} or vector(1) #{{ .Labels }}' })]);
    for (const { expr, annotations } of group?.rules ?? []) {
      expect(expr).to.include('name="a\\"} or vector(1) #');
      expect(JSON.stringify(annotations)).to.not.include('{{');
      expect(annotations.runbook_url).to.match(/^https:\/\/\S+\/docs\/troubleshooting\.md$/);
    }
  });
  it('are valid for the Prometheus operator', () => {
    expect(
      prometheusRule(alertRules([webhook()]), { name: 'webhooks', labels: { release: 'x' } }),
    ).to.deep.include({
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'PrometheusRule',
      metadata: { name: 'webhooks', labels: { release: 'x' } },
    });
  });
});
