import { catalogue } from '../../../src/checks/catalogue.ts';
import type { AdmissionCallout, RuleWithOperations } from '../../../src/facts/callout.ts';
import type { Facts, Snapshot } from '../../../src/facts/snapshot.ts';
import {
  healthy,
  lists,
  namespace,
  objects,
  service,
  slice,
  snapshotOf,
  webhook,
  workload,
} from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

/** Every operation on resources of the core group by default. */
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

/** A namespaceSelector that excludes namespaces by name, or selects only those. */
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

/**
 * A condition that this program cannot evaluate, and one from the documentation of Kubernetes that excludes
 * kubelets.
 */
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

/** A webhook that a provider runs next to its API servers. */
export const besideApiServers: Partial<AdmissionCallout> = {
  webhook: warden,
  rules: [everything],
  client: { url: 'https://localhost:5443/webhook/warden-validating' },
};

/** Webhooks with only its name, or only its address: they block matching requests like any other. */
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

/** Cases in which the matching requests are unknown: namespaces or discovery were not read. */
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

/** For checks that report a webhook that matches everything. */
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

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const home = (index: number) => `team-${index % 200}`;
const bits = [
  rule('pods'),
  rule('configmaps,secrets'),
  rule('*', { apiGroups: ['example.com'] }),
  everything,
];

/** Webhooks of 500 backends in 200 namespaces, each with another selector; `rules` selects their rules. */
function large(rules: (index: number) => AdmissionCallout['rules']): Snapshot {
  const all = numbers(500).map((index) => ({ index, name: `guard-${index}`, namespace: home(index) }));
  return snapshotOf({
    callouts: all.map(({ index, name, namespace: at }) =>
      webhook({
        kind: index % 2 === 0 ? 'mutating' : 'validating',
        ref: { kind: 'ValidatingWebhookConfiguration', name, webhook: `${name}.example.com` },
        configuration: name,
        webhook: `${name}.example.com`,
        client: { service: { namespace: at, name, port: 443 } },
        rules: rules(index),
        ...leavingOut('kube-system', home(index), home(index * 7)),
      }),
    ),
    namespaces: objects(namespace('kube-system'), ...numbers(200).map((index) => namespace(home(index)))),
    services: objects(...all.map((at) => service({ selector: { app: at.name } }, at))),
    endpointSlices: lists(Object.fromEntries(all.map((at) => [`${at.namespace}/${at.name}`, [slice()]]))),
    workloads: lists(
      Object.fromEntries(
        numbers(200).map((index) => [
          home(index),
          all
            .filter((at) => at.namespace === home(index))
            .map((at) =>
              workload({
                metadata: at,
                spec: { template: { metadata: { labels: { app: at.name } }, spec: { containers: [] } } },
              }),
            ),
        ]),
      ),
    ),
  });
}

/** 500 webhooks in 200 namespaces, with different rules. */
export const largeScopes = {
  mixed: () => large((index) => [bits[index % bits.length] ?? everything]),
  everything: () => large(() => [everything]),
  nothing: () => large(() => [rule('widgets', { apiGroups: ['example.com'] })]),
};

/** The checks that compare the rules of webhooks. */
export const scopeChecks = catalogue.filter(
  ({ meta }) =>
    meta.link === 'scope' || meta.id === 'timeout-budget-exceeded' || meta.id === 'policy-fails-open',
);
