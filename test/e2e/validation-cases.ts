/** A manifest of one of the validated kinds. */
export interface ManifestCase {
  readonly name: string;
  readonly object: { readonly apiVersion: string; readonly kind: string };
}

const webhook = (name: string) => ({
  name,
  clientConfig: { service: { namespace: 'shop', name: 'policy', path: '/validate' } },
  rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
});
const schema = { openAPIV3Schema: { type: 'object' } };

const bases = {
  ValidatingWebhookConfiguration: {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'judged' },
    webhooks: [webhook('a.judged.example.com'), webhook('b.judged.example.com')],
  },
  MutatingWebhookConfiguration: {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'judged' },
    webhooks: [webhook('a.judged.example.com'), webhook('b.judged.example.com')],
  },
  CustomResourceDefinition: {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.judged.example.com' },
    spec: {
      group: 'judged.example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [
        { name: 'v1', served: true, storage: true, schema },
        { name: 'v2', served: true, storage: false, schema },
      ],
      conversion: {
        strategy: 'Webhook',
        webhook: {
          clientConfig: { service: { namespace: 'shop', name: 'policy', path: '/convert' } },
          conversionReviewVersions: ['v1'],
        },
      },
    },
  },
  APIService: {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1.judged.example.com' },
    spec: {
      group: 'judged.example.com',
      version: 'v1',
      groupPriorityMinimum: 100,
      versionPriority: 100,
      service: { namespace: 'shop', name: 'policy' },
    },
  },
} as const;
type Kind = keyof typeof bases;

/** The value at a path; undefined removes it. */
type Change = readonly [path: string, value: unknown];

function changed(kind: Kind, changes: readonly Change[]): ManifestCase['object'] {
  const object = structuredClone(bases[kind]) as unknown as Record<string, unknown>;
  for (const [path, value] of changes) {
    const keys = path.split('/').map((key) => (/^\d+$/.test(key) ? Number(key) : key.replaceAll('~1', '/')));
    const last = keys.pop() as string;
    let at = object as Record<string | number, unknown>;
    for (const key of keys) {
      at[key] ??= {};
      at = at[key] as Record<string | number, unknown>;
    }
    if (value === undefined) delete at[last];
    else at[last] = value;
  }
  return object as unknown as ManifestCase['object'];
}

const long = 'a'.repeat(64);
const w = 'webhooks/0';
const r = `${w}/rules/0`;
const c = `${w}/clientConfig`;
const ns = `${w}/namespaceSelector`;
const condition = (expression: string, name = 'only') => [{ name, expression }];

