import { expect } from 'chai';
import { noReadyEndpoint } from '../../src/checks/backend/no-ready-endpoint.ts';
import { catalogue, inCatalogue } from '../../src/checks/catalogue.ts';
import { timeoutTooLong } from '../../src/checks/failure-policy/timeout-too-long.ts';
import { managedConfiguration } from '../../src/checks/ownership/managed-configuration.ts';
import { conversionUnused } from '../../src/checks/registration/conversion-unused.ts';
import { ruleResourceUnknown } from '../../src/checks/registration/rule-resource-unknown.ts';
import { serviceAccountLacksRights } from '../../src/checks/replica/api-access/service-account-lacks-rights.ts';
import { leaderGatedAnswer } from '../../src/checks/replica/leader-election/leader-gated-answer.ts';
import { replicaCrashLooping } from '../../src/checks/replica/pod-failure/replica-crash-looping.ts';
import { replicaUnschedulable } from '../../src/checks/replica/pod-start/replica-unschedulable.ts';
import { responsePatchInvalid } from '../../src/checks/response/response-patch-invalid.ts';
import { orphanedConfiguration } from '../../src/checks/routing/orphaned-configuration.ts';
import { serviceMissing } from '../../src/checks/routing/service-missing.ts';
import { caBundleEmpty } from '../../src/checks/tls/ca-bundle/ca-bundle-empty.ts';
import { buildReport } from '../../src/diagnose/build-report.ts';
import { complete } from '../../src/facts/lookup.ts';
import type { Pod } from '../../src/facts/objects/pod.ts';
import type { Workload } from '../../src/facts/objects/workload.ts';
import type { Facts } from '../../src/facts/snapshot.ts';
import { adviceText } from '../../src/phrases/advice.ts';
import {
  allows,
  denies,
  dryRun,
  lease,
  leases,
  patches,
  proxySays,
  replica,
  tried,
} from '../checks/probed.ts';
import { served } from '../checks/registration/served.ts';
import {
  conversion,
  healthy,
  lists,
  namespace,
  objects,
  pod,
  slice,
  snapshotOf,
  webhook,
  workload,
} from '../support/snapshot.ts';
import { forbidden } from '../support/unread.ts';

const annotations = {
  'meta.helm.sh/release-name': 'acme',
  'meta.helm.sh/release-namespace': 'shop',
};
const of = (configuration: string, name: string) =>
  webhook({
    configuration,
    webhook: name,
    ref: { kind: 'ValidatingWebhookConfiguration', name: configuration, webhook: name },
    metadata: { name: configuration, annotations },
    timeoutSeconds: 30,
  });

