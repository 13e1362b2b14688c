import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { AdmissionRequest, Operation } from '../../src/apiserver/admission/admission-request.ts';
import { consequenceOf } from '../../src/apiserver/admission/failure-policy.ts';
import { matchRequest } from '../../src/apiserver/admission/match.ts';
import { reviewToSend } from '../../src/apiserver/admission/review.ts';
import { callSentence } from '../../src/apiserver/sentences/call-sentence.ts';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import { isAdmission, type RuleWithOperations } from '../../src/facts/callout.ts';
import type { LabelSelector } from '../../src/facts/objects/metadata.ts';
import { minorVersion } from '../../src/facts/server-version.ts';
import type { Snapshot } from '../../src/facts/snapshot.ts';
import type { Client, KubeObject } from '../cluster/client.ts';
import { defaultVersion } from '../cluster/kubernetes.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { apiServer, needs } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { wantedVersion } from '../cluster/ways-in.ts';
import { countAgreement } from '../oracle/agreement.ts';
import { plugin } from '../support/plugin.ts';
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
  [rule(['widgets/*'], ['matching.example.com'], ['v1beta1'])],
  [rule(['widgets/scale'], ['matching.example.com'], ['v1beta1'])],
  [rule(['pods'], [''], ['v1'], ['CREATE', 'UPDATE', 'DELETE'])],
  [rule(['pods/*'], [''], ['v1'], ['CREATE', 'CONNECT'])],
  [rule(['*/proxy', 'pods/binding'], [''], ['v1'])],
  [rule(['namespaces/status', 'namespaces/finalize'], [''], ['v1'])],
  [rule(['namespaces'], ['apart.example.com'])],
  [],
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
    matchConditions: [
      { name: 'asked', expression: 'request.dryRun == true || request.operation == "CONNECT"' },
    ],
    failurePolicy: 'Ignore',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    timeoutSeconds: 1,
  };
});

const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
const resourceOf = (
  group: string,
  scope: 'Namespaced' | 'Cluster',
  [plural, kind]: readonly [string, string],
  versions: Readonly<Record<string, object>>,
): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope,
    names: { plural, kind },
    versions: Object.entries(versions).map(([name, subresources], index) => ({
      name,
      served: true,
      storage: index === 0,
      schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      subresources,
    })),
  },
});
const widgets = resourceOf('matching.example.com', 'Namespaced', ['widgets', 'Widget'], {
  v1: { status: {}, scale },
  v1beta1: { scale },
});
/** What is called as Namespaces are, in other groups. */
const apart = resourceOf('apart.example.com', 'Namespaced', ['namespaces', 'Namespace'], { v1: {} });