/** For webhooks of both kinds. */
const ofWebhooks: readonly Change[] = [
  [`${w}/name`, undefined],
  [`${w}/name`, ''],
  [`${w}/name`, 'policy'],
  [`${w}/name`, 'policy.example'],
  [`${w}/name`, 'Policy.Example.com'],
  [`${w}/name`, 'b.judged.example.com'],
  [`${w}/name`, `${long}.example.com`],
  [`${w}/name`, `${'a.'.repeat(130)}com`],
  [`${w}/name`, 'under_score.example.com'],
  [`${w}/clientConfig`, undefined],
  [`${w}/clientConfig`, {}],
  [`${c}/url`, 'https://policy.example.com/validate'],
  [`${c}/service/name`, undefined],
  [`${c}/service/namespace`, undefined],
  [`${c}/service`, {}],
  [`${c}/service/port`, 0],
  [`${c}/service/port`, 65536],
  [`${c}/service/port`, -1],
  [`${c}/service/port`, 8443],
  [`${c}/service/port`, '443'],
  [`${c}/service/port`, 443.5],
  [`${c}/service/path`, ''],
  [`${c}/service/path`, '/'],
  [`${c}/service/path`, '//'],
  [`${c}/service/path`, 'validate'],
  [`${c}/service/path`, '/validate/'],
  [`${c}/service/path`, '/validate//pods'],
  [`${c}/service/path`, '/Validate_Pods'],
  [`${c}/service/path`, '/validate?x=y'],
  [`${c}/service/path`, '/v1/admit'],
  [`${c}/service/name`, 'Not A Name'],
  [`${c}/caBundle`, ''],
  [`${c}/caBundle`, 'Cg=='],
  [`${c}/caBundle`, 'not base64!'],
  [`${c}/caBundle`, '{{ .Values.caBundle }}'],
  [`${c}/caBundle`, 'cGxhY2Vob2xkZXI='],
  [`${c}/caBundle`, 7],
  [`${w}/rules`, undefined],
  [`${w}/rules`, []],
  [`${r}/operations`, undefined],
  [`${r}/operations`, []],
  [`${r}/operations`, ['*']],
  [`${r}/operations`, ['*', 'CREATE']],
  [`${r}/operations`, ['PATCH']],
  [`${r}/operations`, ['create']],
  [`${r}/operations`, ['CREATE', 'UPDATE', 'DELETE', 'CONNECT']],
  [`${r}/operations`, 'CREATE'],
  [`${r}/apiGroups`, undefined],
  [`${r}/apiGroups`, ['*', 'apps']],
  [`${r}/apiGroups`, ['*']],
  [`${r}/apiGroups`, ['', 'apps']],
  [`${r}/apiGroups`, ['Not A Group']],
  [`${r}/apiVersions`, undefined],
  [`${r}/apiVersions`, ['*', 'v1']],
  [`${r}/apiVersions`, ['']],
  [`${r}/apiVersions`, ['v1', '']],
  [`${r}/resources`, undefined],
  [`${r}/resources`, []],
  [`${r}/resources`, ['']],
  [`${r}/resources`, ['*']],
  [`${r}/resources`, ['*', 'pods']],
  [`${r}/resources`, ['pods', '*']],
  [`${r}/resources`, ['*', 'pods/status']],
  [`${r}/resources`, ['*/*']],
  [`${r}/resources`, ['*/*', 'pods']],
  [`${r}/resources`, ['pods/*', 'pods/status']],
  [`${r}/resources`, ['pods/status', 'pods/*']],
  [`${r}/resources`, ['*/scale', 'deployments/scale']],
  [`${r}/resources`, ['pods/*', 'pods/*']],
  [`${r}/resources`, ['Pod']],
  [`${r}/resources`, ['pods/a/b']],
  [`${r}/resources`, ['pods', '']],
  [`${r}/resources`, [7]],
  [`${r}/scope`, 'Namespaced'],
  [`${r}/scope`, 'Cluster'],
  [`${r}/scope`, '*'],
  [`${r}/scope`, 'namespaced'],
  [`${r}/scope`, ''],
  [`${w}/failurePolicy`, 'Ignore'],
  [`${w}/failurePolicy`, 'ignore'],
  [`${w}/failurePolicy`, ''],
  [`${w}/failurePolicy`, true],
  [`${w}/matchPolicy`, 'Exact'],
  [`${w}/matchPolicy`, 'exact'],
  [`${w}/sideEffects`, undefined],
  [`${w}/sideEffects`, 'NoneOnDryRun'],
  [`${w}/sideEffects`, 'Some'],
  [`${w}/sideEffects`, 'Unknown'],
  [`${w}/sideEffects`, 'none'],
  [`${w}/sideEffects`, 'a<b>&"c"'],
  [`${w}/timeoutSeconds`, 0],
  [`${w}/timeoutSeconds`, 1],
  [`${w}/timeoutSeconds`, 30],
  [`${w}/timeoutSeconds`, 31],
  [`${w}/timeoutSeconds`, -5],
  [`${w}/timeoutSeconds`, '10'],
  [`${w}/timeoutSeconds`, 2147483648],
  [`${w}/timeoutSeconds`, null],
  [`${w}/admissionReviewVersions`, undefined],
  [`${w}/admissionReviewVersions`, []],
  [`${w}/admissionReviewVersions`, ['v1beta1']],
  [`${w}/admissionReviewVersions`, ['v2']],
  [`${w}/admissionReviewVersions`, ['v1', 'v1']],
  [`${w}/admissionReviewVersions`, ['V1']],
  [`${w}/admissionReviewVersions`, ['v1', '1v']],
  [`${w}/admissionReviewVersions`, ['v2', 'v2', 'V3']],
  [`${w}/admissionReviewVersions`, 'v1'],
  [ns, {}],
  [ns, { matchLabels: { team: 'a' } }],
  [ns, { matchLabels: { 'not a key': 'a' } }],
  [ns, { matchLabels: { team: 'not a value' } }],
  [ns, { matchLabels: { team: long } }],
  [ns, { matchLabels: { 'a/b/c': 'x' } }],
  [ns, { matchLabels: { '/b': 'x' } }],
  [ns, { matchLabels: { team: true } }],
  [ns, { matchLabels: { 'bad key': 'x', 'worse key': 'y' } }],
  [ns, { matchExpressions: [{ key: 'team', operator: 'In', values: ['a', 'b'] }] }],
  [ns, { matchExpressions: [{ key: 'team', operator: 'In', values: [] }] }],
  [ns, { matchExpressions: [{ key: 'team', operator: 'NotIn' }] }],
  [ns, { matchExpressions: [{ key: 'team', operator: 'Exists' }] }],
  [ns, { matchExpressions: [{ key: 'team', operator: 'Exists', values: ['a'] }] }],
  [ns, { matchExpressions: [{ key: 'team', operator: 'DoesNotExist', values: [] }] }],
  [ns, { matchExpressions: [{ key: 'team', operator: 'exists' }] }],
  [ns, { matchExpressions: [{ key: '', operator: 'Exists' }] }],
  [ns, { matchExpressions: [{ operator: 'Exists' }] }],
  [ns, { matchExpressions: [{ key: 'team', operator: 'In', values: ['not a value'] }] }],
  [
    ns,
    {
      matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system'] }],
    },
  ],
  [`${w}/objectSelector`, { matchExpressions: [{ key: 'a b', operator: 'Maybe', values: ['c d'] }] }],
  [`${w}/objectSelector`, { matchLabels: { app: '' } }],
  [`${w}/matchConditions`, condition('request.operation != "DELETE"')],
  [`${w}/matchConditions`, condition('')],
  [`${w}/matchConditions`, condition('  ')],
  [`${w}/matchConditions`, condition('true', '')],
  [`${w}/matchConditions`, condition('true', 'not a name')],
  [`${w}/matchConditions`, condition('true', 'example.com/name')],
  [`${w}/matchConditions`, [...condition('true'), ...condition('false')]],
  [`${w}/matchConditions`, condition('params.x == 1')],
  [`${w}/matchConditions`, condition('variables.x == 1')],
  [
    `${w}/matchConditions`,
    condition('has(object.metadata.labels) && object.metadata.labels.exists(params, params == "x")'),
  ],
  [`${w}/matchConditions`, condition('object.spec.params == "x"')],
  [
    `${w}/matchConditions`,
    Array.from({ length: 65 }, (_, index) => ({ name: `n${index}`, expression: 'true' })),
  ],
  [`${w}/matchConditions`, [{ expression: 'true' }]],
  [`${w}/matchConditions`, condition('true', long)],
  [`${w}/matchConditions`, condition('true', `${'a'.repeat(254)}/x`)],
  [`${w}/failurPolicy`, 'Fail'],
  [`${w}/clientConfig/serviceName`, 'policy'],
  ['spec', {}],
  ['metadata/name', undefined],
  ['metadata/name', 'Upper'],
  ['metadata/name', 'a_b'],
  ['metadata/name', `${'a'.repeat(254)}`],
  ['metadata/name', 'dotted.name'],
  ['metadata/namespace', 'shop'],
  ['metadata/labels', { 'not a key': 'x' }],
  ['metadata/labels', { app: 'not a value' }],
  ['metadata/labels', { app: 7 }],
  ['metadata/annotations', { 'not a key': 'x' }],
  ['metadata/annotations', { 'cert-manager.io/inject-ca-from': 'shop/policy' }],
  ['metadata/annotations', { 'Example.com/Key': 'x' }],
  ['webhooks', undefined],
  ['webhooks', []],
  ['webhooks', {}],
];

