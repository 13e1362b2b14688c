import packageJson from '../../package.json' with { type: 'json' };
import {
  type AdmissionCallout,
  type AggregatedApiCallout,
  type Callout,
  type ConversionCallout,
  calloutId,
  isAdmission,
} from '../facts/callout.ts';
import { webhookTypes } from '../facts/webhook-counts.ts';

/** An alerting rule as Prometheus has it. */
export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A group of rules, as Prometheus' rule files have it. */
export interface RuleGroup {
  readonly name: string;
  readonly rules: readonly AlertRule[];
}

/** A PromQL string. */
const quoted = (text: string): string => JSON.stringify(text);

/** Text in an annotation, which Prometheus reads as a template. */
const plain = (text: string): string => text.replaceAll('{{', '{ {');

/** Of the timeout: calls that take longer fail as soon as something is busy. */
const slowShare = 0.5;

const seconds = (value: number): string => String(Number(value.toFixed(3)));

interface About {
  readonly configuration: string;
  readonly webhook: string;
  readonly kind: string;
}

const rule = (
  alert: string,
  severity: 'critical' | 'warning',
  wait: string,
  expr: string,
  about: About,
  texts: { readonly summary: string; readonly description: string; readonly look: string },
): AlertRule => ({
  alert,
  expr,
  for: wait,
  labels: { severity, ...about },
  annotations: {
    summary: plain(texts.summary),
    description: plain(texts.description),
    runbook: plain(texts.look),
    runbook_url: `${packageJson.homepage}/blob/main/docs/troubleshooting.md`,
  },
});

const window = '[5m]';

/** Webhooks of one name and kind are counted together, and so have one set of rules. */
function forAdmission(together: readonly [AdmissionCallout, ...AdmissionCallout[]]): RuleGroup {
  const [first] = together;
  const { webhook, kind } = first;
  const selector = `name=${quoted(webhook)},type=${quoted(webhookTypes[kind])}`;
  const configurations = together.map(({ configuration }) => configuration).join(', ');
  const about = { kind, configuration: configurations, webhook };
  const timeout = Math.min(...together.map(({ timeoutSeconds }) => timeoutSeconds));
  const shared =
    together.length > 1
      ? ` The API server counts by webhook name: this covers ${configurations} together.`
      : '';
  const texts = (summary: string, description: string) => ({
    summary,
    description: `${description}${shared}`,
    look: `kubectl webhook doctor ${together.map(calloutId).join(' ')}`,
  });
  const counter = (name: string, more = ''): string => `sum(rate(${name}{${selector}${more}}${window})) > 0`;
  const closed = together.some(({ failurePolicy }) => failurePolicy === 'Fail');
  const open = together.some(({ failurePolicy }) => failurePolicy === 'Ignore');
  const severity = closed ? 'critical' : 'warning';
  const conditions = together.some(({ matchConditions }) => matchConditions.length > 0);

  return {
    name: `webhook ${together.map(calloutId).join(' ')}`,
    rules: [
      ...(closed
        ? [
            rule(
              'WebhookCallsFail',
              'critical',
              '2m',
              counter('apiserver_admission_webhook_rejection_count', ',error_type="calling_webhook_error"'),
              about,
              texts(
                `Requests are refused because calls to ${webhook} fail`,
                `failurePolicy is Fail: requests that match the rules of ${webhook} are refused.`,
              ),
            ),
          ]
        : []),
      ...(open
        ? [
            rule(
              'WebhookFailsOpen',
              'warning',
              '2m',
              counter('apiserver_admission_webhook_fail_open_count'),
              about,
              texts(
                `Requests are admitted without ${webhook}`,
                `failurePolicy is Ignore and calls fail: requests that match the rules of ${webhook} are admitted unchecked.`,
              ),
            ),
          ]
        : []),
      rule(
        'WebhookAnswersUnusable',
        severity,
        '2m',
        counter('apiserver_admission_webhook_rejection_count', ',error_type="apiserver_internal_error"'),
        about,
        texts(
          `The API server cannot use responses of ${webhook}`,
          'These requests are refused regardless of failurePolicy: the patch does not apply, or the patched object is invalid.',
        ),
      ),
      rule(
        'WebhookSlow',
        severity,
        '10m',
        `histogram_quantile(0.99, sum by (le) (rate(apiserver_admission_webhook_admission_duration_seconds_bucket{${selector}}${window}))) > ${seconds(timeout * slowShare)}`,
        about,
        texts(
          `1 in 100 calls to ${webhook} takes more than ${seconds(timeout * slowShare)} s`,
          `timeoutSeconds is ${timeout}: slower calls fail.`,
        ),
      ),
      ...(conditions
        ? [
            rule(
              'WebhookMatchConditionErrors',
              severity,
              '2m',
              counter('apiserver_admission_match_condition_evaluation_errors_total', ',kind="webhook"'),
              about,
              texts(
                `matchConditions of ${webhook} fail`,
                closed
                  ? 'failurePolicy is Fail: the requests are refused, unless another condition is false.'
                  : 'failurePolicy is Ignore: the webhook is not called.',
              ),
            ),
          ]
        : []),
    ],
  };
}