describe('the report', () => {
  const callouts = [of('one', 'a'), of('one', 'b'), of('two', 'a')];
  const checks = [managedConfiguration, timeoutTooLong].map(inCatalogue);

  it('knows the values in a message, and which of them stand by themselves', () => {
    const asked = webhook();
    const container = { name: 'webhook', ready: false, restartCount: 7 };
    const state = { waiting: { reason: 'CrashLoopBackOff' } };
    const lastState = { terminated: { exitCode: 2, reason: 'Error' } };
    const bad = pod({
      status: { phase: 'Running', containerStatuses: [{ ...container, state, lastState }] },
    });
    const facts = healthy({
      callouts: [asked],
      endpointSlices: lists({ 'shop/policy': [] }),
      pods: lists({ 'shop/policy': [bad] }),
      logs: complete([[`shop/${bad.metadata.name}/webhook`, 'error: no licence']]),
    });
    const { findings } = buildReport(snapshotOf(facts), [asked], [replicaCrashLooping].map(inCatalogue));
    const [{ message, values = [], evidence } = expect.fail()] = findings;
    expect(message).to.match(/: .*no licence \(exit code 2, restart count 7\)$/);
    const texts = (isQuote: boolean) =>
      values.filter((one) => one.isQuote === isQuote).map(({ text }) => text);
    expect(texts(true)).to.deep.equal(['error: no licence']);
    expect(texts(false)).to.include.members(evidence.flatMap(({ parts = [] }) => parts));
  });

  it('names the manager of a configuration once, and the problem for each of its webhooks', () => {
    const { findings, summary } = buildReport(snapshotOf({ callouts }), callouts, checks);
    const about = (check: string) =>
      findings.filter((finding) => finding.check === check).map(({ callout }) => callout);
    expect(about('managed-configuration')).to.deep.equal(['validating/one/a', 'validating/two/a']);
    expect(about('timeout-too-long')).to.have.length(3);
    expect(summary.findings).to.deep.equal({ error: 0, warning: 3, info: 2 });
  });

  it('does not change the case of a name with which a message starts', () => {
    const misnamed = webhook({
      rules: [
        {
          operations: ['CREATE'],
          apiGroups: ['apps'],
          apiVersions: ['v1'],
          resources: ['deployment'],
          scope: '*',
        },
      ],
    });
    const { findings } = buildReport(
      snapshotOf({ ...healthy({ callouts: [misnamed] }), served: served() }),
      [misnamed],
      [inCatalogue(ruleResourceUnknown)],
    );
    expect(findings.map(({ message }) => message)).to.deep.equal([
      'deployment is the singular, so the rule matches no request; the resource is deployments',
    ]);
  });

  it('advises to change the owner of the configuration, if its controller may restore it', () => {
    const adviceOwnedBy = (apiVersion: string, kind = 'Guard') => {
      const owner = { apiVersion, kind, name: 'default', uid: 'g' };
      const owned = webhook({ metadata: { name: 'policy', ownerReferences: [owner] }, timeoutSeconds: 30 });
      const { findings } = buildReport(
        snapshotOf(healthy({ callouts: [owned] })),
        [owned],
        [inCatalogue(timeoutTooLong)],
      );
      return findings[0] && adviceText(findings[0].advice);
    };
    expect(adviceOwnedBy('acme.io/v1')).to.include('`kubectl edit guard.acme.io/default`');
    for (const kind of ['--kubeconfig=x', 'Guard$(id)', 'Guard\u001b[2J'])
      expect(adviceOwnedBy('acme.io/v1', kind)).to.not.include('owner');
    // Its controller restores no webhook configuration.
    expect(adviceOwnedBy('apps/v1')).to.include('kubectl edit').and.not.to.include('owner');
  });

  it('names it for the webhook that was selected', () => {
    const { findings } = buildReport(snapshotOf({ callouts }), callouts.slice(1, 2), checks);
    expect(findings.map(({ check, callout }) => `${check} ${callout}`)).to.have.members([
      'managed-configuration validating/one/b',
      'timeout-too-long validating/one/b',
    ]);
  });

  it('a finding is the cause if filters omit its cause, which is not printed anywhere', () => {
    const [left] = callouts;
    if (left === undefined) throw new Error('no webhook');
    const snapshot = snapshotOf({
      callouts: [left],
      services: complete([]),
      namespaces: objects(namespace()),
      workloads: complete([]),
    });
    const both = [orphanedConfiguration, serviceMissing].map(inCatalogue);
    const all = buildReport(snapshot, [left], both);
    expect(all.callouts[0]?.cause).to.match(/^orphaned-configuration:/);
    expect(all.findings.find(({ check }) => check === 'service-missing')?.causedBy).to.equal(
      'orphaned-configuration',
    );
    const filtered = buildReport(snapshot, [left], both, { show: (check) => check === 'service-missing' });
    expect(filtered.callouts[0]?.cause).to.match(/^service-missing:/);
    expect(JSON.stringify(filtered)).not.to.include('orphaned-configuration');
  });

  it('first advises to install the product of a CRD again, and to turn its conversion off only if it is not needed', () => {
    const callout = conversion({ metadata: { name: 'widgets.example.com', annotations } });
    const snapshot = snapshotOf({ callouts: [callout], namespaces: objects(namespace('infra')) });
    const [finding] = buildReport(snapshot, [callout], [inCatalogue(orphanedConfiguration)]).findings;
    expect(finding?.advice.steps.map(({ prose }) => prose.join('').slice(0, 60))).to.deep.equal([
      'If the product is needed, install it again.',
      'If the product of a CRD is not needed, turn the conversion o',
      'An update of an object of {crd} then loses the fields that i',
      'Delete a CRD only if its objects are not needed, because the',
    ]);
  });

  it('advises to undo a rollout only if an earlier ReplicaSet of the Deployment is known', () => {
    const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'policy', uid: 'd', controller: true };
    const replicaSet = (name: string) => ({
      ...workload({ kind: 'ReplicaSet' }),
      metadata: { namespace: 'shop', name, ownerReferences: [owner] },
    });
    const crashing = pod({
      status: {
        phase: 'Running',
        containerStatuses: [
          {
            ...{ name: 'webhook', ready: false, restartCount: 4 },
            state: { waiting: { reason: 'CrashLoopBackOff' } },
            lastState: { terminated: { exitCode: 1, reason: 'Error' } },
          },
        ],
      },
    });
    const adviceWith = (...replicaSets: readonly ReturnType<typeof replicaSet>[]) => {
      const callout = webhook();
      const facts = healthy({
        callouts: [callout],
        endpointSlices: lists({ 'shop/policy': [] }),
        pods: lists({ 'shop/policy': [crashing] }),
        workloads: lists({ shop: [workload(), ...replicaSets] }),
      });
      const { findings } = buildReport(snapshotOf(facts), [callout], [replicaCrashLooping].map(inCatalogue));
      return findings[0] && adviceText(findings[0].advice);
    };
    expect(adviceWith()).to.include('logs').and.not.to.include('rollout undo');
    expect(adviceWith(replicaSet('policy-abc'))).not.to.include('rollout undo');
    expect(adviceWith(replicaSet('policy-abc'), replicaSet('policy-old'))).to.include('rollout undo');
  });

  it('names the workload of the Pods that fail if a Service has Pods of several', () => {
    const ofDeployment = (name: string, status: Pod['status']) => {
      const controlled = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `${name}-f9`, uid: name };
      const ownerReferences = [{ ...controlled, controller: true }];
      const metadata = { ...pod().metadata, name: `${name}-f9-a`, labels: { 'pod-template-hash': 'f9' } };
      const made = pod({ status, spec: { nodeName: undefined } as object });
      return { ...made, metadata: { ...metadata, ownerReferences } };
    };
    const condition = { type: 'PodScheduled', status: 'False' as const, reason: 'Unschedulable' };
    const pods = [
      ofDeployment('stable', {
        phase: 'Pending',
        conditions: [{ ...condition, message: 'node(s) were unschedulable' }],
      }),
      ofDeployment('canary', { phase: 'Failed', reason: 'Evicted' }),
    ];
    const callout = webhook();
    const facts = healthy({
      callouts: [callout],
      endpointSlices: lists({ 'shop/policy': [] }),
      pods: lists({ 'shop/policy': pods }),
    });
    const checks = [replicaUnschedulable].map(inCatalogue);
    const { findings } = buildReport(snapshotOf(facts), [callout], checks);
    expect(findings.map(({ advice }) => advice.names.workload)).to.deep.equal(['deployment/stable']);
  });

  it('names the Deployment of Pods that were not read by their names, unless the cluster serves Argo Rollouts', () => {
    const callout = of('one', 'a');
    const endpoint = {
      addresses: ['198.51.100.7'],
      targetRef: { kind: 'Pod', name: 'policy-7d9c5b8f6d-x2x7k' },
    };
    const { resources = [] } = served().get('served') ?? {};
    const rollouts = { resources: resources.map((one) => ({ ...one, group: 'argoproj.io' })), stale: [] };
    const named = (known: Facts['served'], targets: readonly (typeof endpoint)[] = [endpoint]) => {
      const endpointSlices = lists({ 'shop/policy': [slice(targets)] });
      const facts = {
        callouts: [callout],
        endpointSlices,
        pods: lists<Pod>({}),
        workloads: lists<Workload>({}),
        served: known,
      };
      const { findings } = buildReport(snapshotOf(healthy(facts)), [callout], [inCatalogue(timeoutTooLong)]);
      return findings.map(({ advice }) => advice.names.workload);
    };
    expect(named(served())).to.deep.equal(['deployment/policy']);
    expect(named(complete([['served', rollouts]]))).to.deep.equal([undefined]);
    const ofNoPod = { addresses: ['198.51.100.8'], targetRef: { kind: 'Node', name: 'n1' } };
    expect(named(served(), [endpoint, ofNoPod])).to.deep.equal([undefined]);
  });

  for (const [expression, effect] of [
    ['false', 'none'],
    ["request.operation == 'CREATE'", 'blocks'],
  ] as const) {
    it(`a webhook with the matchCondition ${expression}: ${effect}`, () => {
      const asked = webhook({ matchConditions: [{ name: 'only', expression }] });
      const snapshot = snapshotOf({ callouts: [asked], services: complete([]) });
      const { callouts: told } = buildReport(snapshot, [asked], [serviceMissing].map(inCatalogue));
      expect(told[0]?.verdict).to.deep.include({ state: 'failing', effect });
    });
  }

  for (const [versions, state, severity] of [
    [['v1'], 'healthy', 'info'],
    [['v1', 'v2'], 'failing', 'error'],
  ] as const) {
    it(`a conversion webhook without a Service, of a CRD with ${versions.join(' and ')}: ${state}`, () => {
      const one = conversion({
        versions: versions.map((name) => ({ name, served: true, storage: name === 'v1' })),
      });
      const snapshot = snapshotOf(healthy({ callouts: [one], services: complete([]) }));
      const { callouts: told, findings } = buildReport(
        snapshot,
        [one],
        [conversionUnused, serviceMissing].map(inCatalogue),
      );
      expect(told[0]?.verdict.state).to.equal(state);
      expect(findings.find(({ check }) => check === 'service-missing')?.severity).to.equal(severity);
    });
  }

  it('quotes to its end the message of a patch error that is not predictable', () => {
    const patch = [{ op: 'replace', path: '/kind', value: 'Secret' }];
    const words = 'converting (v1.Secret) to (core.ConfigMap): unknown conversion';
    const why = 'server-error';
    const facts = tried([patches(patch)], {
      notTried: [{ what: 'a server-side dry run', why, detail: `Internal error occurred: ${words}` }],
      facts: { callouts: [webhook({ kind: 'mutating' })] },
    });
    const [probes] = facts.probes?.all() ?? [];
    if (probes === undefined) throw new Error('nothing was tried');
    const snapshot = snapshotOf({
      ...facts,
      probes: complete([['mutating/policy/policy.example.com', probes]]),
    });
    const { callouts: asked } = buildReport(
      snapshot,
      snapshot.facts.callouts,
      [responsePatchInvalid].map(inCatalogue),
    );
    expect(asked[0]?.verdict).to.deep.include({
      state: 'failing',
      because: ['response-patch-invalid'],
      error: words,
      errorFrom: 'observed',
    });
  });

  it('quotes why the API server finds an object invalid that a patch has spoilt', () => {
    const message = 'ConfigMap "probe" is invalid: metadata.labels: Invalid value: "-no-": no label';
    const facts = tried([patches([{ op: 'add', path: '/metadata/labels', value: { a: '-no-' } }])], {
      facts: { callouts: [webhook({ kind: 'mutating' })] },
    });
    const [probes] = facts.probes?.all() ?? [];
    if (probes === undefined) throw new Error('nothing was tried');
    const invalid = { ...dryRun(message), status: 422, resource: 'configmaps' };
    const snapshot = snapshotOf({
      ...facts,
      probes: complete([['mutating/policy/policy.example.com', { ...probes, invalid }]]),
    });
    const { callouts: asked } = buildReport(
      snapshot,
      snapshot.facts.callouts,
      [responsePatchInvalid].map(inCatalogue),
    );
    expect(asked[0]?.verdict).to.deep.include({ state: 'degraded', error: message, errorFrom: 'observed' });
  });

  it('quotes the denial of a replica that denies wrongly', () => {
    const facts = tried([allows, denies('cluster "a" not found')], { facts: leases(lease('policy-1_x')) });
    const snapshot = snapshotOf(facts);
    const { callouts: asked } = buildReport(
      snapshot,
      snapshot.facts.callouts,
      [leaderGatedAnswer].map(inCatalogue),
    );
    expect(asked[0]?.verdict).to.deep.include({
      state: 'degraded',
      because: ['leader-gated-answer'],
      error: 'admission webhook "policy.example.com" denied the request: cluster "a" not found',
    });
  });

  const lost = { ...allows, proxy: proxySays('dial tcp 198.51.100.11:8443: i/o timeout') };
  /** The cause of packets that are lost to a Pod on a hybrid node or another one, under a NetworkPolicy. */
  const causeUnder = (nodeName: string, ...cidrs: readonly string[]) => {
    const from = cidrs.map((cidr) => ({ ipBlock: { cidr } }));
    const policy = {
      metadata: { name: 'shield', namespace: 'shop' },
      spec: { podSelector: {}, policyTypes: ['Ingress'], ingress: from.length === 0 ? [] : [{ from }] },
    };
    const snapshot = snapshotOf({
      ...tried([lost], {
        pods: [replica(1, { spec: { nodeName, containers: [{ name: 'webhook' }] } })],
        facts: { networkPolicies: lists({ shop: [policy] }) },
      }),
      version: 'v1.33.5-eks-3cfe0ce',
    });
    const { stories } = buildReport(snapshot, snapshot.facts.callouts, catalogue);
    return stories[0]?.cause?.split(':')[0];
  };

  it('names a NetworkPolicy as the cause before the node, and before a firewall if it allows few addresses', () => {
    const node = 'ip-10-0-1-2.ec2.internal';
    expect(causeUnder('mi-0123456789abcdef0')).to.equal('network-policy-shields-webhook');
    expect(causeUnder(node, '203.0.113.1/32')).to.equal('network-policy-shields-webhook');
    expect(causeUnder(node, '0.0.0.0/1', '128.0.0.0/1')).to.equal('firewall-target-port');
  });

  it('marks a predicted error as predicted', () => {
    const asked = webhook();
    const snapshot = snapshotOf({ callouts: [asked], services: complete([]) });
    const { callouts: told } = buildReport(snapshot, [asked], [serviceMissing].map(inCatalogue));
    expect(told[0]?.verdict.error).to.match(/service "policy" not found$/);
    expect(told[0]?.verdict.errorFrom).to.equal('expected');
  });

  it('marks an error of this run as observed', () => {
    const words =
      'failed calling webhook "policy.example.com": failed to call webhook: Post "https://policy.shop.svc:443/validate?timeout=10s": context deadline exceeded';
    const snapshot = snapshotOf(tried([allows], { dryRun: dryRun(`Internal error occurred: ${words}`) }));
    const { callouts: told } = buildReport(snapshot, snapshot.facts.callouts, []);
    expect(told[0]?.verdict).to.deep.include({ state: 'failing', error: words, errorFrom: 'observed' });
  });

  it('predicts no TLS error if the earlier steps of the call could not be read', () => {
    const asked = webhook({ client: { ...webhook().client, caBundle: '' } });
    const verdict = (facts: Partial<Facts> = {}) => {
      const snapshot = snapshotOf(healthy({ callouts: [asked], ...facts }));
      return buildReport(snapshot, [asked], [caBundleEmpty].map(inCatalogue)).callouts[0]?.verdict;
    };
    expect(verdict()?.error).to.match(/x509: certificate signed by unknown authority$/);
    for (const facts of [
      { services: forbidden('services') },
      { endpointSlices: forbidden('endpointslices') },
    ] satisfies Partial<Facts>[]) {
      expect(verdict(facts)).to.deep.include({ state: 'failing', link: 'tls', because: ['ca-bundle-empty'] });
      expect(verdict(facts)).to.not.have.any.keys('error', 'errorFrom');
    }
  });

  it('quotes the log of a replica, and explains it', () => {
    const snapshot = snapshotOf({
      ...healthy(),
      logs: complete([
        ['shop/policy-1/webhook', 'E1 main.go:1] open /certs/tls.crt: no such file or directory\nE1 bye\n'],
      ]),
    });
    const { callouts: told } = buildReport(snapshot, [webhook()], []);
    const log = told[0]?.replicas.find(({ pod }) => pod === 'policy-1')?.log;
    expect(log?.container).to.equal('webhook');
    expect(log?.lines).to.have.length(1);
    expect(log?.means).to.contain('does not find its certificate file');
  });

  it('quotes no logged request of a replica that is permitted by now', () => {
    const denied =
      'E1 secrets is forbidden: User "system:serviceaccount:shop:policy" cannot list resource "secrets" in API group "" in the namespace "shop"';
    const callout = webhook();
    const facts = healthy({
      callouts: [callout],
      logs: complete([['shop/policy-1/webhook', `${denied}\nE1 dial tcp 203.0.113.9:5432: i/o timeout`]]),
      rbacDenials: lists({ 'shop/policy': [] }),
    });
    const { callouts: told } = buildReport(snapshotOf(facts), [callout], []);
    expect(told[0]?.replicas[0]?.log?.lines).to.deep.equal(['E1 dial tcp 203.0.113.9:5432: i/o timeout']);
  });

  it('names the permission that a Pod lacks while it still starts', () => {
    const startedAt = '2025-12-31T23:59:40Z';
    const one = pod({
      status: {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'False' }],
        containerStatuses: [
          { name: 'webhook', ready: false, restartCount: 0, state: { running: { startedAt } } },
        ],
      },
    });
    const line =
      'E1231 23:59:50 1 reflector.go:227] Failed to watch: secrets is forbidden: User "system:serviceaccount:shop:policy" cannot list resource "secrets" in API group "" in the namespace "shop"';
    const snapshot = snapshotOf(
      healthy({
        pods: lists({ 'shop/policy': [one] }),
        endpointSlices: lists({
          'shop/policy': [slice([{ addresses: ['198.51.100.7'], conditions: { ready: false } }])],
        }),
        logs: complete([['shop/policy-1/webhook', line]]),
      }),
    );
    const report = buildReport(
      snapshot,
      [webhook()],
      [noReadyEndpoint, serviceAccountLacksRights].map(inCatalogue),
    );
    expect(report.callouts[0]?.verdict.because[0]).to.equal('service-account-lacks-rights');
  });
});
