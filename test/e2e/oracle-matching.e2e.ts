import { expect } from 'chai';
import type { AdmissionRequest, Operation } from '../../src/apiserver/admission-request.ts';
import { matchRequest } from '../../src/apiserver/match.ts';
import { isAdmission, type RuleWithOperations } from '../../src/facts/callout.ts';
import type { LabelSelector } from '../../src/facts/objects/metadata.ts';
import type { Snapshot } from '../../src/facts/snapshot.ts';
import type { Client, KubeObject } from '../cluster/client.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { apiServer, needs } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { countAgreement } from '../oracle/agreement.ts';
import { factsOf } from './oracle-facts.ts';

const rule = (
  resources: readonly string[],
  apiGroups: readonly string[] = ['*'],
  apiVersions: readonly string[] = ['*'],
  operations: readonly string[] = ['*'],
): RuleWithOperations => ({ resources, apiGroups, apiVersions, operations });

const rules: readonly (readonly RuleWithOperations[])[] = [
  [rule(['*/*'])],
  [rule(['*'])],
  [rule(['*/*'], [''], ['v1'], ['CREATE'])],
  [rule(['configmaps', 'secrets'], [''])],
  [rule(['configmaps'], ['v1'])],
  [rule(['configmap'])],
  [rule(['deployments'], ['apps'], ['v1'], ['UPDATE', 'CREATE'])],
  [rule(['deployments/*'], ['apps'])],
  [rule(['*/scale'])],
  [rule(['deployments/scale'], ['apps'])],
  [rule(['widgets'], ['matching.example.com'], ['v1'])],
  [rule(['widgets'], ['matching.example.com'], ['v1beta1'])],
  [rule(['widgets/status'], ['matching.example.com'], ['v1'])],
  [rule(['*'], ['matching.example.com'], ['v1beta1'], ['DELETE'])],
  [rule(['namespaces'], [''], ['v1'])],
  [rule(['namespaces/*'])],
  [rule(['events'], [''], ['v1'])],
  [rule(['events'], ['events.k8s.io'], ['v1'])],
  [rule(['horizontalpodautoscalers'], ['autoscaling'], ['v2'])],
  [rule(['horizontalpodautoscalers'], ['autoscaling'], ['v1'])],
  [rule(['leases'], ['coordination.k8s.io']), rule(['configmaps'], [''], ['v1'], ['DELETE'])],
  [rule(['tokenreviews', 'subjectaccessreviews'])],
  [rule(['serviceaccounts/token'], [''])],
  [rule(['clusterroles', 'priorityclasses'])],
  [rule(['validatingwebhookconfigurations', 'validatingadmissionpolicies', 'customresourcedefinitions'])],
];
const scopes = ['*', 'Namespaced', 'Cluster', undefined] as const;
const labelled = (
  key: string,
  operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist',
  ...values: string[]
): LabelSelector => ({
  matchExpressions: [{ key, operator, ...(values.length > 0 && { values }) }],
});
const namespaceSelectors: readonly LabelSelector[] = [
  {},
  { matchLabels: { team: 'a' } },
  labelled('kubernetes.io/metadata.name', 'NotIn', 'kube-system'),
  labelled('team', 'DoesNotExist'),
  labelled('team', 'In', 'a', 'b'),
];
const objectSelectors: readonly LabelSelector[] = [
  {},
  {},
  { matchLabels: { app: 'policy' } },
  labelled('app', 'DoesNotExist'),
  labelled('app', 'Exists'),
  labelled('app', 'NotIn', 'policy'),
];

/** Every rule four times, each time with other selectors, scope and matchPolicy. */
const webhooks = Array.from({ length: rules.length * 4 }, (_, index) => {
  const round = Math.floor(index / rules.length);
  const scope = round === 0 ? '*' : scopes[(index + round) % scopes.length];
  return {
    name: `w${index}.example.com`,
    clientConfig: { service: { namespace: 'nowhere', name: 'policy' } },
    rules: rules[index % rules.length]?.map((one) => ({ ...one, ...(scope !== undefined && { scope }) })),
    matchPolicy: (index + round) % 2 === 0 ? 'Equivalent' : 'Exact',
    namespaceSelector: round === 0 ? {} : namespaceSelectors[(index + 2 * round) % namespaceSelectors.length],
    objectSelector: round < 2 ? {} : objectSelectors[(index + round) % objectSelectors.length],
    // The API server's own writes stay out of the count; the model is asked without this condition.
    matchConditions: [{ name: 'dry-run', expression: 'request.dryRun == true' }],
    failurePolicy: 'Ignore',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    timeoutSeconds: 1,
  };
});

const widgets = (): KubeObject => {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.matching.example.com' },
    spec: {
      group: 'matching.example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [
        { name: 'v1', served: true, storage: true, schema, subresources: { status: {} } },
        { name: 'v1beta1', served: true, storage: false, schema },
      ],
    },
  };
};