const urls: readonly string[] = [
  'https://policy.example.com/validate',
  'https://policy.example.com:8443',
  'http://policy.example.com/validate',
  'policy.example.com/validate',
  'https:///validate',
  'https://user:secret@policy.example.com/',
  'https://policy.example.com/#part',
  'https://policy.example.com/?query=x',
  'https://policy.example.com:port/',
  'https://[::1]:8443/',
  'https://[::1/',
  'https://policy.example.com/%zz',
  'HTTPS://policy.example.com/',
  'ftp://policy.example.com#a?b',
  '://policy',
  '',
  'https://policy example.com/',
];
const ofUrls: readonly Change[] = urls.map((url) => [c, { url }]);

const ofMutating: readonly Change[] = [
  [`${w}/reinvocationPolicy`, 'IfNeeded'],
  [`${w}/reinvocationPolicy`, 'Never'],
  [`${w}/reinvocationPolicy`, 'Always'],
  [`${w}/timeoutSeconds`, 45],
  [`${w}/sideEffects`, 'Some'],
  [`${w}/name`, 'short'],
  [`${r}/resources`, ['*', 'pods']],
  [`${w}/admissionReviewVersions`, ['v2']],
];
const ofValidating: readonly Change[] = [[`${w}/reinvocationPolicy`, 'Never']];

