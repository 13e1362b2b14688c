import { expect } from 'chai';
import type { AdmissionRequest, RequestUser } from '../../src/apiserver/admission/admission-request.ts';
import { conditionsOf } from '../../src/apiserver/admission/match-conditions.ts';
import { minorVersion } from '../../src/apiserver/server-version.ts';
import type { Client, KubeObject } from '../cluster/client.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { apiServer, needs } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { recordAgreement } from '../oracle/agreement.ts';
import { alike, recordAnswers } from '../support/recordings.ts';
import {
  type ConditionAnswer as Answer,
  combinations,
  expressions,
  type RecordedConditions,
} from './match-condition-questions.ts';

interface Recorded {
  readonly request: string;
  readonly at: number;
  readonly conditions: readonly string[];
  readonly answer: Answer;
}

const namespace = 'match-conditions';
const questionLabel = 'question';
const conditionSets: readonly (readonly string[])[] = [...expressions.map((one) => [one]), ...combinations];
const configurationsPath = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const configurationName = (part: number): string => `match-conditions-${part}`;
const webhooksPerConfiguration = 40;

const webhook = (conditions: readonly string[], at: number): object => ({
  name: `q${at}.example.com`,
  clientConfig: { url: 'https://127.0.0.1:1/' },
  rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }],
  objectSelector: { matchLabels: { [questionLabel]: `q${at}` } },
  matchConditions: conditions.map((expression, index) => ({ name: `c${index}`, expression })),
  failurePolicy: 'Fail',
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  timeoutSeconds: 5,
});

/** The webhooks of all questions except those that this version does not compile. */
const configurations = (left: ReadonlySet<number>): readonly KubeObject[] => {
  const all = conditionSets.map(webhook).filter((_, at) => !left.has(at));
  const parts = Math.ceil(all.length / webhooksPerConfiguration);
  return Array.from({ length: parts }, (_, part) => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: configurationName(part) },
    webhooks: all.slice(part * webhooksPerConfiguration, (part + 1) * webhooksPerConfiguration),
  }));
};

const widgets: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.oracle.example.com' },
  spec: {
    group: 'oracle.example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        subresources: { status: {} },
      },
      {
        name: 'v1beta1',
        served: true,
        storage: false,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

const metadata = { name: 'new', labels: { team: 'a' }, annotations: { note: 'x' } };
const container = {
  name: 'app',
  image: 'registry.example.com/app:1',
  ports: [{ containerPort: 8080 }],
  resources: { requests: { memory: '64Mi' } },
};
const widget: KubeObject = {
  apiVersion: 'oracle.example.com/v1',
  kind: 'Widget',
  metadata,
  spec: { replicas: 3, ratio: 0.5, nothing: null, list: ['a', 'b'], mixed: ['a', 1], flag: true },
};
const pod: KubeObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'new', labels: { team: 'b' } },
  spec: { containers: [container], serviceAccountName: 'default', automountServiceAccountToken: false },
};

/** Questions for a webhook that accepts v1beta1 only, for a request in v1. */
const convertedQuestions: readonly string[] = [
  'request.kind.version == "v1beta1"',
  'request.resource.version == "v1"',
  'request.requestKind.version == "v1"',
  'request.requestResource.version == "v1"',
  'object.apiVersion == "oracle.example.com/v1beta1"',
  'object.metadata.name == "new"',
  'object.metadata.namespace == "match-conditions"',
  'object.metadata.labels.team == "a"',
  'object.spec.replicas == 3',
];
const convertedName = (at: number): string => `converted-${at}`;
const converted: KubeObject = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'match-conditions-converted' },
  webhooks: convertedQuestions.map((expression, at) => ({
    ...webhook([expression], at),
    name: `${convertedName(at)}.example.com`,
    rules: [
      {
        operations: ['CREATE'],
        apiGroups: ['oracle.example.com'],
        apiVersions: ['v1beta1'],
        resources: ['widgets'],
      },
    ],
    objectSelector: { matchLabels: { [questionLabel]: convertedName(at) } },
  })),
};

/** Keys that are not strings: from 1.37 on, an error for typed objects. */
const unusualKeys: readonly string[] = [
  'true in object.metadata',
  '1 in object.metadata.labels',
  '1 in object',
];
const keyName = (at: number): string => `key-${at}`;
const keyed: KubeObject = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'match-conditions-keys' },
  webhooks: unusualKeys.map((expression, at) => ({
    ...webhook([expression], at),
    name: `${keyName(at)}.example.com`,
    objectSelector: { matchLabels: { [questionLabel]: keyName(at) } },
  })),
};

/** With failurePolicy Ignore, only the API server's own count distinguishes a call from none. */
const ignoring: KubeObject = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'match-conditions-ignoring' },
  webhooks: ['true', 'object.none == 1', 'namespaceObject.metadata.name == ""', 'false'].map(
    (expression, at) => ({
      ...webhook([expression], at),
      name: `ignoring-${at}.example.com`,
      objectSelector: { matchLabels: { [questionLabel]: 'ignoring' } },
      failurePolicy: 'Ignore',
    }),
  ),
};