interface Asked {
  readonly name: string;
  readonly path: string;
  readonly body: object | undefined;
  readonly request: AdmissionRequest;
}
const methods: Readonly<Record<string, string>> = { CREATE: 'POST', UPDATE: 'PATCH', DELETE: 'DELETE' };
type Where = Pick<AdmissionRequest, 'group' | 'version' | 'resource' | 'subresource' | 'namespace'>;

/** A dry run; `labels` are the new object's, `oldLabels` the stored one's. */
function asks(
  operation: Operation,
  where: Where,
  labels: Readonly<Record<string, string>> | undefined,
  more: {
    readonly name?: string;
    readonly body?: object;
    readonly oldLabels?: Readonly<Record<string, string>>;
  } = {},
): Asked {
  const { group, version, resource, subresource, namespace } = where;
  const base = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const place = namespace === undefined || resource === 'namespaces' ? '' : `/namespaces/${namespace}`;
  const object = more.name === undefined ? '' : `/${more.name}`;
  const path = `${base}${place}/${resource}${object}${subresource === undefined ? '' : `/${subresource}`}`;
  const metadata = { ...(more.name === undefined && { name: 'new' }), ...(labels && { labels }) };
  const oldLabels = more.oldLabels === undefined ? {} : { oldLabels: more.oldLabels };
  return {
    name: `${operation} ${path} ${JSON.stringify(labels ?? {})}`,
    path,
    body: operation === 'DELETE' ? undefined : { metadata, ...more.body },
    request: { operation, ...where, ...(labels && { labels }), ...oldLabels },
  };
}

const app = { app: 'policy' };
const core = (resource: string, namespace?: string): Where => ({
  group: '',
  version: 'v1',
  resource,
  ...(namespace !== undefined && { namespace }),
});
const of = (groupVersion: string, resource: string, namespace?: string, subresource?: string): Where => {
  const [group = '', version = ''] = groupVersion.split('/');
  return {
    group,
    version,
    resource,
    ...(namespace !== undefined && { namespace }),
    ...(subresource !== undefined && { subresource }),
  };
};
const template = {
  selector: { matchLabels: app },
  template: { metadata: { labels: app }, spec: { containers: [{ name: 'x', image: 'x' }] } },
};
const involved = (namespace: string): object => ({ kind: 'Pod', name: 'x', namespace });

/** `a`: the scene's namespace, labelled team=a; `b`: one without the label. */
const questions = (a: string, b: string): readonly Asked[] => [
  ...[a, b, 'kube-system'].flatMap((namespace) => [
    asks('CREATE', core('configmaps', namespace), undefined),
    asks('CREATE', core('configmaps', namespace), app),
    asks('CREATE', core('secrets', namespace), { app: 'other' }),
    asks('CREATE', of('coordination.k8s.io/v1', 'leases', namespace), app),
    asks('CREATE', of('apps/v1', 'deployments', namespace), undefined, { body: { spec: template } }),
  ]),
  asks(
    'UPDATE',
    core('configmaps', a),
    {},
    { name: 'old', oldLabels: app, body: { metadata: { labels: { app: null } } } },
  ),
  asks('UPDATE', core('configmaps', a), app, { name: 'old', oldLabels: app, body: { data: { a: 'b' } } }),
  asks('DELETE', core('configmaps', a), undefined, { name: 'old', oldLabels: app }),
  asks('UPDATE', of('apps/v1', 'deployments', a, 'scale'), undefined, {
    name: 'old',
    body: { spec: { replicas: 2 } },
  }),
  asks('UPDATE', of('apps/v1', 'deployments', a, 'status'), undefined, {
    name: 'old',
    body: { status: { replicas: 0 } },
  }),
  ...['v1', 'v1beta1'].flatMap((version) => [
    asks('CREATE', of(`matching.example.com/${version}`, 'widgets', a), app, {
      body: { apiVersion: `matching.example.com/${version}`, kind: 'Widget' },
    }),
    asks('UPDATE', of(`matching.example.com/${version}`, 'widgets', a), app, {
      name: 'old',
      oldLabels: app,
      body: { spec: { a: version } },
    }),
    asks('DELETE', of(`matching.example.com/${version}`, 'widgets', a), undefined, {
      name: 'old',
      oldLabels: app,
    }),
  ]),
  asks('UPDATE', of('matching.example.com/v1', 'widgets', a, 'status'), app, {
    name: 'old',
    oldLabels: app,
    body: { status: { a: 1 } },
  }),
  asks('CREATE', { ...core('namespaces'), namespace: 'new' }, undefined),
  asks('CREATE', { ...core('namespaces'), namespace: 'new' }, { team: 'a', app: 'policy' }),
  asks(
    'UPDATE',
    { ...core('namespaces'), namespace: a },
    { team: 'c' },
    { name: a, oldLabels: { team: 'a' }, body: { metadata: { labels: { team: 'c' } } } },
  ),
  asks('DELETE', { ...core('namespaces'), namespace: a }, undefined, { name: a, oldLabels: { team: 'a' } }),
  asks('DELETE', { ...core('namespaces'), namespace: b }, undefined, { name: b, oldLabels: {} }),
  asks('CREATE', core('events', a), undefined, { body: { involvedObject: involved(a) } }),
  asks('CREATE', of('events.k8s.io/v1', 'events', a), undefined, {
    body: {
      regarding: involved(a),
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'x.example.com/y',
      reportingInstance: 'x',
      action: 'x',
      reason: 'x',
      type: 'Normal',
    },
  }),
  ...['v1', 'v2'].map((version) =>
    asks('CREATE', of(`autoscaling/${version}`, 'horizontalpodautoscalers', a), undefined, {
      body: {
        spec: { maxReplicas: 2, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' } },
      },
    }),
  ),
  asks('CREATE', of('authentication.k8s.io/v1', 'tokenreviews'), undefined, {
    body: { spec: { token: 'x' } },
  }),
  asks('CREATE', of('authorization.k8s.io/v1', 'subjectaccessreviews'), undefined, {
    body: { metadata: {}, spec: { user: 'x', nonResourceAttributes: { path: '/', verb: 'get' } } },
  }),
  asks('CREATE', of('rbac.authorization.k8s.io/v1', 'clusterroles'), app, { body: { rules: [] } }),
  asks('CREATE', of('scheduling.k8s.io/v1', 'priorityclasses'), undefined, { body: { value: 1 } }),
  asks('CREATE', core('nodes'), undefined),
  asks('CREATE', of('admissionregistration.k8s.io/v1', 'validatingwebhookconfigurations'), app, {
    body: { webhooks: [] },
  }),
  asks('CREATE', of('admissionregistration.k8s.io/v1', 'validatingadmissionpolicies'), app, {
    body: {
      spec: {
        validations: [{ expression: 'true' }],
        matchConstraints: {
          resourceRules: [
            { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['secrets'] },
          ],
        },
      },
    },
  }),
];

/** How often each webhook failed open so far: the API server's own count of calls, one series per webhook's name. */
async function counts(client: Client): Promise<ReadonlyMap<string, number>> {
  const lines = (await client.text('/metrics')).matchAll(
    /^apiserver_admission_webhook_fail_open_count\{name="(w\d+\.example\.com)",[^}]*\} (\S+)$/gm,
  );
  return new Map([...lines].map(([, name = '', count]) => [name, Number(count)]));
}