const v = 'spec/versions/0';
const conv = 'spec/conversion';
const hook = `${conv}/webhook`;
const ofDefinitions: readonly (readonly Change[])[] = [
  [],
  [['metadata/name', 'others.judged.example.com']],
  [['metadata/name', 'Widgets']],
  [['spec/group', '']],
  [['spec/group', 'judged']],
  [['spec/group', 'Judged.example.com']],
  [['spec/scope', undefined]],
  [['spec/scope', 'Global']],
  [['spec/scope', 'Cluster']],
  [['spec/names/plural', undefined]],
  [['spec/names/plural', 'Widgets']],
  [['spec/names/singular', 'wid_get']],
  [['spec/names/singular', long]],
  [['spec/names', 'widgets']],
  [['spec/names/kind', undefined]],
  [['spec/names/kind', 'Wid get']],
  [['spec/names/listKind', 'Widget']],
  [['spec/names/shortNames', ['w', 'W']]],
  [['spec/names/categories', ['all', 'not ok']]],
  [['spec/versions', []]],
  [['spec/versions', undefined]],
  [[`${v}/storage`, false]],
  [['spec/versions/1/storage', true]],
  [['spec/versions/1/name', 'v1']],
  [['spec/versions/1/name', 'V2']],
  [[`${v}/name`, 'V1']],
  [[`${v}/schema`, undefined]],
  [['spec/versions/1/schema', {}]],
  [[`${v}/served`, 'yes']],
  [['spec/preserveUnknownFields', true]],
  [['spec/preserveUnknownFields', false]],
  [[conv, undefined]],
  [[conv, {}]],
  [[conv, { strategy: 'None' }]],
  [[conv, { strategy: 'none' }]],
  [[conv, { strategy: 'Webhook' }]],
  [[`${conv}/strategy`, 'None']],
  [[`${conv}/strategy`, undefined]],
  [[`${hook}/clientConfig`, undefined]],
  [[`${hook}/clientConfig`, {}]],
  [[`${hook}/clientConfig/url`, 'https://policy.example.com/convert']],
  [[`${hook}/clientConfig`, { url: 'http://policy.example.com/convert' }]],
  [[`${hook}/clientConfig`, { url: 'https://policy.example.com/convert' }]],
  [[`${hook}/clientConfig/service/name`, undefined]],
  [[`${hook}/clientConfig/service/namespace`, undefined]],
  [[`${hook}/clientConfig/service/port`, 70000]],
  [[`${hook}/clientConfig/service/path`, 'convert']],
  [[`${hook}/clientConfig/service/path`, '/Convert']],
  [[`${hook}/clientConfig/caBundle`, 'Cg==']],
  [[`${hook}/clientConfig/caBundle`, 'cGxhY2Vob2xkZXI=']],
  [[`${hook}/clientConfig/caBundle`, '???']],
  [[`${hook}/conversionReviewVersions`, undefined]],
  [[`${hook}/conversionReviewVersions`, []]],
  [[`${hook}/conversionReviewVersions`, ['v1beta1']]],
  [[`${hook}/conversionReviewVersions`, ['v2']]],
  [[`${hook}/conversionReviewVersions`, ['v1', 'v1', 'V2']]],
  [[`${conv}/webhookClientConfig`, {}]],
  [[`${conv}/conversionReviewVersions`, ['v1']]],
  [['spec/version', 'v1']],
  [
    ['metadata/name', 'widgets.judged.k8s.io'],
    ['spec/group', 'judged.k8s.io'],
  ],
  [
    ['metadata/name', 'widgets.judged.k8s.io'],
    ['spec/group', 'judged.k8s.io'],
    ['metadata/annotations', { 'api-approved.kubernetes.io': 'unapproved, a test' }],
  ],
  [
    ['metadata/name', 'widgets.judged.k8s.io'],
    ['spec/group', 'judged.k8s.io'],
    ['metadata/annotations', { 'api-approved.kubernetes.io': 'https://github.com/kubernetes/x' }],
  ],
  [
    ['metadata/name', 'widgets.judged.k8s.io'],
    ['spec/group', 'judged.k8s.io'],
    ['metadata/annotations', { 'api-approved.kubernetes.io': 'yes' }],
  ],
  [
    [`${hook}/clientConfig/service/port`, 0],
    [`${hook}/conversionReviewVersions`, ['v3']],
    ['spec/scope', 'x'],
  ],
];