interface Asked {
  readonly name: string;
  readonly path: string;
  readonly body: object | undefined;
  /** `POST`, `PATCH` with a merge patch, or `DELETE`, by the operation, unless told. */
  readonly method?: string;
  readonly contentType?: string;
  /** Undefined: it reads, and no webhook is asked. */
  readonly request: AdmissionRequest | undefined;
  /** Nobody is where it connects to. */
  readonly fails?: true;
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
    readonly how?: Pick<Asked, 'method' | 'contentType' | 'fails'>;
  } = {},
): Asked {
  const { group, version, resource, subresource, namespace } = where;
  const base = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const place =
    namespace === undefined || (group === '' && resource === 'namespaces') ? '' : `/namespaces/${namespace}`;
  const object = more.name === undefined ? '' : `/${more.name}`;
  const path = `${base}${place}/${resource}${object}${subresource === undefined ? '' : `/${subresource}`}`;
  const metadata = { ...(more.name === undefined && { name: 'new' }), ...(labels && { labels }) };
  const oldLabels = more.oldLabels === undefined ? {} : { oldLabels: more.oldLabels };
  return {
    name: [operation, more.how?.method, path, JSON.stringify(labels ?? {})].filter(Boolean).join(' '),
    path,
    body: operation === 'DELETE' || operation === 'CONNECT' ? undefined : { metadata, ...more.body },
    ...more.how,
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

const reads = (path: string): Asked => ({
  name: `GET ${path}`,
  path,
  body: undefined,
  method: 'GET',
  request: undefined,
});
const connects = (where: Where, name: string): Asked =>
  asks('CONNECT', where, undefined, { name, how: { method: 'GET', fails: true } });
const pod = { metadata: { name: 'new', labels: app }, spec: { containers: [{ name: 'x', image: 'x' }] } };
const access = (namespace?: string): object => ({
  metadata: namespace === undefined ? {} : { namespace },
  spec: {
    ...(namespace !== undefined && { user: 'x' }),
    resourceAttributes: { verb: 'get', resource: 'pods', ...(namespace !== undefined && { namespace }) },
  },
});

const policySpec = {
  validations: [{ expression: 'true' }],
  matchConstraints: {
    resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['secrets'] }],
  },
};

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
      spec: policySpec,
    },
  }),
  // Another method than usual, or no write at all.
  asks('CREATE', core('configmaps', a), app, {
    name: 'new',
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'new', labels: app } },
    how: { method: 'PATCH', contentType: 'application/apply-patch+yaml' },
  }),
  asks('CREATE', of('coordination.k8s.io/v1', 'leases', a), app, {
    name: 'new',
    body: { metadata: { name: 'new', labels: app } },
    how: { method: 'PUT' },
  }),
  asks('UPDATE', core('configmaps', a), app, {
    name: 'old',
    oldLabels: app,
    body: { metadata: { name: 'old', labels: app } },
    how: { method: 'PUT' },
  }),
  // Every object of a collection is one request.
  asks('DELETE', core('configmaps', a), undefined, { oldLabels: app }),
  reads(`/api/v1/namespaces/${a}/configmaps/old`),
  reads(`/api/v1/namespaces/${a}/configmaps`),
  reads(`/api/v1/namespaces/${a}/pods/old/log`),
  // The last finalizer goes, and with it the object: no request of its own.
  asks('UPDATE', core('configmaps', a), app, {
    name: 'finalized',
    oldLabels: app,
    body: { metadata: { finalizers: null } },
  }),
  asks('CREATE', core('pods', a), app, { body: pod }),
  asks('DELETE', core('pods', a), undefined, { name: 'old', oldLabels: app }),
  asks('UPDATE', { ...core('pods', a), subresource: 'status' }, app, {
    name: 'old',
    oldLabels: app,
    body: { status: { message: 'x' } },
  }),
  asks('CREATE', { ...core('pods', a), subresource: 'binding' }, undefined, {
    name: 'old',
    body: { metadata: { name: 'old' }, target: { kind: 'Node', name: 'x' } },
  }),
  // The deletion that an eviction leads to is no request either.
  asks('CREATE', { ...core('pods', a), subresource: 'eviction' }, undefined, {
    name: 'old',
    body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'old' } },
  }),
  asks('CREATE', { ...core('serviceaccounts', a), subresource: 'token' }, undefined, {
    name: 'default',
    body: { spec: {} },
  }),
  // No CONNECT is a dry run; nobody connects to what they lead to.
  connects({ ...core('pods', a), subresource: 'exec' }, 'old'),
  connects({ ...core('pods', a), subresource: 'portforward' }, 'old'),
  connects({ ...core('services', a), subresource: 'proxy' }, 'none'),
  connects({ ...core('nodes'), subresource: 'proxy' }, 'none'),
  asks('UPDATE', of('matching.example.com/v1', 'widgets', a, 'scale'), undefined, {
    name: 'old',
    body: { spec: { replicas: 2 } },
  }),
  asks(
    'UPDATE',
    { ...core('namespaces'), namespace: a, subresource: 'status' },
    { team: 'c' },
    {
      name: a,
      oldLabels: { team: 'a' },
      body: { metadata: { labels: { team: 'c' } } },
    },
  ),
  asks(
    'UPDATE',
    { ...core('namespaces'), namespace: b, subresource: 'finalize' },
    {},
    {
      name: b,
      body: { metadata: { name: b, labels: { team: 'a' } }, spec: { finalizers: ['kubernetes'] } },
      how: { method: 'PUT' },
    },
  ),
  asks(
    'CREATE',
    of('apart.example.com/v1', 'namespaces', a),
    { team: 'b' },
    {
      body: { apiVersion: 'apart.example.com/v1', kind: 'Namespace' },
    },
  ),
  asks('DELETE', of('apart.example.com/v1', 'namespaces', b), undefined, {
    name: 'old',
    oldLabels: app,
  }),
  asks('CREATE', of('authentication.k8s.io/v1', 'selfsubjectreviews'), undefined, { body: { metadata: {} } }),
  asks('CREATE', of('authorization.k8s.io/v1', 'selfsubjectaccessreviews'), undefined, { body: access() }),
  asks('CREATE', of('authorization.k8s.io/v1', 'selfsubjectrulesreviews'), undefined, {
    body: { metadata: {}, spec: { namespace: a } },
  }),
  asks('CREATE', of('authorization.k8s.io/v1', 'localsubjectaccessreviews', a), undefined, {
    body: access(a),
  }),
  asks('CREATE', of('authorization.k8s.io/v1', 'localsubjectaccessreviews', 'nowhere'), undefined, {
    body: access('nowhere'),
  }),
  asks('CREATE', of('apiextensions.k8s.io/v1', 'customresourcedefinitions'), undefined, {
    body: resourceOf('more.example.com', 'Cluster', ['things', 'Thing'], { v1: {} }),
  }),
  asks('CREATE', of('apiregistration.k8s.io/v1', 'apiservices'), undefined, {
    body: {
      metadata: { name: 'v1.more.example.com' },
      spec: {
        group: 'more.example.com',
        version: 'v1',
        groupPriorityMinimum: 1,
        versionPriority: 1,
        insecureSkipTLSVerify: true,
        service: { namespace: a, name: 'none' },
      },
    },
  }),
  asks('CREATE', of('admissionregistration.k8s.io/v1', 'mutatingwebhookconfigurations'), app, {
    body: { webhooks: [] },
  }),
  asks('CREATE', of('admissionregistration.k8s.io/v1', 'validatingadmissionpolicybindings'), app, {
    body: { spec: { policyName: 'none', validationActions: ['Audit'] } },
  }),
  asks(
    'UPDATE',
    of('admissionregistration.k8s.io/v1', 'validatingadmissionpolicies', undefined, 'status'),
    app,
    { name: 'old', oldLabels: app, body: { status: { observedGeneration: 1 } } },
  ),
  // Served from 1.36 on.
  asks('CREATE', of('admissionregistration.k8s.io/v1', 'mutatingadmissionpolicybindings'), app, {
    body: { spec: { policyName: 'none' } },
  }),
];

