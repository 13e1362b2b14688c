import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse, stringify } from 'yaml';
import type { AlertRule, RuleGroup } from '../../src/alerts/alert-rules.ts';
import { apiServiceOf } from '../cluster/api-service.ts';
import type { KubeObject } from '../cluster/client.ts';
import { promtool } from '../cluster/promtool.ts';
import { run } from '../cluster/run-command.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { apiServer, needs } from '../cluster/suite.ts';
import { plugin } from '../support/plugin.ts';

const end = 'alerted.example.com';
const crd = `widgets.${end}`;
const api = `v1.aggregated.${end}`;

const hook = (name: string, over: object = {}): object => ({
  name: `${name}.${end}`,
  clientConfig: { service: { namespace: 'alerted', name: 'nowhere', path: '/' } },
  rules: [{ apiGroups: [end], apiVersions: ['v1'], operations: ['CREATE'], resources: ['things'] }],
  failurePolicy: 'Fail',
  timeoutSeconds: 10,
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  ...over,
});
const configuration = (
  kind: 'Validating' | 'Mutating',
  name: string,
  ...webhooks: readonly object[]
): KubeObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: `${kind}WebhookConfiguration`,
  metadata: { name: `alerted-${name}` },
  webhooks,
});
const version = (name: string, storage: boolean) => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: { type: 'object' } },
});
const objects: readonly KubeObject[] = [
  configuration(
    'Validating',
    'first',
    hook('closed'),
    hook('open', {
      failurePolicy: 'Ignore',
      timeoutSeconds: 3,
      matchConditions: [{ name: 'x', expression: 'has(object.x)' }],
    }),
    hook('shared'),
  ),
  configuration('Validating', 'second', hook('shared', { failurePolicy: 'Ignore', timeoutSeconds: 4 })),
  configuration('Mutating', 'changes', hook('closed', { timeoutSeconds: 30 })),
  {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: crd },
    spec: {
      group: end,
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [version('v1', true), version('v2', false)],
      conversion: {
        strategy: 'Webhook',
        webhook: {
          conversionReviewVersions: ['v1'],
          clientConfig: { service: { namespace: 'alerted', name: 'nowhere' } },
        },
      },
    },
  },
  apiServiceOf(`aggregated.${end}`, {
    insecureSkipTLSVerify: true,
    service: { namespace: 'alerted', name: 'nowhere' },
  }),
];

const rising = '0+6x30';
const still = '5+0x30';
type Series = Readonly<Record<string, string>>;

const labelled = (webhook: string, type: string, more: string): string =>
  `{name="${webhook}.${end}",type="${type}",operation="CREATE"${more}}`;
const refused = (webhook: string, type: string, error: string): string =>
  `apiserver_admission_webhook_rejection_count${labelled(webhook, type, `,error_type="${error}",rejection_code="503"`)}`;
const conditions = (webhook: string, kind: string): string =>
  `apiserver_admission_match_condition_evaluation_errors_total${labelled(webhook, 'validating', `,kind="${kind}"`)}`;
const converted = (succeeded: boolean): string =>
  `apiserver_crd_conversion_webhook_duration_seconds_count{crd_name="${crd}",succeeded="${succeeded}"}`;
/** Calls that all take more than `faster` seconds and at most `slower`. */
const took = (webhook: string, type: string, faster: string, slower: string): Series => {
  const bucket = (le: string): string =>
    `apiserver_admission_webhook_admission_duration_seconds_bucket${labelled(webhook, type, `,rejected="false",le="${le}"`)}`;
  return { [bucket(faster)]: still, [bucket(slower)]: rising, [bucket('+Inf')]: rising };
};

