import type { AdmissionCallout, RuleWithOperations } from '../../../src/facts/callout.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { healthy, namespace, objects, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

/** Every operation on resources of the core group, unless told otherwise. */
export const rule = (resources: string, over: Partial<RuleWithOperations> = {}): RuleWithOperations => ({
  operations: ['*'],
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: resources.split(','),
  ...over,
});

/** Every operation on everything. */
export const everything = rule('*/*', { apiGroups: ['*'], apiVersions: ['*'] });

/** A webhook with one rule. */
export const on = (resources: string, over: Partial<AdmissionCallout> = {}): AdmissionCallout =>
  webhook({ rules: [rule(resources)], ...over });

/** A namespaceSelector that leaves namespaces out by name, or takes none but those. */
export const leavingOut = (...values: readonly string[]) => ({
  namespaceSelector: {
    matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn' as const, values }],
  },
});
export const only = (...values: readonly string[]) => ({
  namespaceSelector: {
    matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In' as const, values }],
  },
});

/** A condition that nobody can evaluate here, and one of Kubernetes' documentation that leaves the kubelets alone. */
export const conditional = {
  matchConditions: [
    { name: 'some', expression: "authorizer.group('').resource('pods').check('get').allowed()" },
  ],
};
export const exceptKubelets = {
  matchConditions: [
    { name: 'exclude-kubelet-requests', expression: '!("system:nodes" in request.userInfo.groups)' },
  ],
};

const warden = 'warden-validating.common-webhooks.networking.gke.io';

/** What a provider runs beside its API servers. */
export const besideApiServers: Partial<AdmissionCallout> = {
  webhook: warden,
  rules: [everything],
  client: { url: 'https://localhost:5443/webhook/warden-validating' },
};

/** What has its name, or its place, and not both: each stops what it covers as any other does. */
export const notBesideApiServers: readonly (readonly [string, Partial<AdmissionCallout>])[] = [
  ['the name of what a provider runs beside its API servers, at a Service', { webhook: warden }],
  [
    'the same at a URL elsewhere',
    { webhook: warden, client: { url: 'https://warden.example.com/validate' } },
  ],
  ['another webhook on loopback', { client: { url: 'https://localhost:5443/validate' } }],
];

/** These webhooks in a cluster with the namespaces shop, kube-system and kube-node-lease. */
export const cluster = (callouts: readonly AdmissionCallout[], over: Partial<Facts> = {}): Partial<Facts> =>
  healthy({
    callouts,
    namespaces: objects(namespace(), namespace('kube-system'), namespace('kube-node-lease')),
    ...over,
  });

/** Where nobody can tell which requests a webhook covers: what its rules and selectors are about was not read. */
export const withoutNamespacesOrDiscovery = [
  {
    name: 'labels of namespaces must not be read',
    facts: cluster([on('pods', leavingOut('kube-system'))], { namespaces: forbidden() }),
  },
  {
    name: 'another version may be the same, and discovery must not be read',
    facts: cluster([webhook({ rules: [rule('pods', { apiVersions: ['v2'] })] })], { served: forbidden() }),
  },
];

/** For checks that report whoever covers all that there is. */
export const coveringEverything = [['everything', {}] as const, ...notBesideApiServers].map(
  ([name, over]) => ({
    name,
    facts: cluster([webhook({ rules: [everything], ...over })]),
    expect: { messageId: 'covered' },
  }),
);

export const ofProvider = {
  name: 'a provider runs it beside its API servers',
  facts: cluster([webhook(besideApiServers)]),
  outcome: 'not-applicable',
} as const;