/** How often each webhook failed open so far: the API server's own count of calls, one series per webhook's name. */
async function counts(client: Client): Promise<ReadonlyMap<string, number>> {
  const lines = (await client.text('/metrics')).matchAll(
    /^apiserver_admission_webhook_fail_open_count\{name="(w\d+\.example\.com)",[^}]*\} (\S+)$/gm,
  );
  return new Map([...lines].map(([, name = '', count]) => [name, Number(count)]));
}

const mergePatch = 'application/merge-patch+json';

/** The answer, and who was called since `before`; nobody else's requests are counted. */
async function calledFor(
  client: Client,
  { path, body, request, method, contentType }: Asked,
  before: ReadonlyMap<string, number>,
) {
  const verb = method ?? methods[request?.operation ?? ''] ?? '';
  const type = contentType ?? (verb === 'PATCH' ? mergePatch : undefined);
  const isDryRun = request !== undefined && request.operation !== 'CONNECT';
  const query = [isDryRun && 'dryRun=All', contentType && 'fieldManager=oracle'].filter(Boolean).join('&');
  const { status, body: text } = await client.request(verb, `${path}?${query}`, body, type);
  const after = await counts(client);
  const called = [...after].filter(([name, count]) => count > (before.get(name) ?? 0)).map(([name]) => name);
  return { called: called.toSorted(), status, text, after };
}

/** What the model says: who is called, or in which words the request fails before anybody is. */
function foretold({ facts, cluster: { version } }: Snapshot, request: AdmissionRequest) {
  const verdicts = facts.callouts
    .filter(isAdmission)
    .filter(({ configuration }) => configuration === 'oracle')
    .map((callout) => ({
      name: callout.webhook,
      verdict: matchRequest({ ...callout, matchConditions: [] }, request, facts, version),
    }));
  const rejected = verdicts.flatMap(({ verdict }) => (verdict.outcome === 'rejected' ? [verdict.text] : []));
  const called = verdicts.flatMap(({ name, verdict }) => (verdict.outcome === 'called' ? [name] : []));
  return { rejected: rejected[0], called: rejected.length > 0 ? [] : called.toSorted() };
}

const isServed = ({ facts }: Snapshot, { group, version, resource }: AdmissionRequest): boolean =>
  facts.served
    .get('served')
    ?.resources.some((one) => one.group === group && one.version === version && one.resource === resource) ===
  true;