interface Made {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  /** `{at}` is the number of the question: its webhook selects the stored object by it. */
  readonly path: string;
  readonly body: KubeObject | undefined;
  readonly where: Pick<AdmissionRequest, 'group' | 'resource' | 'subresource'> & { readonly kind: string };
}

const widgetPath = `/apis/oracle.example.com/v1/namespaces/${namespace}/widgets`;
const ofWidgets = { group: 'oracle.example.com', resource: 'widgets', kind: 'Widget' };
const widgetPatch = { apiVersion: 'oracle.example.com/v1', kind: 'Widget', metadata: {} };

/** The requests; PATCH merges. Stored objects exist before the webhooks. */
const requests: Readonly<Record<string, Made>> = {
  'a new Widget': { method: 'POST', path: widgetPath, body: widget, where: ofWidgets },
  'a new Pod': {
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/pods`,
    body: pod,
    where: { group: '', resource: 'pods', kind: 'Pod' },
  },
  'a new ConfigMap without labels of its own': {
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/configmaps`,
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'new' }, data: { key: 'value' } },
    where: { group: '', resource: 'configmaps', kind: 'ConfigMap' },
  },
  'a new ClusterRole': {
    method: 'POST',
    path: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    body: { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'new' } },
    where: { group: 'rbac.authorization.k8s.io', resource: 'clusterroles', kind: 'ClusterRole' },
  },
  'an update of a Widget': {
    method: 'PATCH',
    path: `${widgetPath}/old-{at}`,
    body: { ...widgetPatch, spec: { replicas: 4 } },
    where: ofWidgets,
  },
  'an update of the status of a Widget': {
    method: 'PATCH',
    path: `${widgetPath}/old-{at}/status`,
    body: { ...widgetPatch, status: { ready: true } },
    where: { ...ofWidgets, subresource: 'status' },
  },
  'a deletion of a Widget': {
    method: 'DELETE',
    path: `${widgetPath}/old-{at}`,
    body: undefined,
    where: ofWidgets,
  },
};
const operations = { POST: 'CREATE', PATCH: 'UPDATE', DELETE: 'DELETE' } as const;

const labelled = (object: KubeObject, question: string): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, labels: { ...object.metadata.labels, [questionLabel]: question } },
});
const questionName = (at: number | string): string => (typeof at === 'number' ? `q${at}` : at);

/** Sends the request of a question. */
async function send(client: Client, { method, path, body }: Made, at: number | string) {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const sent = method === 'POST' && body ? labelled(body, questionName(at)) : body;
  const url = `${path.replace('{at}', `${at}`)}?dryRun=All`;
  const { status, body: text } = await client.request(method, url, sent, type);
  return { status, answer: JSON.parse(text) };
}

/** The model's request as text, with `{at}` for the number of the question. */
function patternOf(made: Made, answer: KubeObject, stored: KubeObject, user: RequestUser): string {
  const { method, path, where } = made;
  const request: AdmissionRequest = {
    operation: operations[method],
    version: 'v1',
    ...where,
    ...(path.includes('/namespaces/') && { namespace }),
    name: (method === 'POST' ? answer : stored).metadata.name ?? '',
    dryRun: true,
    user: { username: user.username, groups: user.groups, uid: user.uid ?? '', extra: user.extra ?? {} },
    ...(method !== 'DELETE' && { object: answer }),
    ...(method !== 'POST' && { oldObject: stored }),
  };
  return JSON.stringify(request).replaceAll('"old-0"', '"old-{at}"').replaceAll('"q0"', '"q{at}"');
}

function readAnswer({ status, answer }: { status: number; answer: { message?: string } }): Answer {
  if (status < 300) return 'passed over';
  const message = answer.message ?? '';
  if (message.includes('failed calling webhook')) return 'called';
  if (status === 403) return { refused: message };
  throw new Error(`${status} ${message}`);
}

function predict(
  asked: AdmissionRequest,
  conditions: readonly string[],
  version: string,
  as?: AdmissionRequest,
): Answer | 'unknown' {
  const matchConditions = conditions.map((expression, at) => ({ name: `c${at}`, expression }));
  const found = conditionsOf({ matchConditions, failurePolicy: 'Fail' }, asked, version, as);
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
}

