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

/** The share of timeoutSeconds above which calls are slow: they fail as soon as the backend is busy. */
const slowShare = 0.5;

const seconds = (value: number): string => String(Number(value.toFixed(3)));

interface About {
  readonly configuration: string;
  readonly webhook: string;
  readonly kind: string;
}

/** An alerting rule of this program: the fields of {@link AlertRule} that differ. */
interface RuleParts {
  readonly alert: string;
  readonly severity: 'critical' | 'warning';
  /** How long the expression must be true, as a Prometheus duration. */
  readonly wait: string;
  readonly expr: string;
  readonly summary: string;
  readonly description: string;
}

const rule = (about: About, runbook: string, parts: RuleParts): AlertRule => ({
  alert: parts.alert,
  expr: parts.expr,
  for: parts.wait,
  labels: { severity: parts.severity, ...about },
  annotations: {
    summary: plain(parts.summary),
    description: plain(parts.description),
    runbook: plain(runbook),
    runbook_url: `${packageJson.homepage}/blob/main/docs/troubleshooting.md`,
  },
});

const window = '[5m]';

/** The rules for all webhooks of one name and kind: the API server counts them together. */
function forAdmission(together: readonly [AdmissionCallout, ...AdmissionCallout[]]): RuleGroup {
  const [{ webhook, kind }] = together;
  const configurations = together.map(({ configuration }) => configuration).join(', ');
  const ids = together.map(calloutId).join(' ');
  const shared =
    together.length > 1
      ? ` The API server counts by webhook name: this covers ${configurations} together.`
      : '';
  return {
    name: `webhook ${ids}`,
    rules: admissionParts(together).map((parts) =>
      rule({ kind, configuration: configurations, webhook }, `kubectl webhook doctor ${ids}`, {
        ...parts,
        description: `${parts.description}${shared}`,
      }),
    ),
  };
}

/** failurePolicy decides which rules there are, and how severe they are. */
function admissionParts(together: readonly [AdmissionCallout, ...AdmissionCallout[]]): readonly RuleParts[] {
  const [{ webhook, kind }] = together;
  const selector = `name=${quoted(webhook)},type=${quoted(webhookTypes[kind])}`;
  const counted = (name: string, more = ''): string => `sum(rate(${name}{${selector}${more}}${window})) > 0`;
  const timeout = Math.min(...together.map(({ timeoutSeconds }) => timeoutSeconds));
  const closed = together.some(({ failurePolicy }) => failurePolicy === 'Fail');
  const open = together.some(({ failurePolicy }) => failurePolicy === 'Ignore');
  const severity = closed ? 'critical' : 'warning';
  const failClosed: RuleParts = {
    alert: 'WebhookCallsFail',
    severity: 'critical',
    wait: '2m',
    expr: counted('apiserver_admission_webhook_rejection_count', ',error_type="calling_webhook_error"'),
    summary: `Requests are refused because calls to ${webhook} fail`,
    description: `failurePolicy is Fail: requests that match the rules of ${webhook} are refused.`,
  };
  const failOpen: RuleParts = {
    alert: 'WebhookFailsOpen',
    severity: 'warning',
    wait: '2m',
    expr: counted('apiserver_admission_webhook_fail_open_count'),
    summary: `Requests are admitted without ${webhook}`,
    description: `failurePolicy is Ignore and calls fail: requests that match the rules of ${webhook} are admitted unchecked.`,
  };
  const unusable: RuleParts = {
    alert: 'WebhookAnswersUnusable',
    severity,
    wait: '2m',
    expr: counted('apiserver_admission_webhook_rejection_count', ',error_type="apiserver_internal_error"'),
    summary: `The API server cannot use responses of ${webhook}`,
    description:
      'These requests are refused regardless of failurePolicy: the patch does not apply, or the patched object is invalid.',
  };
  const slow: RuleParts = {
    alert: 'WebhookSlow',
    severity,
    wait: '10m',
    expr: `histogram_quantile(0.99, sum by (le) (rate(apiserver_admission_webhook_admission_duration_seconds_bucket{${selector}}${window}))) > ${seconds(timeout * slowShare)}`,
    summary: `1 in 100 calls to ${webhook} takes more than ${seconds(timeout * slowShare)} s`,
    description: `timeoutSeconds is ${timeout}: slower calls fail.`,
  };
  const conditionErrors: RuleParts = {
    alert: 'WebhookMatchConditionErrors',
    severity,
    wait: '2m',
    expr: counted('apiserver_admission_match_condition_evaluation_errors_total', ',kind="webhook"'),
    summary: `matchConditions of ${webhook} fail`,
    description: closed
      ? 'failurePolicy is Fail: the requests are refused, unless another condition is false.'
      : 'failurePolicy is Ignore: the webhook is not called.',
  };
  const conditions = together.some(({ matchConditions }) => matchConditions.length > 0);
  return [
    ...(closed ? [failClosed] : []),
    ...(open ? [failOpen] : []),
    unusable,
    slow,
    ...(conditions ? [conditionErrors] : []),
  ];
}

/** The only rule of a conversion webhook or APIService. */
function onlyRule(
  callout: ConversionCallout | AggregatedApiCallout,
  group: string,
  parts: Omit<RuleParts, 'severity'>,
): RuleGroup {
  const { kind, configuration, webhook } = callout;
  const runbook = `kubectl webhook doctor ${calloutId(callout)}`;
  return {
    name: `${group} ${calloutId(callout)}`,
    rules: [rule({ kind, configuration, webhook }, runbook, { severity: 'critical', ...parts })],
  };
}

const forConversion = (callout: ConversionCallout): RuleGroup =>
  onlyRule(callout, 'conversion', {
    alert: 'ConversionFails',
    wait: '2m',
    expr: `sum(rate(apiserver_crd_conversion_webhook_duration_seconds_count{crd_name=${quoted(callout.configuration)},succeeded="false"}${window})) > 0`,
    summary: `Conversions of ${callout.configuration} fail`,
    description:
      'Every read and write in another version than the stored one fails, including garbage collection and namespace deletion.',
  });

const forApiService = (callout: AggregatedApiCallout): RuleGroup =>
  onlyRule(callout, 'apiservice', {
    alert: 'APIServiceUnavailable',
    wait: '5m',
    expr: `max(aggregator_unavailable_apiservice{name=${quoted(callout.configuration)}}) == 1`,
    summary: `The API ${callout.configuration} is not available`,
    description: 'Requests to it return 503, and no namespace can be deleted until it is Available.',
  });

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
 * Alerting rules for these webhooks and APIServices: failurePolicy decides which rules exist and their
 * severity, timeoutSeconds which calls are slow. Metric names are those of Kubernetes 1.28 and later.
 */
export function alertRules(callouts: readonly Callout[]): readonly RuleGroup[] {
  const called = callouts.filter((callout) => !isAdmission(callout) || callout.rules.length > 0);
  return called.flatMap((callout) => rulesOf(callout, called));
}
