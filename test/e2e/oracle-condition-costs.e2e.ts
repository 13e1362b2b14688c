import { expect } from 'chai';
import { conditionsOf } from '../../src/apiserver/admission/match-conditions.ts';
import { chargedSoFar } from '../../src/apiserver/cel/cost.ts';
import type { Variables } from '../../src/apiserver/cel/evaluate.ts';
import { fromJson } from '../../src/apiserver/cel/value.ts';
import type { FailurePolicy } from '../../src/facts/callout.ts';
import type { Client } from '../cluster/client.ts';
import { findProgram } from '../cluster/component.ts';
import { defaultVersion } from '../cluster/kubernetes.ts';
import { openScene } from '../cluster/scene.ts';
import { apiServer, needs } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { wantedVersion } from '../cluster/ways-in.ts';
import { recordAgreement } from '../oracle/agreement.ts';
import { askCosts } from '../oracle/condition-cost/ask-go.ts';
import {
  conditionResult,
  conditionVariables,
  type RecordedCondition,
} from '../oracle/condition-cost/condition-result.ts';
import { costing } from '../oracle/condition-cost/costing.ts';
import { textConditions } from '../oracle/condition-cost/texts.ts';
import { recordAnswers } from '../support/recordings.ts';
import { combinations, expressions } from './match-condition-questions.ts';

const kubernetes = wantedVersion() ?? defaultVersion;
const long = '"abcdefghijklmnopqrstuvwxyz0123456789"';
/** Expressions that cost more than 1, or less than expected. */
const costly: readonly string[] = [
  `request.name.startsWith(${long})`,
  `[${long}, request.name].all(x, x < ${long} || x + ${long} != x)`,
  `object.metadata.name.contains(${long})`,
  `(${long} + ${long}).contains(${long})`,
  `(${long} + object.metadata.name).matches("^([a-z]+[0-9]*)+(new|old)$")`,
  `[1, 2, 3, 4].map(x, [x, x * 2]).map(x, x[0] + x[1]).filter(x, x > 3).size() == 3`,
  `[1, 2, 3].map(x, x > 1, request.name + ${long}).join(",").size() > 3`,
  `[${long}, ${long}].isSorted() && [3, 1, 2].max() == 3 && [1, 2].sum() == 3`,
  `sets.contains(object.spec.list, ["a", "b"]) && sets.equivalent(object.spec.list, ["b", "a"])`,
  `object.spec.list[object.spec.replicas - 3] == "a" && object.metadata[request.name] == "x"`,
  `object[request.operation == "CREATE" ? "metadata" : "spec"].name == "new"`,
  `(object.spec.flag ? object.metadata.labels : object.spec)["team"] == "a"`,
  `{"a": [request.name]}["a"][0] == "new" && has({"a": request.name}.a)`,
  `object.metadata.?none.optMap(m, m + "x").orValue("x") == "x"`,
  `object.metadata.?labels.optFlatMap(m, m.?team).orValue("x") == "a"`,
  `{"a": 1, "b": 2, "c": 3}.exists(k, k == "b") && object.metadata.labels.all(k, k != "x")`,
  `"x" in [] || object.spec.replicas in [1, 2, 3] || ["a"] in [["a"]]`,
  costing(12_345),
];