describe('matchConditions', function () {
  needs('api-server');
  this.timeout(600_000);
  let scene: Scene;
  let version = '';
  const uncompiled = new Set<number>();
  const patterns = new Map<string, string>();
  const recorded: Recorded[] = [];
  const unknown = new Map<string, number>();
  let agreed = 0;

  before(async () => {
    const { client } = await apiServer({});
    scene = await openScene(client);
    version = JSON.parse(await client.text('/version')).gitVersion;
    await scene.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const account = { name: 'default', namespace };
    await scene.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: account });
    await scene.create(widgets);
    const review = await client.request('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {});
    const user = JSON.parse(review.body).status.userInfo;
    const old = (at: number) =>
      labelled({ ...widget, metadata: { ...metadata, name: `old-${at}`, namespace } }, `q${at}`);
    const stored = await waitFor('the new resource', () => scene.create(old(0)));
    for (const at of conditionSets.keys()) if (at > 0) await client.create(old(at));
    for (const [name, made] of Object.entries(requests)) {
      const { status, answer } = await send(client, made, 0);
      if (status >= 300) throw new Error(`${name}: ${JSON.stringify(answer)}`);
      patterns.set(name, patternOf(made, answer, stored, user));
    }
    for (const one of configurations(uncompiled)) {
      const { status, body } = await client.request('POST', `${configurationsPath}?dryRun=All`, one);
      const causes: readonly { field: string; message: string }[] = JSON.parse(body).details?.causes ?? [];
      for (const { field, message } of status === 422 ? causes : []) {
        const at = /^webhooks\[(\d+)\]\.matchConditions\[\d+\]\.expression$/.exec(field)?.[1];
        expect(message).to.match(/compilation failed|estimated/);
        uncompiled.add(Number(/\d+/.exec((one.webhooks as { name: string }[])[Number(at)]?.name ?? '')?.[0]));
      }
    }
    // A new expression may use what the previous release supports: lists.range exists since 1.34.
    if (Number(minorVersion(version)) >= 35)
      expect([...uncompiled].map((at) => conditionSets[at])).to.deep.equal([]);
    for (const one of [...configurations(uncompiled), converted, keyed, ignoring]) await scene.create(one);
    const last = conditionSets.findIndex(([one, two]) => one === 'true' && two === 'true');
    const [first] = Object.values(requests);
    await waitFor(
      'the last webhook to be called',
      async () => first && readAnswer(await send(client, first, last)) === 'called',
    );
  });
  after(async () => {
    await scene?.leave();
    if (recorded.length === 0) return;
    const times = [...unknown.values()].reduce((all, one) => all + one, 0);
    recordAgreement('match-conditions', version, recorded.length, agreed, times);
    for (const [expression, count] of unknown) console.log(`  unknown ${count} times: ${expression}`);
    const asked = [...patterns].map(([name, pattern]) => [name, alike(JSON.parse(pattern))] as const);
    recordAnswers('match-condition-requests', version, new Map(asked));
    const answers = new Map<string, RecordedConditions>();
    for (const { request, at, conditions, answer } of recorded) {
      const { said = {} } = answers.get(conditions.join(' and ')) ?? {};
      answers.set(conditions.join(' and '), { at, conditions, said: { ...said, [request]: answer } });
    }
    recordAnswers('match-conditions', version, answers);
  });

  for (const [name, made] of Object.entries(requests)) {
    conditionSets.forEach((conditions, at) => {
      it(`${name}: ${conditions.join(' and ')}`, async () => {
        if (uncompiled.has(at)) return;
        const answer = readAnswer(await send(scene.client, made, at));
        recorded.push({ request: name, at, conditions, answer });
        const request = JSON.parse((patterns.get(name) ?? '').replaceAll('{at}', `${at}`));
        const predicted = predict(request, conditions, version);
        if (predicted === 'unknown') {
          const text = conditions.join(' and ');
          unknown.set(text, (unknown.get(text) ?? 0) + 1);
          return;
        }
        expect(predicted).to.deep.equal(answer);
        agreed += 1;
      });
    });
  }

  it('of a converted object', async () => {
    const made = requests['a new Widget'] as Made;
    const request = JSON.parse(patterns.get('a new Widget') ?? '') as AdmissionRequest;
    const answers: Answer[] = [];
    const predictions: (Answer | 'unknown')[] = [];
    for (const [at, expression] of convertedQuestions.entries()) {
      answers.push(readAnswer(await send(scene.client, made, convertedName(at))));
      const { object: _, ...known } = request;
      const asked = { ...known, labels: { team: 'a', [questionLabel]: convertedName(at) } };
      predictions.push(predict(asked, [expression], version, { ...asked, version: 'v1beta1' }));
    }
    expect(predictions.slice(0, -1)).to.deep.equal(answers.slice(0, -1));
    expect(predictions.at(-1)).to.equal('unknown');
  });

  for (const name of ['a new Widget', 'a new Pod'])
    it(`${name}: keys that are not strings`, async () => {
      const answers: Answer[] = [];
      const predictions: (Answer | 'unknown')[] = [];
      const pattern = patterns.get(name) ?? '';
      for (const [at, expression] of unusualKeys.entries()) {
        answers.push(readAnswer(await send(scene.client, requests[name] as Made, keyName(at))));
        predictions.push(predict(JSON.parse(pattern), [expression], version));
      }
      expect(predictions).to.deep.equal(answers);
    });

  it('with failurePolicy Ignore: an error skips the webhook', async () => {
    const { status } = await send(scene.client, requests['a new Widget'] as Made, 'ignoring');
    expect(status).to.equal(201);
    const metrics = await scene.client.text('/metrics');
    const counted = /^apiserver_admission_webhook_fail_open_count\{name="(ignoring-\d)\.example\.com",/gm;
    expect([...metrics.matchAll(counted)].map(([, name]) => name)).to.deep.equal(['ignoring-0']);
  });
});
