import type { AdmissionRequest, Operation } from '../../src/apiserver/admission/admission-request.ts';
import { type MatchFacts, matchRequest } from '../../src/apiserver/admission/match.ts';
import type { AdmissionCallout, RuleWithOperations } from '../../src/facts/callout.ts';
import type { ConfigurationObject } from '../../src/facts/callout-of.ts';
import type { LabelSelector } from '../../src/facts/objects/label-selector.ts';
import type { ServedResource } from '../../src/facts/served-resources.ts';
import type { KubeObject } from '../cluster/client.ts';

/** A second namespace, without labels. */
export const otherNamespace = 'oracle-without-label';

export const rule = (
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
export const matchingConfiguration: KubeObject & ConfigurationObject = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'oracle' },
  webhooks: Array.from({ length: rules.length * 4 }, (_, index) => {
    const round = Math.floor(index / rules.length);
    const scope = round === 0 ? '*' : scopes[(index + round) % scopes.length];
    return {
      name: `w${index}.example.com`,
      clientConfig: { service: { namespace: 'nowhere', name: 'policy' } },
      rules: (rules[index % rules.length] ?? []).map((one) => ({
        ...one,
        ...(scope !== undefined && { scope }),
      })),
      matchPolicy: (index + round) % 2 === 0 ? 'Equivalent' : 'Exact',
      namespaceSelector:
        round === 0 ? {} : (namespaceSelectors[(index + 2 * round) % namespaceSelectors.length] ?? {}),
      objectSelector: round < 2 ? {} : (objectSelectors[(index + round) % objectSelectors.length] ?? {}),
      // The API server's own writes are not counted; the model evaluates requests without this condition.
      matchConditions: [
        { name: 'asked', expression: 'request.dryRun == true || request.operation == "CONNECT"' },
      ],
      failurePolicy: 'Ignore',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      timeoutSeconds: 1,
    };
  }),
};

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
export const widgets = resourceOf('matching.example.com', 'Namespaced', ['widgets', 'Widget'], {
  v1: { status: {}, scale },
  v1beta1: { scale },
});
/** Resources with the names of Namespaces and Pods in other groups. */
export const apart = resourceOf('apart.example.com', 'Namespaced', ['namespaces', 'Namespace'], { v1: {} });

export interface Asked {
  readonly name: string;
  readonly path: string;
  readonly body: object | undefined;
  /** By default `POST`, `PATCH` with a merge patch, or `DELETE`, depending on the operation. */
  readonly method?: string;
  readonly contentType?: string;
  /** Undefined: a read, for which no webhook is called. */
  readonly request: AdmissionRequest | undefined;
  /** The request connects to an address without a server. */
  readonly fails?: true;
}
export const methods: Readonly<Record<string, string>> = {
  CREATE: 'POST',
  UPDATE: 'PATCH',
  DELETE: 'DELETE',
};
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

export const app = { app: 'policy' };
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
export const template = {
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
export const pod = {
  metadata: { name: 'new', labels: app },
  spec: { containers: [{ name: 'x', image: 'x' }] },
};
const access = (namespace?: string): object => ({
  metadata: namespace === undefined ? {} : { namespace },
  spec: {
    ...(namespace !== undefined && { user: 'x' }),
    resourceAttributes: { verb: 'get', resource: 'pods', ...(namespace !== undefined && { namespace }) },
  },
});

export const policySpec = {
  validations: [{ expression: 'true' }],
  matchConstraints: {
    resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['secrets'] }],
  },
};

/** `a`: the scene's namespace, labelled team=a; `b`: one without the label. */
export const questions = (a: string, b: string): readonly Asked[] => [
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
  // Another method, or no write.
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
  // The removal of the last finalizer deletes the object: no separate request.
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
  // The deletion after an eviction is not a separate request.
  asks('CREATE', { ...core('pods', a), subresource: 'eviction' }, undefined, {
    name: 'old',
    body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'old' } },
  }),
  asks('CREATE', { ...core('serviceaccounts', a), subresource: 'token' }, undefined, {
    name: 'default',
    body: { spec: {} },
  }),
  // A CONNECT request is never a dry run; it connects to an address without a server.
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

/** A webhook of {@link matchingConfiguration} is called by its number. */
export const numbersOf = (called: readonly string[]): string =>
  called
    .map((name) => Number(/\d+/.exec(name)))
    .toSorted((a, b) => a - b)
    .join(' ');

/** The prediction of the model: the numbers of the called webhooks, or the error before any call. */
export function foretoldCalls(
  callouts: readonly AdmissionCallout[],
  request: AdmissionRequest,
  facts: MatchFacts,
  version: string,
): string {
  const verdicts = callouts.map((callout) => ({
    name: callout.webhook,
    verdict: matchRequest({ ...callout, matchConditions: [] }, request, facts, version),
  }));
  const rejected = verdicts.flatMap(({ verdict }) => (verdict.outcome === 'rejected' ? [verdict.text] : []));
  const called = verdicts.flatMap(({ name, verdict }) => (verdict.outcome === 'called' ? [name] : []));
  return rejected[0] ?? numbersOf(called);
}

/** The result for a resource that this API server does not serve. */
export const notServed = 'not served';

/** Whether discovery lists the resource of a case. */
export const isServed = (
  served: readonly Pick<ServedResource, 'group' | 'version' | 'resource'>[],
  { group, version, resource }: AdmissionRequest,
): boolean =>
  served.some((one) => one.group === group && one.version === version && one.resource === resource);