describe('the cost of matchConditions', function () {
  this.timeout(600_000);

  it(`an API server of Kubernetes ${kubernetes}, by its own libraries`, async function () {
    if (findProgram('go') === undefined) {
      if (process.env.CI === 'true') throw new Error('Nothing may be skipped in CI: there is no Go');
      this.skip();
    }
    const asked = [...new Set([...expressions, ...combinations.flat(), ...costly, ...textConditions])];
    const known: Variables = new Map(
      Object.entries(conditionVariables).map(([name, of]) => [name, fromJson(of)]),
    );
    const answers = await askCosts(kubernetes, asked, conditionVariables);
    const wrong: unknown[] = [];
    const results = new Map<string, RecordedCondition>();
    let [exact, unknown, compiled] = [0, 0, 0];
    for (const [at, expression] of asked.entries()) {
      const { cost = -1, error = '', value = '' } = answers[at] ?? {};
      // The API server does not store such a condition.
      if (/ERROR: <input>|^program instantiation failed/.test(error)) continue;
      compiled += 1;
      results.set(expression, [error || value, cost]);
      const result = conditionResult(expression, known, kubernetes);
      if (result === undefined) unknown += 1;
      if (result === undefined) continue;
      if (result !== (error || value)) wrong.push({ expression, result, error, value });
      const { least, most } = chargedSoFar();
      if (least > cost || most < cost) wrong.push({ expression, cost, least, most });
      if (least === most) exact += 1;
    }
    expect(wrong).to.deep.equal([]);
    expect(exact).to.be.above(compiled * 0.75);
    recordAnswers('condition-results', kubernetes, results);
    recordAgreement('condition-costs', kubernetes, compiled, compiled - unknown, unknown);
  });

  describe('near the limits', () => {
    needs('api-server');
    const third = [833_333, 833_333].map(costing);
    const cases: readonly (readonly [what: string, conditions: readonly string[], policy?: FailurePolicy])[] =
      [
        ['an expression at its limit', [costing(1_000_000)]],
        ['an expression beyond it', [costing(1_000_001)]],
        ['an expression beyond it, where another part decides', [`(${costing(1_000_001)}) || true`]],
        ['an expression beyond it beside a condition that is false', [costing(1_000_001), 'false']],
        ['conditions at their limit', [...third, costing(833_334)]],
        ['conditions beyond it', [...third, costing(833_335)]],
        ['conditions beyond it, one of them false', ['1 == 2', ...third, costing(833_334)]],
        [
          'conditions beyond it, by two that are ended',
          [costing(1_000_001), costing(1_000_001), costing(499_999)],
        ],
        ['conditions beyond it with failurePolicy Ignore', [...third, costing(833_335)], 'Ignore'],
      ];
    let client: Client;
    let leave = async (): Promise<void> => undefined;

    const webhook = (conditions: readonly string[], at: number, failurePolicy: FailurePolicy): object => ({
      name: `cost${at}.example.com`,
      clientConfig: { url: 'https://127.0.0.1:1/' },
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
      objectSelector: { matchLabels: { question: `cost${at}` } },
      matchConditions: conditions.map((expression, index) => ({ name: `c${index}`, expression })),
      failurePolicy,
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      timeoutSeconds: 5,
    });
    const outcome = async (at: number): Promise<string> => {
      const body = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'new', namespace: 'default', labels: { question: `cost${at}` } },
      };
      const url = '/api/v1/namespaces/default/configmaps?dryRun=All';
      const answer = await client.request('POST', url, body, 'application/json');
      if (answer.status < 300) return 'passed over';
      const { message } = JSON.parse(answer.body) as { readonly message: string };
      return message.includes('failed calling webhook') ? 'called' : message;
    };

    before(async () => {
      ({ client } = await apiServer({}));
      const scene = await openScene(client);
      leave = () => scene.leave();
      const webhooks = [...cases, ['last', ['true']] as const].map(([, conditions, policy], at) =>
        webhook(conditions, at, policy ?? 'Fail'),
      );
      await scene.create({
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: 'condition-costs' },
        webhooks,
      });
      await waitFor('the webhooks', async () => (await outcome(cases.length)) === 'called');
    });
    after(() => leave());

    for (const [at, [what, conditions, failurePolicy = 'Fail']] of cases.entries())
      it(what, async () => {
        const matchConditions = conditions.map((expression, index) => ({ name: `c${index}`, expression }));
        const configMaps = { group: '', version: 'v1', resource: 'configmaps' };
        const request = { operation: 'CREATE', ...configMaps, name: 'new' } as const;
        const found = conditionsOf({ matchConditions, failurePolicy }, request, kubernetes);
        const said = { hold: 'called', skipped: 'passed over', unknown: 'unknown' };
        const predicted = found.outcome === 'rejected' ? found.text : said[found.outcome];
        expect(predicted).to.equal(await outcome(at));
      });
  });
});