/** The counts of the API server, and the resulting alerts with their webhooks. */
const cases: readonly {
  readonly name: string;
  readonly series: Series;
  readonly fires: readonly (readonly [alert: string, kind: string, webhook: string])[];
}[] = [
  {
    name: 'calls fail closed',
    series: { [refused('closed', 'validating', 'calling_webhook_error')]: rising },
    fires: [['WebhookCallsFail', 'validating', `closed.${end}`]],
  },
  {
    name: 'calls of the mutating webhook of the same name fail',
    series: { [refused('closed', 'admit', 'calling_webhook_error')]: rising },
    fires: [['WebhookCallsFail', 'mutating', `closed.${end}`]],
  },
  {
    name: 'calls failed once',
    series: { [refused('closed', 'validating', 'calling_webhook_error')]: still },
    fires: [],
  },
  {
    name: 'it denies, which is what it is for',
    series: { [refused('closed', 'validating', 'no_error')]: rising },
    fires: [],
  },
  {
    name: 'calls of a webhook of another cluster fail',
    series: { [refused('another', 'validating', 'calling_webhook_error')]: rising },
    fires: [],
  },
  {
    name: 'answers are of no use',
    series: { [refused('open', 'validating', 'apiserver_internal_error')]: rising },
    fires: [['WebhookAnswersUnusable', 'validating', `open.${end}`]],
  },
  {
    name: 'calls fail open',
    series: {
      [`apiserver_admission_webhook_fail_open_count${labelled('open', 'validating', '')}`]: rising,
    },
    fires: [['WebhookFailsOpen', 'validating', `open.${end}`]],
  },
  {
    name: 'two configurations share a name, and one of them fails open',
    series: {
      [`apiserver_admission_webhook_fail_open_count${labelled('shared', 'validating', '')}`]: rising,
    },
    fires: [['WebhookFailsOpen', 'validating', `shared.${end}`]],
  },
  {
    name: 'two of three seconds are slow',
    series: took('open', 'validating', '1', '2.5'),
    fires: [['WebhookSlow', 'validating', `open.${end}`]],
  },
  { name: 'a fifth of a second is not', series: took('open', 'validating', '0.1', '0.5'), fires: [] },
  { name: 'ten of thirty seconds are not', series: took('closed', 'admit', '2.5', '10'), fires: [] },
  {
    name: 'twenty-five of thirty seconds are slow',
    series: took('closed', 'admit', '10', '25'),
    fires: [['WebhookSlow', 'mutating', `closed.${end}`]],
  },
  {
    name: 'conditions end in errors',
    series: { [conditions('open', 'webhook')]: rising },
    fires: [['WebhookMatchConditionErrors', 'validating', `open.${end}`]],
  },
  {
    name: 'conditions of a policy end in errors',
    series: { [conditions('open', 'policy')]: rising },
    fires: [],
  },
  {
    name: 'conversions fail',
    series: { [converted(false)]: rising },
    fires: [['ConversionFails', 'conversion', crd]],
  },
  { name: 'conversions succeed', series: { [converted(true)]: rising }, fires: [] },
  {
    name: 'an API is not available',
    series: { [`aggregator_unavailable_apiservice{name="${api}"}`]: '1x30' },
    fires: [['APIServiceUnavailable', 'aggregated-api', api]],
  },
  {
    name: 'an API is available',
    series: { [`aggregator_unavailable_apiservice{name="${api}"}`]: '0x30' },
    fires: [],
  },
  {
    name: 'one of two API servers refuses',
    series: {
      [refused('closed', 'validating', 'calling_webhook_error').replace('{', '{instance="a",')]: still,
      [refused('closed', 'validating', 'calling_webhook_error').replace('{', '{instance="b",')]: rising,
    },
    fires: [['WebhookCallsFail', 'validating', `closed.${end}`]],
  },
];

