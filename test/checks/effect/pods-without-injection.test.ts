import { podsWithoutInjection } from '../../../src/checks/effect/pods-without-injection.ts';
import type { AdmissionCallout } from '../../../src/facts/callout.ts';
import { complete, nothingRead } from '../../../src/facts/lookup.ts';
import type { Condition, Metadata } from '../../../src/facts/objects/metadata.ts';
import type { Namespace } from '../../../src/facts/objects/namespace.ts';
import type { Pod } from '../../../src/facts/objects/pod.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { objects, pod, service, webhook, workload } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { allows, patches, tried } from '../probed.ts';
import { counting, counts, metrics, metricsOf } from './counts.ts';

// The API server of counts.ts has counted since 2025-12-31T23:00:00.250Z.
const early = '2025-12-31T22:59:00Z';
const meanwhile = '2025-12-31T23:30:00Z';
const late = '2025-12-31T23:45:00Z';
const written = (...times: readonly string[]): Pick<Metadata, 'managedFields'> => ({
  managedFields: times.map((time) => ({ manager: 'helm', operation: 'Update', time, fieldsV1: {} })),
});

const istio = 'rev.namespace.sidecar-injector.istio.io';
const injector = (name = istio, over: Partial<AdmissionCallout> = {}): AdmissionCallout =>
  webhook({
    kind: 'mutating',
    ref: { kind: 'MutatingWebhookConfiguration', name: 'injector', webhook: name },
    configuration: 'injector',
    webhook: name,
    failurePolicy: 'Ignore',
    metadata: { name: 'injector', ...written(early) },
    rules: [
      { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], scope: '*' },
    ],
    namespaceSelector: { matchLabels: { 'istio-injection': 'enabled' } },
    client: { service: { namespace: 'istio-system', name: 'istiod', port: 443 } },
    ...over,
  });
const namespace = (over: Partial<Metadata> = {}): Namespace => ({
  metadata: { name: 'web', labels: { 'istio-injection': 'enabled' }, ...written(early), ...over },
});
const made = (metadata: Partial<Metadata> = {}, spec: Partial<Pod['spec']> = {}): Pod =>
  pod({ metadata: { name: 'web-1', namespace: 'web', creationTimestamp: meanwhile, ...metadata }, spec });

const agent = { 'vault.hashicorp.com/agent-inject': 'true' };
const owned = (kind: string, apiVersion: string): Pod =>
  made({
    annotations: agent,
    ownerReferences: [{ apiVersion, kind, name: 'web', uid: 'uid', controller: true }],
  });
const nobody = {
  place: undefined,
  recreated: undefined,
  replaced: undefined,
  controller: undefined,
  alone: undefined,
  home: undefined,
};
const ofIstio = {
  podsHave: '1 Pod has',
  part: 'Istio proxy',
  request: 'istio-injection=enabled',
  pods: 'web/web-1',
  webhook: istio,
};
/** Called for Pods with the label of its domain, outside of the namespace `web`. */
const byLabel = injector('mutate.acme.io', {
  namespaceSelector: {
    matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['web'] }],
  },
  objectSelector: { matchLabels: { 'admission.acme.io/enabled': 'true' } },
});

/** Facts with all these Pods as those that request injection, some by their namespace. */
const asking = (pods: readonly Pod[], given: Given = {}): Partial<Facts> => ({
  ...seen(pods, given),
  requestingPods: complete([['Pods', pods]]),
});

/** True for a Pod with a request of its own, other than by the label of its namespace. */
const isRequesting = ({ metadata: { annotations = {}, labels = {} } }: Pod): boolean =>
  [...Object.keys(annotations), ...Object.keys(labels)].some((key) => /inject|azure|linkerd|dapr/.test(key));