const ofApiServices: readonly (readonly Change[])[] = [
  [],
  [['metadata/name', 'judged']],
  [['metadata/name', 'v2.judged.example.com']],
  [['spec/group', undefined]],
  [
    ['spec/group', ''],
    ['metadata/name', 'v2.'],
    ['spec/version', 'v2'],
  ],
  [
    ['spec/group', 'Judged.example.com'],
    ['metadata/name', 'v1.Judged.example.com'],
  ],
  [
    ['spec/version', 'V1'],
    ['metadata/name', 'V1.judged.example.com'],
  ],
  [['spec/version', undefined]],
  [['spec/groupPriorityMinimum', undefined]],
  [['spec/groupPriorityMinimum', 0]],
  [['spec/groupPriorityMinimum', 20000]],
  [['spec/groupPriorityMinimum', 20001]],
  [['spec/versionPriority', undefined]],
  [['spec/versionPriority', 1000]],
  [['spec/versionPriority', 1001]],
  [['spec/versionPriority', -1]],
  [['spec/versionPriority', '100']],
  [['spec/service/name', undefined]],
  [['spec/service/namespace', undefined]],
  [['spec/service/port', 0]],
  [['spec/service/port', 6443]],
  [['spec/service/port', 100000]],
  [['spec/service/path', '/x']],
  [['spec/service', undefined]],
  [
    ['spec/service', undefined],
    ['spec/caBundle', 'Cg=='],
  ],
  [
    ['spec/service', undefined],
    ['spec/insecureSkipTLSVerify', true],
  ],
  [['spec/caBundle', 'Cg==']],
  [['spec/caBundle', '{{ca}}']],
  [['spec/insecureSkipTLSVerify', true]],
  [['spec/insecureSkipTLSVerify', 'true']],
  [
    ['spec/insecureSkipTLSVerify', true],
    ['spec/caBundle', 'cGxhY2Vob2xkZXI='],
  ],
  [['spec', undefined]],
  [['spec/tls', {}]],
];

/** Two faults of one webhook at once, the same ones in each run. */
const pairs = ofWebhooks.flatMap((change, index): readonly (readonly Change[])[] => {
  const other = ofWebhooks[(index * 37 + 11) % ofWebhooks.length];
  const apart = other !== undefined && !other[0].startsWith(change[0]) && !change[0].startsWith(other[0]);
  return index % 3 === 0 && apart ? [[change, other]] : [];
});

const all: readonly (readonly [Kind, readonly Change[]])[] = [
  ['ValidatingWebhookConfiguration', []],
  ['MutatingWebhookConfiguration', []],
  ...[...ofWebhooks, ...ofUrls, ...ofValidating].map(
    (change) => ['ValidatingWebhookConfiguration', [change]] as const,
  ),
  ...ofMutating.map((change) => ['MutatingWebhookConfiguration', [change]] as const),
  ...pairs.map((changes) => ['MutatingWebhookConfiguration', changes] as const),
  ...ofDefinitions.map((changes) => ['CustomResourceDefinition', changes] as const),
  ...ofApiServices.map((changes) => ['APIService', changes] as const),
];

const valueText = (value: unknown): string =>
  value === undefined ? 'without' : JSON.stringify(value).slice(0, 80);

export const manifestCases: readonly ManifestCase[] = all.map(([kind, changes], index) => ({
  name: `${index} ${kind} ${changes.map(([path, value]) => `${path} ${valueText(value)}`).join(', ')}`,
  object: changed(kind, changes),
}));