/** The one rule of a callout that is no webhook. */
function single(
  callout: ConversionCallout | AggregatedApiCallout,
  what: string,
  alert: string,
  wait: string,
  expr: string,
  texts: { readonly summary: string; readonly description: string },
): RuleGroup {
  const { kind, configuration, webhook } = callout;
  const look = `kubectl webhook doctor ${calloutId(callout)}`;
  return {
    name: `${what} ${calloutId(callout)}`,
    rules: [rule(alert, 'critical', wait, expr, { kind, configuration, webhook }, { ...texts, look })],
  };
}

const forConversion = (callout: ConversionCallout): RuleGroup =>
  single(
    callout,
    'conversion',
    'ConversionFails',
    '2m',
    `sum(rate(apiserver_crd_conversion_webhook_duration_seconds_count{crd_name=${quoted(callout.configuration)},succeeded="false"}${window})) > 0`,
    {
      summary: `Conversions of ${callout.configuration} fail`,
      description:
        'Every read and write in another version than the stored one fails, including garbage collection and namespace deletion.',
    },
  );

const forApiService = (callout: AggregatedApiCallout): RuleGroup =>
  single(
    callout,
    'apiservice',
    'APIServiceUnavailable',
    '5m',
    `max(aggregator_unavailable_apiservice{name=${quoted(callout.configuration)}}) == 1`,
    {
      summary: `The API ${callout.configuration} is not available`,
      description: 'Requests to it return 503, and no namespace can be deleted until it is Available.',
    },
  );

/** Webhooks without rules are never called: nothing is counted of them. */
const isCalled = (callout: Callout): boolean => !isAdmission(callout) || callout.rules.length > 0;

/** Webhooks of one name and kind have their rules with the first of them. */
function rulesOf(callout: Callout, called: readonly Callout[]): readonly RuleGroup[] {
  switch (callout.kind) {
    case 'conversion':
      return [forConversion(callout)];
    case 'aggregated-api':
      return [forApiService(callout)];
    case 'validating':
    case 'mutating': {
      const [first, ...others] = called.filter(
        (other): other is AdmissionCallout =>
          other.kind === callout.kind && other.webhook === callout.webhook,
      );
      return first === callout ? [forAdmission([callout, ...others])] : [];
    }
  }
}

/**
 * Alerting rules for these callouts: failurePolicy decides which and how severe, timeoutSeconds what is slow. Metric names
 * are those of Kubernetes 1.28 and later.
 */
export function alertRules(callouts: readonly Callout[]): readonly RuleGroup[] {
  const called = callouts.filter(isCalled);
  return called.flatMap((callout) => rulesOf(callout, called));
}

/** The rules as the Prometheus operator takes them. */
export const prometheusRule = (
  groups: readonly RuleGroup[],
  metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  },
): object => ({
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'PrometheusRule',
  metadata,
  spec: { groups },
});