async function calledFor(
  client: Client,
  { path, body, request }: Asked,
): Promise<{ called: string[]; status: number; body: string }> {
  const before = await counts(client);
  const type = request.operation === 'UPDATE' ? 'application/merge-patch+json' : 'application/json';
  const answer = await client.request(methods[request.operation] ?? '', `${path}?dryRun=All`, body, type);
  const after = await counts(client);
  const called = [...after].filter(([name, count]) => count > (before.get(name) ?? 0)).map(([name]) => name);
  return { called: called.toSorted(), status: answer.status, body: answer.body };
}

describe('which request reaches which webhook', function () {
  needs('api-server');
  this.timeout(120_000);
  let scene: Scene;
  let snapshot: Snapshot | undefined;
  countAgreement('matching', () => snapshot?.cluster.version);
  const other = 'oracle-without-label';

  before(async () => {
    const { client, kubeconfig } = await apiServer({});
    scene = await openScene(client);
    await client.patch(
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: scene.namespace } },
      { metadata: { labels: { team: 'a' } } },
    );
    await scene.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: other } });
    await scene.create(widgets());
    await scene.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'old', labels: app } });
    await scene.create({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'old' },
      spec: template,
    });
    await waitFor('the new resource', () =>
      scene.create({
        apiVersion: 'matching.example.com/v1',
        kind: 'Widget',
        metadata: { name: 'old', labels: app },
      }),
    );
    await scene.create({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'oracle' },
      webhooks,
    });
    snapshot = await factsOf(kubeconfig);
    const [first] = questions(scene.namespace, other);
    await waitFor(
      'the webhooks to be called',
      async () => first && (await calledFor(client, first)).called.length > 0,
    );
  });
  after(() => scene?.leave());

  questions('NAMESPACE', other).forEach(({ name }, index) => {
    it(name, async () => {
      const asked = questions(scene.namespace, other)[index];
      if (asked === undefined || snapshot === undefined) throw new Error('no such question');
      const {
        facts,
        cluster: { version },
      } = snapshot;
      const predicted = facts.callouts
        .filter(isAdmission)
        .filter(({ configuration }) => configuration === 'oracle')
        .filter(
          (callout) =>
            matchRequest({ ...callout, matchConditions: [] }, asked.request, facts, version).outcome ===
            'called',
        )
        .map(({ webhook }) => webhook)
        .toSorted();
      const { called, status, body } = await calledFor(scene.client, asked);
      expect(status, body).to.be.below(300);
      expect(called).to.deep.equal(predicted);
    });
  });
});
