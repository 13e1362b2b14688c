import { podsWithoutInjection } from '../../../src/checks/effect/pods-without-injection.ts';
import type { AdmissionCallout } from '../../../src/facts/callout.ts';
import { complete, nothingRead } from '../../../src/facts/lookup.ts';
import type { Metadata } from '../../../src/facts/objects/metadata.ts';
import type { Namespace } from '../../../src/facts/objects/namespace.ts';
import type { Pod } from '../../../src/facts/objects/pod.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { pod, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { counts, metrics } from './counts.ts';

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

const seen = (
  pods: readonly Pod[],
  { callout = injector(), space = namespace(), passed = 12, ...over }: Given = {},
): Partial<Facts> => ({
  callouts: [callout],
  namespaces: complete([[space.metadata.name, space]]),
  namespacePods: complete([[space.metadata.name, pods]]),
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
const vault = injector('vault.hashicorp.com', everywhere);
const annotated = (annotations: Readonly<Record<string, string>>) => made({ annotations });
const silent = (name: string, pods: readonly Pod[], given: Given = {}) =>
  ({ name, facts: seen(pods, given), outcome: 'pass' }) as const;

describeCheck(podsWithoutInjection, {
  reports: [
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
      name: 'a Pod that asked for a Vault agent, although metrics are forbidden',
      facts: seen([annotated({ 'vault.hashicorp.com/agent-inject': 'true' })], {
        callout: vault,
        metrics: forbidden('metrics'),
      }),
      expect: { messageId: 'requested' },
    },
    {
      name: 'a Pod of a namespace that asked Linkerd, whose webhook stops requests while it fails',
      facts: seen([made({ creationTimestamp: early })], {
        callout: injector('linkerd-proxy-injector.linkerd.io', { ...everywhere, failurePolicy: 'Fail' }),
        space: namespace({ annotations: { 'linkerd.io/inject': 'enabled' } }),
      }),
      expect: { messageId: 'requested' },
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
          podsHave: '1 Pod has',
          part: 'Istio proxy',
          pods: 'web/web-1',
          request: 'sidecar.istio.io/inject=true',
          product: 'Istio',
        },
        evidence: 'istio-injection=enabled',
      },
    },
  ],
  reportsNothing: [
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
    {
      name: 'its effect on objects is unknown',
      facts: seen([made()], { callout: injector('inject.example.com') }),
      outcome: 'not-applicable',
    },
  ],
  isUnknown: [
    { name: 'metrics are forbidden', facts: seen([made()], { metrics: forbidden('metrics') }) },
    {
      name: 'the Pods of a namespace were not read',
      facts: seen([], {
        namespacePods: nothingRead({ what: 'pods in namespace web', why: 'forbidden' }),
      }),
    },
  ],
});