describe('which request reaches which webhook', function () {
  needs('api-server');
  this.timeout(120_000);
  let scene: Scene;
  let snapshot: Snapshot | undefined;
  let counted: ReadonlyMap<string, number> = new Map();
  countAgreement('matching', () => snapshot?.cluster.version);
  const other = 'oracle-without-label';

  before(async () => {
    const { client, kubeconfig } = await apiServer({});
    scene = await openScene(client);
    const old = { name: 'old', labels: app };
    await client.patch(
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: scene.namespace } },
      { metadata: { labels: { team: 'a' } } },
    );
    await scene.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: other } });
    await scene.create(widgets);
    await scene.create(apart);
    await scene.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: old });
    const finalized = await scene.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'finalized', labels: app, finalizers: ['example.com/oracle'] },
    });
    await client.delete(finalized);
    await scene.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } });
    await scene.create({ apiVersion: 'v1', kind: 'Pod', metadata: old, spec: pod.spec });
    await scene.create({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'old' },
      spec: template,
    });
    // 1.29 has it in v1beta1 only.
    if (Number(minorVersion(wantedVersion() ?? defaultVersion)) >= 30)
      await scene.create({
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicy',
        metadata: old,
        spec: policySpec,
      });
    for (const one of [
      { apiVersion: 'matching.example.com/v1', kind: 'Widget', metadata: old },
      { apiVersion: 'apart.example.com/v1', kind: 'Namespace', metadata: { ...old, namespace: other } },
    ]) {
      await waitFor(one.apiVersion, () => scene.create(one));
    }
    await scene.create({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'oracle' },
      webhooks,
    });
    snapshot = await factsOf(kubeconfig);
    const [first] = questions(scene.namespace, other);
    await waitFor('the webhooks to be called', async () => {
      if (first === undefined) return false;
      const { called, after } = await calledFor(client, first, counted);
      counted = after;
      return called.length > 0;
    });
  });
  after(() => scene?.leave());

  questions('NAMESPACE', other).forEach(({ name }, index) => {
    it(name, async () => {
      const asked = questions(scene.namespace, other)[index];
      if (asked === undefined || snapshot === undefined) throw new Error('no such question');
      const { request, fails } = asked;
      const isAsked = request !== undefined && isServed(snapshot, request);
      const { rejected, called: predicted } = isAsked
        ? foretold(snapshot, request)
        : { rejected: undefined, called: [] };
      const { called, status, text, after } = await calledFor(scene.client, asked, counted);
      counted = after;
      if (rejected !== undefined) expect(JSON.parse(text).message).to.equal(rejected);
      else if (fails) expect(status, text).to.be.at.least(400);
      else if (request !== undefined && !isAsked) expect(status).to.equal(404);
      else expect(status, text).to.be.below(300);
      expect(called).to.deep.equal(predicted);
    });
  });
});

/** What today's validation refuses, and an API server of long ago has stored. */
const fromLongAgo: readonly (readonly [string, object])[] = [
  ['side effects', { sideEffects: 'Some' }],
  ['side effects that nobody told', { sideEffects: 'Unknown' }],
  ['no side effects on dry runs', { sideEffects: 'NoneOnDryRun' }],
  ['nothing said of side effects', { sideEffects: undefined }],
  ['no version of a review that is known', { admissionReviewVersions: ['v2', 'v1alpha1'] }],
  ['an unknown version before a known one', { admissionReviewVersions: ['v2', 'v1beta1'] }],
  ['side effects, and no version', { sideEffects: 'Some', admissionReviewVersions: ['v2'] }],
  ['nothing said, and no version', { sideEffects: undefined, admissionReviewVersions: [] }],
  ['a URL without TLS', { clientConfig: { url: 'http://127.0.0.1:1/stored' } }],
  ['a URL with a query', { clientConfig: { url: 'https://127.0.0.1:1/stored?a=b#c' } }],
  ['a URL with a user', { clientConfig: { url: 'https://me:secret@127.0.0.1:1/stored' } }],
];
const asStored = fromLongAgo.flatMap(([has, over]) =>
  (['Fail', 'Ignore'] as const).flatMap((failurePolicy) =>
    (['validating', 'mutating'] as const).map((kind) => ({ has, over, failurePolicy, kind })),
  ),
);
type AsStored = (typeof asStored)[number];