describe('alert rules of a real cluster, read and tested by promtool', function () {
  needs('api-server');
  // The first build takes minutes.
  this.timeout(600_000);
  const folder = mkdtempSync(join(tmpdir(), 'alert-rules-'));
  let scene: Scene | undefined;
  let tool = '';
  let groups: readonly RuleGroup[] = [];

  const file = (name: string, content: object): string => {
    writeFileSync(join(folder, name), stringify(content));
    return join(folder, name);
  };
  const rulesIn = (content: readonly RuleGroup[]): readonly AlertRule[] =>
    content.flatMap(({ rules }) => rules);

  /** A unit test for every case: all alerts after twenty minutes, with labels and texts. */
  const unitTests = (rules: string) => ({
    rule_files: [rules],
    evaluation_interval: '1m',
    tests: cases.map(({ name, series, fires }) => ({
      name,
      interval: '1m',
      input_series: Object.entries(series).map(([one, values]) => ({ series: one, values })),
      alert_rule_test: [...new Set(rulesIn(groups).map(({ alert }) => alert))].flatMap((alert) => [
        // No alert before its `for` duration.
        { eval_time: '1m', alertname: alert, exp_alerts: [] },
        {
          eval_time: '20m',
          alertname: alert,
          exp_alerts: rulesIn(groups)
            .filter(({ labels }) =>
              fires.some(
                ([fired, kind, webhook]) =>
                  fired === alert && kind === labels.kind && webhook === labels.webhook,
              ),
            )
            .filter((rule) => rule.alert === alert)
            .map(({ labels, annotations }) => ({ exp_labels: labels, exp_annotations: annotations })),
        },
      ]),
    })),
  });
  const refusal = (...args: readonly string[]): Promise<string> =>
    run(tool, args).then(
      () => '',
      (error: Error) => error.message,
    );

  before(async () => {
    tool = await promtool();
    const { client, kubeconfig } = await apiServer();
    scene = await openScene(client);
    for (const object of objects) await scene.create(object);
    const names = ['first', 'second', 'changes'].map((name) => `alerted-${name}`);
    const args = ['alerts', ...names, `crd/${crd}`, `apiservice/${api}`, '--kubeconfig', kubeconfig] as const;
    const [plain, yaml] = await Promise.all([plugin([...args, '-o', 'plain']), plugin(args)]);
    expect(plain.code, plain.stderr).to.equal(0);
    ({ groups } = parse(plain.stdout) as { groups: readonly RuleGroup[] });
    expect((parse(yaml.stdout) as { spec: { groups: unknown } }).spec.groups).to.deep.equal(groups);
  });
  after(async () => {
    await scene?.leave();
    rmSync(folder, { recursive: true, force: true });
  });

  it('are valid', async () => {
    expect(rulesIn(groups)).to.have.length(16);
    const said = await run(tool, [
      'check',
      'rules',
      '--lint=all',
      '--lint-fatal',
      file('all.yaml', { groups }),
    ]);
    expect(said).to.include(`SUCCESS: ${rulesIn(groups).length} rules found`);
  });

  it('fire for their condition, and for nothing else', async () => {
    const rules = file('rules.yaml', { groups });
    const fired = new Set(cases.flatMap(({ fires }) => fires.map(([alert]) => alert)));
    expect(fired).to.deep.equal(new Set(rulesIn(groups).map(({ alert }) => alert)));
    expect(await refusal('test', 'rules', file('tests.yaml', unitTests(rules)))).to.equal('');
  });

  it('fail their tests if they are wrong', async () => {
    const changed = (from: string, to: string): readonly RuleGroup[] =>
      groups.map((group) => ({
        ...group,
        rules: group.rules.map((rule) => ({ ...rule, expr: rule.expr.replaceAll(from, to) })),
      }));
    const wrong: readonly (readonly [string, string])[] = [
      ['error_type="calling_webhook_error"', 'error_type!="no"'],
      [',type="validating"', ''],
      ['> 1.5', '> 3'],
    ];
    for (const [from, to] of wrong) {
      const rules = file('wrong.yaml', { groups: changed(from, to) });
      expect(await refusal('test', 'rules', file('tests.yaml', unitTests(rules))), from).to.include('FAILED');
    }
    const broken = file('broken.yaml', { groups: changed('))', ')') });
    expect(await refusal('check', 'rules', broken)).to.include('parse error');
  });
});