const seen = (
  pods: readonly Pod[],
  { callout = injector(), space = namespace(), passed = 12, ...over }: Given = {},
): Partial<Facts> => ({
  callouts: [callout],
  namespaces: complete([[space.metadata.name, space]]),
  namespacePods: complete([[space.metadata.name, pods]]),
  requestingPods: complete([['Pods', pods.filter(isRequesting)]]),
  metrics: metrics([counts({ webhook: callout.webhook, type: 'admit', failedOpen: passed })]),
  ...over,
});
interface Given extends Partial<Facts> {
  readonly callout?: AdmissionCallout;
  readonly space?: Namespace;
  readonly passed?: number;
}
const everywhere = { namespaceSelector: {} };
const linkerd = injector('linkerd-proxy-injector.linkerd.io', everywhere);
const forDeployments = injector('linkerd-proxy-injector.linkerd.io', {
  ...everywhere,
  rules: [{ operations: ['CREATE'], apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments'] }],
});
const vault = injector('vault.hashicorp.com', everywhere);
const azure = injector('mutation.azure-workload-identity.io', {
  ...everywhere,
  objectSelector: { matchLabels: { 'azure.workload.identity/use': 'true' } },
});
const identity = { labels: { 'azure.workload.identity/use': 'true' } };
const annotated = (annotations: Readonly<Record<string, string>>) => made({ annotations });

// Managers of a Pod with container `web` and annotations, as the API server records them before it calls webhooks.
const requested = (annotations: Readonly<Record<string, string>>): Pick<Metadata, 'managedFields'> => ({
  managedFields: [
    {
      manager: 'kube-controller-manager',
      operation: 'Update',
      time: meanwhile,
      fieldsV1: {
        'f:metadata': {
          'f:annotations': Object.fromEntries(Object.keys(annotations).map((key) => [`f:${key}`, {}])),
        },
        'f:spec': {
          'f:containers': {
            'k:{"name":"web"}': { 'f:env': { 'k:{"name":"COLOR"}': {} } },
          },
        },
      },
    },
  ],
});
const containers = [{ name: 'web', env: [{ name: 'COLOR', value: 'red' }] }];
const volumes = [{ name: 'kube-api-access-x7k2p' }];
const asked = (
  annotations: Readonly<Record<string, string>>,
  { spec = {}, ...metadata }: Partial<Metadata> & { readonly spec?: Partial<Pod['spec']> } = {},
): Pod =>
  made({ labels: {}, annotations, ...requested(annotations), ...metadata }, { containers, volumes, ...spec });
const otel = injector('mpod.kb.io', {
  ...everywhere,
  metadata: { name: 'injector', creationTimestamp: early },
  client: { service: { namespace: 'otel', name: 'opentelemetry-operator-webhook', port: 443 } },
});
const java = { 'instrumentation.opentelemetry.io/inject-java': 'true' };
// Managers as kube-controller-manager v1.35 sets them: the decoder sets defaults before they are recorded.
const ofDeployment = made(
  {
    annotations: java,
    labels: { app: 'web', 'pod-template-hash': '79d88c97d6' },
    managedFields: [
      {
        manager: 'kube-controller-manager',
        operation: 'Update',
        fieldsV1: {
          'f:metadata': {
            'f:annotations': { '.': {}, 'f:instrumentation.opentelemetry.io/inject-java': {} },
            'f:labels': { '.': {}, 'f:app': {}, 'f:pod-template-hash': {} },
          },
          'f:spec': {
            'f:containers': {
              'k:{"name":"web"}': {
                '.': {},
                'f:image': {},
                'f:imagePullPolicy': {},
                'f:name': {},
                'f:ports': {
                  '.': {},
                  'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} },
                },
                'f:resources': {},
              },
            },
            'f:dnsPolicy': {},
            'f:restartPolicy': {},
            'f:schedulerName': {},
            'f:securityContext': {},
            'f:terminationGracePeriodSeconds': {},
          },
        },
      },
    ],
  },
  {
    containers: [
      {
        name: 'web',
        image: 'web:1',
        imagePullPolicy: 'Always',
        ports: [{ containerPort: 80 }],
        resources: {},
      },
    ],
    volumes,
    dnsPolicy: 'ClusterFirst',
    restartPolicy: 'Always',
    schedulerName: 'default-scheduler',
    // Admission plugins of the API server set these.
    serviceAccountName: 'default',
    ...({
      serviceAccount: 'default',
      priority: 0,
      preemptionPolicy: 'PreemptLowerPriority',
      imagePullSecrets: [{ name: 'registry' }],
    } as object),
    nodeName: 'node-1',
    securityContext: {},
    terminationGracePeriodSeconds: 30,
    tolerations: [{ key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' }],
  },
);
const acme = injector('pod-defaults.platform.acme.io', {
  ...everywhere,
  metadata: { name: 'injector', creationTimestamp: early },
});
const unpassed = { passed: 0 };
const unread: Facts['metrics'] = nothingRead({ what: 'metrics', why: 'not-requested' });
/** A selector with which namespaces opt out, and a namespace that does. */
const optOut = {
  namespaceSelector: { matchExpressions: [{ key: 'otel.io/ignore', operator: 'DoesNotExist' as const }] },
};
const optedOut = { space: namespace({ labels: { 'otel.io/ignore': 'true' } }) };

/**
 * The Pod of the injector, Ready since that time, or not, and its Deployment, available since that time.
 *
 * @param where the namespace and the name of its Service.
 */
function injectorReady(
  since: string | undefined,
  {
    available = since,
    where: [namespace, name] = ['istio-system', 'istiod'],
    minReadySeconds = 0,
  }: InjectorState = {},
): Pick<Facts, 'pods' | 'services' | 'workloads'> {
  const condition = (type: string, time: string | undefined): Condition =>
    time === undefined ? { type, status: 'False' } : { type, status: 'True', lastTransitionTime: time };
  const one = pod({
    metadata: { name: `${name}-1`, namespace },
    status: { phase: 'Running', conditions: [condition('Ready', since)] },
  });
  const deployment = workload({
    metadata: { name, namespace },
    spec: { minReadySeconds },
    status: { replicas: 1, conditions: [condition('Available', available)] },
  });
  return {
    pods: complete([[`${namespace}/${name}`, [one]]]),
    services: objects(service({}, { name, namespace })),
    workloads: complete([[namespace, [deployment]]]),
  };
}
interface InjectorState {
  readonly available?: string;
  readonly minReadySeconds?: number;
  readonly where?: readonly [string, string];
}

const silent = (name: string, pods: readonly Pod[], given: Given = {}) =>
  ({ name, facts: seen(pods, given), outcome: 'pass' }) as const;

/**
 * A webhook for Pods that is no listed product and became Ready at 23:40, and a Pod of 23:30 that nothing changed.
 *
 * @param shown what shows that it changes Pods: its response to a test Pod, another Pod of the same ReplicaSet, nothing.
 */
function missedBy(shown: 'test Pod' | 'sibling' | undefined, missed: Pod = untouched()): Partial<Facts> {
  const callout = { ...otel, metadata: { ...otel.metadata, ...written(early) } };
  const ready = injectorReady('2025-12-31T23:40:00Z', { where: ['shop', 'policy'] });
  const sibling = untouched({ name: 'web-2' });
  const changed = { ...sibling, metadata: { ...sibling.metadata, labels: { 'acme.io/injected': 'true' } } };
  const patch = [{ op: 'add', path: '/metadata/labels', value: { 'acme.io/injected': 'true' } }];
  const base = seen([missed, ...(shown === 'sibling' ? [changed] : [])], { callout, passed: 0 });
  const { client } = webhook();
  const probed = tried([shown === 'test Pod' ? patches(patch) : allows], {
    facts: { ...base, callouts: [{ ...callout, client }] },
  });
  return { ...probed, ...ready };
}
const ofWeb = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-79d8', uid: 'w', controller: true }];
const untouched = (metadata: Partial<Metadata> = {}, spec: Partial<Pod['spec']> = {}): Pod =>
  asked({}, { ownerReferences: ofWeb, ...metadata, spec });

describeCheck(podsWithoutInjection, {
  reports: [
    ...(
      [
        [
          'Deployment',
          'web-79d88c97d6',
          { recreated: 'deployment/web', replaced: undefined, alone: undefined },
        ],
        [
          'ReplicaSet of an Argo Rollout',
          'web-7d4',
          { recreated: undefined, replaced: 'web-1', alone: undefined },
        ],
        ['Job', 'web', { recreated: undefined, replaced: undefined, alone: undefined }],
        ['TaskRun', 'web', { recreated: undefined, replaced: undefined, alone: undefined }],
        ['VirtualMachineInstance', 'web', { recreated: undefined, replaced: undefined, alone: undefined }],
        ['Cluster', 'web', { recreated: undefined, replaced: undefined, alone: undefined }],
        ['Node', 'web', { recreated: undefined, replaced: undefined, alone: undefined }],
      ] as const
    ).map(([what, name, names]) => ({
      name: `a Pod of a ${what}`,
      facts: seen([
        made({
          labels: { 'pod-template-hash': '79d88c97d6' },
          ownerReferences: [
            {
              apiVersion: 'apps/v1',
              kind: name === 'web' ? what : 'ReplicaSet',
              name,
              uid: 'u',
              controller: true,
            },
          ],
        }),
      ]),
      expect: { messageId: 'missed' as const, names: { place: 'web', ...names } },
    })),
    {
      name: 'Pods without a proxy, made while Istio was passed by',
      facts: seen([
        made(),
        made({ name: 'web-2' }),
        made({ name: 'web-3' }),
        made({ name: 'web-4' }),
        made({ name: 'web-5', annotations: { 'sidecar.istio.io/status': '{}' } }),
      ]),
      expect: {
        messageId: 'missed',
        data: {
          podsHave: '4 Pods have',
          part: 'Istio proxy',
          pods: 'web/web-1, web/web-2, web/web-3 and 1 more',
          webhook: istio,
          times: '12 times',
          since: 'since 2025-12-31T23:00:00Z',
        },
      },
    },
    {
      name: 'a Pod that was created before the present Pods of the injector were Ready, without counts',
      facts: seen([made()], {
        metrics: unread,
        ...injectorReady('2025-12-31T23:40:00Z'),
      }),
      expect: {
        messageId: 'withoutPods',
        data: {
          podsHave: '1 Pod has',
          part: 'Istio proxy',
          pods: 'web/web-1',
          webhook: istio,
          state: 'whose Pods have been Ready only since 2025-12-31T23:40:00Z',
        },
      },
    },
    {
      name: 'a Pod that was created while no Pod of the injector is Ready',
      facts: seen([made()], {
        metrics: unread,
        ...injectorReady(undefined),
      }),
      expect: { messageId: 'withoutPods' },
    },
    {
      name: 'a Pod that was created while the Deployment of the injector has no Pods',
      facts: seen([made()], {
        metrics: unread,
        ...injectorReady(undefined),
        pods: complete([['istio-system/istiod', []]]),
      }),
      expect: { messageId: 'withoutPods' },
    },
    {
      name: 'the same, if one of two API servers was not read and the other has counted nothing',
      facts: seen([made()], {
        metrics: metricsOf(
          [counting([counts({ webhook: istio, type: 'admit', failedOpen: 0 })])],
          [{ server: 'https://b', detail: 'timeout' }],
        ),
        ...injectorReady('2025-12-31T23:40:00Z'),
      }),
      expect: { messageId: 'withoutPods' },
    },
    {
      name: 'a Pod that was created before an API server started to count',
      facts: seen([made()], { ...unpassed, ...injectorReady('2025-12-31T23:40:00Z') }),
      expect: { messageId: 'withoutPods' },
    },
    {
      name: 'a Deployment that is available after minReadySeconds',
      facts: seen([made()], {
        metrics: unread,
        ...injectorReady('2025-12-31T23:40:00Z', {
          available: '2025-12-31T23:41:30Z',
          minReadySeconds: 90,
        }),
      }),
      expect: { messageId: 'withoutPods' },
    },
    {
      name: 'a Pod that an unknown webhook for Pods missed, which changes a test Pod',
      facts: missedBy('test Pod'),
      expect: {
        messageId: 'untouched',
        data: {
          count: '1 Pod',
          pods: 'web/web-1',
          webhook: 'mpod.kb.io',
          state: 'whose Pods have been Ready only since 2025-12-31T23:40:00Z',
          shown: 'it changes a test Pod',
        },
      },
    },
    {
      name: 'one that it missed, where another Pod of the same ReplicaSet is changed',
      facts: missedBy('sibling'),
      expect: { messageId: 'untouched' },
    },
    {
      name: 'a Pod that asked Linkerd, and one whose namespace did',
      facts: seen([annotated({ 'linkerd.io/inject': 'enabled' })], { callout: linkerd }),
      expect: { messageId: 'missed' },
    },
    {
      name: 'a Pod of a namespace that asked Linkerd',
      facts: seen([made()], {
        callout: linkerd,
        space: namespace({ annotations: { 'linkerd.io/inject': 'enabled' } }),
      }),
      expect: { messageId: 'missed' },
    },
    {
      name: 'a Pod that asked for a Vault agent',
      facts: seen([annotated({ 'vault.hashicorp.com/agent-inject': 'true' })], { callout: vault }),
      expect: { messageId: 'missed' },
    },
    {
      name: 'a Pod that asked for a Vault agent, although no call was counted',
      facts: seen([annotated({ 'vault.hashicorp.com/agent-inject': 'true' })], {
        callout: vault,
        passed: 0,
      }),
      expect: {
        messageId: 'requested',
        data: {
          podsHave: '1 Pod has',
          part: 'Vault agent',
          pods: 'web/web-1',
          request: 'vault.hashicorp.com/agent-inject=true',
          webhook: 'vault.hashicorp.com',
        },
      },
    },
    {
      name: 'a Pod that asked for an identity token with a label',
      facts: seen([made(identity)], { callout: azure, passed: 0 }),
      expect: {
        messageId: 'requested',
        data: {
          podsHave: '1 Pod has',
          part: 'Azure identity token',
          pods: 'web/web-1',
          request: 'azure.workload.identity/use=true',
          webhook: 'mutation.azure-workload-identity.io',
        },
      },
    },
    {
      name: 'a Pod that asked for a Vault agent, although metrics are forbidden',
      facts: seen([annotated({ 'vault.hashicorp.com/agent-inject': 'true' })], {
        callout: vault,
        metrics: forbidden('metrics'),
      }),
      expect: { messageId: 'requested' },
    },
    {
      name: 'a Pod of a namespace that asked Linkerd, whose webhook stops requests while it fails',
      facts: asking([made({ creationTimestamp: early })], {
        callout: injector('linkerd-proxy-injector.linkerd.io', { ...everywhere, failurePolicy: 'Fail' }),
        space: namespace({ annotations: { 'linkerd.io/inject': 'enabled' } }),
      }),
      expect: { messageId: 'requested' },
    },
    {
      name: 'a Pod of a namespace whose label requests the Istio proxy',
      facts: asking([made()], unpassed),
      expect: { messageId: 'requested', data: { ...ofIstio } },
    },
    {
      name: 'a Pod that was created before Istio, in a namespace whose label requests it',
      facts: asking([made()], {
        callout: injector(istio, { metadata: { name: 'injector', creationTimestamp: late } }),
        ...unpassed,
      }),
      expect: {
        messageId: 'older',
        data: { ...ofIstio, time: late },
      },
    },
    {
      name: 'a Pod that requests the agent, and was created before the webhook of an unknown product',
      facts: seen([asked(java, { creationTimestamp: '2025-12-31T22:00:00Z' })], {
        callout: otel,
        ...unpassed,
      }),
      expect: { messageId: 'before' },
    },
    {
      name: 'a Pod with the label that the objectSelector requires, in a namespace that is excluded',
      facts: asking([made({ labels: { app: 'web', 'admission.acme.io/enabled': 'true' } })], {
        callout: byLabel,
        space: namespace({ labels: { 'kubernetes.io/metadata.name': 'web' } }),
        ...unpassed,
      }),
      expect: { messageId: 'excluded' },
    },
    {
      name: 'a Pod of a StatefulSet of OpenKruise: its controller creates it again',
      facts: seen([owned('StatefulSet', 'apps.kruise.io/v1beta1')], { callout: vault, ...unpassed }),
      expect: { messageId: 'requested', names: { ...nobody, place: 'web', replaced: 'web-1' } },
    },
    {
      name: 'a Pod of a TaskRun: a deletion ends its work',
      facts: seen([owned('TaskRun', 'tekton.dev/v1')], { callout: vault, ...unpassed }),
      expect: { messageId: 'requested', names: { ...nobody, place: 'web', controller: 'TaskRun/web' } },
    },
    {
      name: 'Pods of a Deployment, and one without a controller in another namespace',
      facts: {
        ...seen([], { callout: vault, ...unpassed }),
        namespaces: complete(['web', 'tools'].map((name) => [name, namespace({ name })] as const)),
        requestingPods: complete([
          [
            'Pods',
            [
              owned('ReplicaSet', 'apps/v1'),
              made({ name: 'debug', namespace: 'tools', ownerReferences: [], annotations: agent }),
            ],
          ],
        ]),
      },
      expect: {
        messageId: 'requested',
        names: { ...nobody, place: 'web', replaced: 'web-1', alone: 'debug', home: 'tools' },
      },
    },
    {
      name: 'a Pod that asks for a proxy, which only the second webhook matches',
      facts: seen([made({ labels: { 'sidecar.istio.io/inject': 'true' } })], {
        space: namespace({ labels: {} }),
        passed: 0,
        callouts: [injector(), injector('object.sidecar-injector.istio.io', everywhere)],
      }),
      expect: {
        messageId: 'requested',
        data: {
          podsHave: '1 Pod has',
          part: 'Istio proxy',
          pods: 'web/web-1',
          request: 'sidecar.istio.io/inject=true',
          webhook: 'object.sidecar-injector.istio.io',
        },
      },
    },
    {
      name: 'a Pod that asks for a proxy in a namespace that no webhook selects',
      facts: seen([made({ labels: { 'sidecar.istio.io/inject': 'true' } })], {
        space: namespace({ labels: {} }),
        passed: 0,
      }),
      expect: {
        messageId: 'unmatched',
        data: {
          by: 'selectors',
          podsHave: '1 Pod has',
          part: 'Istio proxy',
          pods: 'web/web-1',
          request: 'sidecar.istio.io/inject=true',
          product: 'Istio',
        },
        evidence: 'istio-injection=enabled',
      },
    },
    {
      name: 'a Pod that asks for a proxy, whose injector has the rules of a release that changed Deployments',
      facts: seen([annotated({ 'linkerd.io/inject': 'enabled' })], { callout: forDeployments, passed: 0 }),
      expect: {
        messageId: 'notCovered',
        data: {
          podsHave: '1 Pod has',
          part: 'Linkerd proxy',
          pods: 'web/web-1',
          request: 'linkerd.io/inject=enabled',
          product: 'Linkerd',
        },
        evidence: 'deployments',
      },
    },
    {
      name: 'a Pod of a namespace that the selectors exclude, and rules for Deployments',
      facts: seen([annotated({ 'linkerd.io/inject': 'enabled' })], {
        callout: { ...forDeployments, namespaceSelector: { matchLabels: { mesh: 'on' } } },
        passed: 0,
      }),
      expect: { messageId: 'unmatched' },
    },
    {
      name: 'a Pod that asks for a proxy, and a second webhook for Pods',
      facts: seen([annotated({ 'linkerd.io/inject': 'enabled' })], {
        callouts: [forDeployments, linkerd],
        passed: 0,
      }),
      expect: { messageId: 'requested' },
    },
    {
      name: 'a Pod that asks for instrumentation by annotation, and that no webhook changed',
      facts: seen([asked(java)], { callout: otel, ...unpassed }),
      expect: {
        messageId: 'unchanged',
        data: {
          count: '1 Pod',
          pods: 'web/web-1',
          request: 'instrumentation.opentelemetry.io/inject-java=true',
          webhook: 'mpod.kb.io',
        },
      },
    },
    {
      name: 'a Pod of a team’s own annotation, and that no webhook changed',
      facts: seen([asked({ 'pods.acme.io/inject': 'enabled' })], { callout: acme, ...unpassed }),
      expect: { messageId: 'unchanged' },
    },
    {
      name: 'a Pod of a Deployment, as kube-controller-manager creates it',
      facts: seen([ofDeployment], { callout: otel, ...unpassed }),
      expect: { messageId: 'unchanged' },
    },
    ...['tracing', 'monitoring/app-instrumentation', 'demo.v1'].map((value) => ({
      name: `a Pod that asks for injection as an object configures it: ${value}`,
      facts: seen([asked({ 'instrumentation.opentelemetry.io/inject-java': value })], {
        callout: otel,
        ...unpassed,
      }),
      expect: { messageId: 'unchanged' },
    })),
    {
      name: 'a Pod that asks for instrumentation in a namespace that the selectors exclude',
      facts: seen([asked(java)], { callout: { ...otel, ...optOut }, ...optedOut, ...unpassed }),
      expect: {
        messageId: 'excluded',
        data: {
          by: 'selectors',
          count: '1 Pod',
          pods: 'web/web-1',
          request: 'instrumentation.opentelemetry.io/inject-java=true',
          webhook: 'mpod.kb.io',
        },
      },
    },
    {
      name: 'the same, of a webhook that fails closed',
      facts: seen([asked(java)], {
        callout: { ...otel, ...optOut, failurePolicy: 'Fail' },
        ...optedOut,
        ...unpassed,
      }),
      expect: { messageId: 'excluded' },
    },
    ...['inject-nodejs', 'inject-apache-httpd', 'inject'].map((name) => ({
      name: `a Pod that asks for instrumentation with ${name}, and that only Kubernetes changed`,
      facts: seen(
        [
          asked(
            { [`instrumentation.opentelemetry.io/${name}`]: 'true' },
            {
              labels: { 'topology.kubernetes.io/zone': 'a' },
              spec: {
                containers: [
                  {
                    ...containers[0],
                    name: 'web',
                    volumeMounts: [
                      {
                        name: volumes[0]?.name ?? '',
                        mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
                      },
                    ],
                  },
                ],
                tolerations: [
                  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
                ],
                serviceAccountName: 'default',
                nodeName: 'node-1',
              },
            },
          ),
        ],
        { callout: otel, ...unpassed },
      ),
      expect: { messageId: 'unchanged' },
    })),
  ],
  reportsNothing: [
    {
      name: 'a Pod that the injector changed by its Deployment, without a rule for Pods',
      facts: seen(
        [annotated({ 'linkerd.io/inject': 'enabled', 'linkerd.io/proxy-version': 'stable-2.2.1' })],
        {
          callout: forDeployments,
          passed: 0,
        },
      ),
      outcome: 'pass',
    },
    {
      name: 'a Pod that does not ask for injection, and no rule for Pods',
      facts: seen([made()], { callout: forDeployments, passed: 0 }),
      outcome: 'pass',
    },
    {
      name: 'a Pod that refuses injection, and no rule for Pods',
      facts: seen([annotated({ 'linkerd.io/inject': 'disabled' })], { callout: forDeployments, passed: 0 }),
      outcome: 'pass',
    },
    { name: 'nothing shows that an unknown webhook for Pods changes such Pods', facts: missedBy(undefined) },
    {
      name: 'a label of the Pod may refuse what an unknown webhook adds',
      facts: missedBy('test Pod', untouched({ labels: { 'acme.io/skip': 'true' } })),
    },
    {
      name: 'a Pod on the host network, which an unknown webhook left as it is',
      facts: missedBy('test Pod', untouched({}, { hostNetwork: true })),
    },
    {
      name: 'an unknown webhook missed no Pod after its Pods became Ready',
      facts: missedBy('test Pod', untouched({ creationTimestamp: late })),
    },
    silent('a Pod that was created during a rollout of the injector, whose old Pods served', [made()], {
      metrics: unread,
      ...injectorReady('2025-12-31T23:40:00Z', { available: early }),
    }),
    silent('an injector whose Service selects no Pods', [made()], {
      ...injectorReady(undefined),
      services: objects(service({ selector: {} }, { name: 'istiod', namespace: 'istio-system' })),
      ...unpassed,
    }),
    silent('a Pod that was created after the Pods of the injector were Ready', [made()], {
      metrics: unread,
      ...injectorReady('2025-12-31T23:20:00Z'),
    }),
    silent(
      'a Pod that is older than the hour in which the injector became Ready',
      [made({ creationTimestamp: '2025-12-31T21:00:00Z' })],
      {
        metrics: unread,
        ...injectorReady('2025-12-31T23:40:00Z'),
      },
    ),
    silent(
      'Pods that opted out, are on the host network, or have the proxy, before the injector was Ready',
      [
        made({ labels: { 'sidecar.istio.io/inject': 'false' } }),
        made({ annotations: { 'sidecar.istio.io/inject': 'no' } }),
        made({}, { hostNetwork: true }),
        made({ annotations: { 'sidecar.istio.io/status': '{}' } }),
      ],
      {
        metrics: unread,
        ...injectorReady('2025-12-31T23:40:00Z'),
      },
    ),
    silent(
      'a Pod that is older than the configuration',
      [made({ creationTimestamp: '2025-12-31T22:58:00Z' })],
      {
        metrics: unread,
        ...injectorReady('2025-12-31T23:40:00Z'),
      },
    ),
    silent(
      'the Pod that asked for a proxy has one',
      [
        made({
          labels: { 'sidecar.istio.io/inject': 'true' },
          annotations: { 'sidecar.istio.io/status': '{}' },
        }),
      ],
      { passed: 0 },
    ),
    silent('it has never been passed by', [made()], { passed: 0 }),
    silent('the Pods bear its mark', [annotated({ 'sidecar.istio.io/status': '{}' })]),
    silent('the Pod is older than the counts', [made({ creationTimestamp: early })]),
    silent('the namespace was labelled after the Pod was made', [made()], {
      space: namespace(written(early, late)),
    }),
    silent('the webhook was changed after the Pod was made', [made()], {
      callout: injector(istio, { metadata: { name: 'injector', ...written(late) } }),
    }),
    silent('nothing tells since when the namespace is as it is', [made()], {
      space: { metadata: { name: 'web', labels: { 'istio-injection': 'enabled' } } },
    }),
    silent('the Pod says that it wants none', [
      annotated({ 'sidecar.istio.io/inject': 'false' }),
      made({ labels: { 'sidecar.istio.io/inject': 'false' } }),
    ]),
    silent('the Pod uses the network of its node', [made({}, { hostNetwork: true })]),
    silent('the Pod is a mirror of the node’s own', [annotated({ 'kubernetes.io/config.mirror': 'x' })]),
    silent('the Pod has ended, or is about to', [
      { ...made(), status: { phase: 'Succeeded' } },
      made({ deletionTimestamp: late }),
    ]),
    silent('the namespace is not selected', [made()], { space: namespace({ labels: {} }) }),
    silent('its objectSelector leaves the Pod out', [made()], {
      callout: injector(istio, { objectSelector: { matchLabels: { inject: 'yes' } } }),
    }),
    silent('its rules cover Pods of no version that is served', [made()], {
      callout: injector(istio, {
        rules: [
          { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v2'], resources: ['pods'], scope: '*' },
        ],
      }),
    }),
    silent('it is the namespace of the injector itself', [made({ namespace: 'istio-system' })], {
      space: namespace({ name: 'istio-system' }),
    }),
    silent('nobody asked for a Linkerd proxy', [made()], { callout: linkerd }),
    silent(
      'the Pod asks for none although its namespace does',
      [annotated({ 'linkerd.io/inject': 'disabled' })],
      { callout: linkerd, space: namespace({ annotations: { 'linkerd.io/inject': 'enabled' } }) },
    ),
    silent(
      'the Pod has no token, without which there is no Linkerd proxy',
      [made({ annotations: { 'linkerd.io/inject': 'enabled' } }, { automountServiceAccountToken: false })],
      { callout: linkerd },
    ),
    {
      name: 'it stops requests while it fails',
      facts: seen([made()], { callout: injector(istio, { failurePolicy: 'Fail' }) }),
      outcome: 'pass',
    },
    silent('its effect on objects is unknown', [made()], { callout: injector('inject.example.com') }),
    {
      name: 'it is called for other objects as well, so that its effect on Pods is unknown',
      facts: seen([asked(java)], {
        callout: { ...otel, rules: [{ ...otel.rules[0], resources: ['*'] }] as never },
      }),
      outcome: 'not-applicable',
    },
    ...(
      [
        [
          'a webhook added a variable',
          asked(java, { spec: { containers: [{ name: 'web', env: [{ name: 'JAVA_TOOL_OPTIONS' }] }] } }),
        ],
        [
          'a webhook added a container',
          asked(java, { spec: { containers: [...containers, { name: 'otc-container' }] } }),
        ],
        [
          'a webhook added an annotation',
          asked(java, { annotations: { ...java, 'opentelemetry.io/injected': 'x' } }),
        ],
        [
          'the annotation refuses injection',
          asked({ 'instrumentation.opentelemetry.io/inject-java': 'false' }),
        ],
        [
          'the annotation does not ask for injection',
          asked({ 'resource.opentelemetry.io/service.name': 'web' }),
        ],
        [
          'the annotation is of another project',
          asked({ 'instrumentation.newrelic.com/inject-java': 'true' }),
        ],
        ['no managers are recorded', asked(java, { managedFields: [] })],
        ['the Pod has ended', { ...asked(java), status: { phase: 'Succeeded' } }],
      ] as const
    ).map(([name, one]) => silent(name, [one], { callout: otel, ...unpassed })),
    silent(
      'the Pod has the identity token',
      [made(identity, { volumes: [{ name: 'azure-identity-token' }] })],
      { callout: azure, ...unpassed },
    ),
    silent('the Pod requests no identity token', [made()], { callout: azure, ...unpassed }),
    {
      name: 'the Pod refuses the proxy that its namespace requests',
      facts: asking([made({ labels: { 'sidecar.istio.io/inject': 'false' } })], unpassed),
      outcome: 'pass' as const,
    },
    {
      name: 'the namespace lacks the label of Istio',
      facts: asking([made()], { ...unpassed, space: namespace({ labels: {} }) }),
      outcome: 'pass' as const,
    },
    {
      name: 'a webhook that requires the label matches the namespace',
      facts: asking([made({ labels: { 'admission.acme.io/enabled': 'true' } })], {
        callout: { ...byLabel, namespaceSelector: {} },
        ...unpassed,
      }),
      outcome: 'pass' as const,
    },
    {
      name: 'the Pod lacks the label that the objectSelector requires',
      facts: asking([made({ labels: { app: 'web' } })], { callout: byLabel, ...unpassed }),
      outcome: 'pass' as const,
    },
    silent(
      'the Pod requests the identity token with an annotation: the webhook selects labels',
      [made({ annotations: identity.labels })],
      { callout: azure, ...unpassed },
    ),
    silent(
      'the Pod requests the Vault agent with a label: recreating it injects nothing either',
      [made({ labels: { 'vault.hashicorp.com/agent-inject': 'true' } })],
      { callout: vault, ...unpassed },
    ),
    silent('another webhook matches the Pod, which the selectors of this one exclude', [asked(java)], {
      callout: { ...otel, ...optOut },
      callouts: [
        { ...otel, ...optOut },
        { ...otel, webhook: 'other.kb.io', failurePolicy: 'Fail' },
      ],
      ...optedOut,
      ...unpassed,
    }),
    silent(
      'a webhook of a later moment changed the Pod, whose namespace is excluded now',
      [asked(java, { spec: { containers: [...containers, { name: 'otc-container' }] } })],
      { callout: { ...otel, ...optOut }, ...optedOut, ...unpassed },
    ),
    silent('the webhook fails closed: it was called, and left the Pod as it is', [asked(java)], {
      callout: { ...otel, failurePolicy: 'Fail' },
      ...unpassed,
    }),
    ...(
      [
        ['skip-inject', 'true'],
        ['do-not-inject', 'true'],
        ['disable-inject', 'true'],
        ['inject-disabled', 'true'],
        ['inject-exclude', 'true'],
        ['inject-exclude-ports', '8080'],
        ['inject-containers', 'web'],
        ['inject-template', 'gateway'],
        ['inject-status', 'injected'],
        ['inject-secret-config', 'internal/data/config'],
        ...['auto', 'manual', 'injected', 'Java agent', 'a/b/c'].map((value) => ['inject', value] as const),
        ...['never', 'false', 'disabled', 'no', 'off', '0', '', 'FALSE'].map(
          (value) => ['inject', value] as const,
        ),
      ] as const
    ).map(([name, value]) =>
      silent(`the annotation ${name}=${value} is no request`, [asked({ [`pods.acme.io/${name}`]: value })], {
        callout: acme,
        ...unpassed,
      }),
    ),
    ...(
      [
        ['tolerations', { spec: { tolerations: [{ key: 'gpu', operator: 'Exists' }] } }],
        ['a nodeSelector', { spec: { nodeSelector: { pool: 'gpu' } } }],
        ['a label', { labels: { 'acme.io/pool': 'gpu' } }],
        ['an image', { spec: { containers: [{ ...containers[0], name: 'web', image: 'web:1' }] } }],
        [
          'resources',
          { spec: { containers: [{ ...containers[0], name: 'web', resources: { limits: { cpu: '1' } } }] } },
        ],
        [
          'a mount',
          {
            spec: {
              containers: [
                { ...containers[0], name: 'web', volumeMounts: [{ name: 'ca', mountPath: '/ca' }] },
              ],
            },
          },
        ],
        ['a field of spec', { spec: { schedulerName: 'gpu' } }],
      ] as const
    ).map(([what, over]) =>
      silent(
        `a webhook added ${what}`,
        [asked({ 'pods.acme.io/inject-tolerations': 'true' }, over as never)],
        {
          callout: acme,
          ...unpassed,
        },
      ),
    ),
    silent(
      'an annotation that is no request, unlike other Pods that a webhook changed',
      [
        asked({ 'acme.io/team': 'payments' }),
        ...['web-2', 'web-3', 'web-4'].map((name) =>
          asked(
            { 'acme.io/team': 'payments' },
            {
              name,
              spec: { containers: [{ name: 'web', env: [{ name: 'COLOR' }, { name: 'AWS_ROLE_ARN' }] }] },
            },
          ),
        ),
      ],
      { callout: acme, ...unpassed },
    ),
  ],
  isUnknown: [
    {
      name: 'Pods of all namespaces are forbidden',
      facts: seen([], { ...unpassed, requestingPods: forbidden('pods') }),
    },
    { name: 'metrics are forbidden', facts: seen([made()], { metrics: forbidden('metrics') }) },
    {
      name: 'the Pods of a namespace were not read',
      facts: seen([], {
        namespacePods: nothingRead({ what: 'pods in namespace web', why: 'forbidden' }),
      }),
    },
  ],
});