const storedConfiguration = ({ over, failurePolicy, kind }: AsStored, index: number): KubeObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: kind === 'mutating' ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration',
  metadata: { name: `stored-${index}`, uid: randomUUID(), creationTimestamp: '2019-06-01T12:00:00Z' },
  webhooks: [
    {
      name: `stored-${index}.example.com`,
      clientConfig: { url: 'https://127.0.0.1:1/stored' },
      rules: [rule(['configmaps'], [''], ['v1'], ['CREATE'])],
      objectSelector: { matchLabels: { case: `stored-${index}` } },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      timeoutSeconds: 5,
      ...over,
      failurePolicy,
    },
  ],
});

/** Past the API server, into the etcd that stands at the port after its own, by etcd's JSON gateway. */
async function store(server: string, object: KubeObject): Promise<void> {
  const etcd = `http://127.0.0.1:${Number(new URL(server).port) + 1}`;
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const key = base64(`/registry/${object.kind.toLowerCase()}s/${object.metadata.name}`);
  const body = JSON.stringify({ key, value: base64(JSON.stringify(object)) });
  const answer = await fetch(`${etcd}/v3/kv/put`, { method: 'POST', body });
  if (!answer.ok) throw new Error(`etcd: ${answer.status} ${await answer.text()}`);
}

describe('dry runs and webhooks that were registered long ago', function () {
  needs('api-server');
  this.timeout(60_000);
  let scene: Scene;
  let snapshot: Snapshot | undefined;
  countAgreement('stored', () => snapshot?.cluster.version);

  const ask = async (index: number): Promise<string> => {
    const answer = await scene.client.request(
      'POST',
      `/api/v1/namespaces/${scene.namespace}/configmaps?dryRun=All`,
      { metadata: { name: 'new', labels: { case: `stored-${index}` } } },
    );
    return answer.status < 300 ? 'admitted' : `${answer.status} ${JSON.parse(answer.body).message}`;
  };

  before(async () => {
    const { client, kubeconfig } = await apiServer({});
    scene = await openScene(client);
    await Promise.all(asStored.map((one, index) => store(client.server, storedConfiguration(one, index))));
    snapshot = await factsOf(kubeconfig);
  });
  after(() => scene?.leave());

  asStored.forEach(({ has, failurePolicy, kind }, index) => {
    it(`${kind}, ${failurePolicy}: ${has}`, async () => {
      if (snapshot === undefined) throw new Error('no server');
      const { facts, cluster } = snapshot;
      const callout = facts.callouts
        .filter(isAdmission)
        .find((one) => one.configuration === `stored-${index}`);
      if (callout === undefined) throw new Error('It was not read');
      const toSend = reviewToSend(callout, true);
      const refused = 'dial tcp 127.0.0.1:1: connect: connection refused';
      const called = {
        outcome: 'call-failure',
        text: callSentence(callout, refused, cluster.version),
        code: 503,
      } as const;
      const end = 'end' in toSend ? toSend.end : called;
      const { answer } = consequenceOf(end, callout);
      const wanted = answer === undefined ? 'admitted' : `${answer.code} ${answer.message}`;
      let said = '';
      await waitFor(
        wanted,
        async () => {
          said = await ask(index);
          return said === wanted;
        },
        { timeout: 10_000 },
      ).catch(() => expect(said).to.equal(wanted));
    });
  });

  it('doctor says which condition does not compile, from what the API server says', async () => {
    const { client, kubeconfig } = await apiServer({});
    const conditions = ['true', 'params.x == 1'];
    const [plain] = asStored;
    if (plain === undefined) throw new Error('nothing is stored');
    const over = { matchConditions: conditions.map((expression, at) => ({ name: `c${at}`, expression })) };
    const one = storedConfiguration({ ...plain, over }, asStored.length);
    await store(client.server, one);
    const words =
      '403 configmaps "new" is forbidden: compilation error: compilation failed: ERROR: <input>:1:1: undeclared reference to \'params\'';
    await waitFor(words, async () => (await ask(asStored.length)).startsWith(words));
    const name = one.metadata.name ?? '';
    const { stdout } = await plugin(['doctor', name, '--kubeconfig', kubeconfig, '-o', 'json']);
    const { callouts } = JSON.parse(stdout) as DoctorReport;
    expect(callouts[0]?.verdict).to.deep.include({
      state: 'failing',
      link: 'registration',
      because: ['match-condition-broken'],
    });
    expect(callouts[0]?.verdict.error).to.include(
      "compilation error: compilation failed: ERROR: <input>:1:1: undeclared reference to 'params'",
    );
    await client.delete(one);
  });

  it('doctor says which of them refuse dry runs', async () => {
    const of = (wanted: string) =>
      asStored.flatMap(({ has }, index) => (has.startsWith(wanted) ? [`stored-${index}`] : []));
    const { kubeconfig } = await apiServer({});
    const { stdout } = await plugin([
      'doctor',
      '--check',
      'side-effects-refuse-dry-run',
      '--probe',
      'none',
      '--kubeconfig',
      kubeconfig,
      '-o',
      'json',
    ]);
    const { findings } = JSON.parse(stdout) as DoctorReport;
    const told = findings.map(({ callout = '' }) => callout.split('/')[1]);
    expect(told).to.have.members([...of('side effects'), ...of('nothing said')]);
  });
});

const gate = (server: string): object => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'gate.static.k8s.io' },
  webhooks: [
    {
      name: 'gate.static.k8s.io',
      clientConfig: { url: server },
      rules: [rule(['configmaps'], [''], ['v1'], ['CREATE'])],
      objectSelector: { matchLabels: app },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
});

const gateFlag = (on: boolean) => `--feature-gates=ManifestBasedAdmissionControlConfig=${on}`;

// By default from 1.37 on.
if (Number(minorVersion(wantedVersion() ?? defaultVersion)) >= 36) {
  describe('a webhook of a manifest on the API server’s disk', function () {
    needs('api-server');
    this.timeout(120_000);
    const folder = mkdtempSync(join(tmpdir(), 'oracle-static-'));
    after(() => rmSync(folder, { recursive: true, force: true }));

    const [manifests, config] = [join(folder, 'manifests'), join(folder, 'config.json')];
    before(() => {
      mkdirSync(manifests, { recursive: true });
      writeFileSync(join(manifests, 'gate.json'), JSON.stringify(gate('https://127.0.0.1:1/gate')));
      const version = 'apiserver.config.k8s.io/v1';
      const configuration = {
        apiVersion: version,
        kind: 'WebhookAdmissionConfiguration',
        staticManifestsDir: manifests,
      };
      const plugins = [{ name: 'ValidatingAdmissionWebhook', configuration }];
      writeFileSync(config, JSON.stringify({ apiVersion: version, kind: 'AdmissionConfiguration', plugins }));
    });

    it('is named by errors and shown by no API; doctor --from says so', async () => {
      const { client, kubeconfig } = await apiServer({
        arguments: [`--admission-control-config-file=${config}`, gateFlag(true)],
      });
      const scene = await openScene(client);
      const { namespace } = scene;
      const refused = await client.request('POST', `/api/v1/namespaces/${namespace}/configmaps`, {
        metadata: { name: 'refused', labels: app },
      });
      const { message } = JSON.parse(refused.body) as { message: string };
      expect(message).to.match(/^Internal error occurred: failed calling webhook "gate\.static\.k8s\.io": /);
      // No controller runs here: what one would have said of the API server's answer.
      const cart = { name: 'cart', namespace };
      await scene.create({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: cart, spec: template });
      await scene.create({
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'cart.1', namespace },
        involvedObject: { kind: 'Deployment', ...cart },
        type: 'Warning',
        reason: 'FailedCreate',
        message: `Error creating: ${message}`,
      });
      const from = ['--from', 'deployment/cart', '-n', namespace];
      const { stdout, code } = await plugin(['doctor', ...from, '--kubeconfig', kubeconfig, '-o', 'json']);
      const report = JSON.parse(stdout) as DoctorReport;
      expect(report.callouts).to.deep.equal([]);
      expect(report.from?.message).to.equal(
        `Webhook gate.static.k8s.io blocks Deployment ${namespace}/cart, according to its status or Events; it is in a static manifest on the disk of the API server; no API returns it`,
      );
      expect(report.notLookedAt.map(({ what }) => what)).to.deep.equal(['webhook gate.static.k8s.io']);
      expect(code).to.equal(3);
      await scene.leave();
    });

    it('does not exist with the gate off: an API server with such a folder does not start', async () => {
      const flags = [`--admission-control-config-file=${config}`, gateFlag(false)];
      const end = await apiServer({ arguments: flags }).then(
        () => 'it started',
        (error: Error) => error.message,
      );
      expect(end).to.match(/staticManifestsDir/);
    });
  });
}
