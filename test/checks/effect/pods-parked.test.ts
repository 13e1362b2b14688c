import { podsParked } from '../../../src/checks/effect/pods-parked.ts';
import type { AdmissionCallout, RuleWithOperations } from '../../../src/facts/callout.ts';
import { complete, nothingRead } from '../../../src/facts/lookup.ts';
import { refText } from '../../../src/facts/object-ref.ts';
import type { Pod } from '../../../src/facts/objects/pod.ts';
import type { PodController } from '../../../src/facts/objects/pod-controller.ts';
import type { RbacDenial } from '../../../src/facts/rbac-denial.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { healthy, lists, namespace, objects, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const nobody = 'wave.pusher.com/invalid';
const rule = (group: string, resource: string): RuleWithOperations => ({
  operations: ['CREATE', 'UPDATE'],
  apiGroups: [group],
  apiVersions: ['v1'],
  resources: [resource],
  scope: '*',
});
const parking = (over: Partial<AdmissionCallout> = {}): AdmissionCallout =>
  webhook({
    kind: 'mutating',
    ref: { kind: 'MutatingWebhookConfiguration', name: 'wave', webhook: 'deployments.wave.pusher.com' },
    configuration: 'wave',
    webhook: 'deployments.wave.pusher.com',
    failurePolicy: 'Ignore',
    rules: [rule('apps', 'deployments')],
    ...over,
  });
const podParking = parking({ rules: [rule('', 'pods')] });
const other = parking({
  ref: { kind: 'MutatingWebhookConfiguration', name: 'other', webhook: 'inject.example.com' },
  configuration: 'other',
  webhook: 'inject.example.com',
  rules: [rule('', 'pods')],
});

const waiting = (
  spec: Partial<Pod['spec']> = {},
  over: { status?: Pod['status']; metadata?: object } = {},
): Pod => ({
  metadata: {
    name: 'cart-5d9-x',
    namespace: 'shop',
    creationTimestamp: '2025-12-31T23:00:00Z',
    labels: { app: 'cart', 'pod-template-hash': '5d9' },
    ownerReferences: [
      { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'cart-5d9', uid: 'r', controller: true },
    ],
    ...over.metadata,
  },
  spec: {
    containers: [{ name: 'cart', envFrom: [{ configMapRef: { name: 'settings' } }] }],
    schedulerName: nobody,
    ...spec,
  },
  status: over.status ?? { phase: 'Pending' },
});
const owner = (schedulerName?: string): PodController => ({
  kind: 'Deployment',
  metadata: {
    name: 'cart',
    namespace: 'shop',
    annotations: { 'wave.pusher.com/scheduling-disabled': 'default-scheduler' },
  },
  spec: { template: { spec: { containers: [], ...(schedulerName === undefined ? {} : { schedulerName }) } } },
});
/** No annotation contains the previous schedulerName. */
const unkept = (schedulerName?: string): PodController => ({
  ...owner(schedulerName),
  metadata: { name: 'cart', namespace: 'shop' },
});
const now = { creationTimestamp: '2025-12-31T23:59:50Z' };
const settings = complete([['ConfigMap shop/settings', { name: 'settings' }] as const]);
const facts = (pods: readonly Pod[], over: Partial<Facts> = {}): Partial<Facts> =>
  healthy({
    callouts: [parking()],
    namespaces: objects(namespace()),
    pendingPods: lists({ Pending: pods }),
    podControllers: complete([['Deployment shop/cart', owner(nobody)] as const]),
    ...over,
  });
const how = `schedulerName ${nobody}, which no scheduler serves`;
const one = { pods: '1 Pod', wait: 'waits', workload: 'Deployment shop/cart', how, undecided: '' };
const gated = { schedulerName: 'default-scheduler', schedulingGates: [{ name: 'example.com/wait' }] };
const held: Pod['status'] = {
  phase: 'Pending',
  conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }],
};

const denial: RbacDenial = {
  pod: { kind: 'Pod', namespace: 'shop', name: 'wave-1' },
  container: 'manager',
  line: 'secrets is forbidden: User "system:serviceaccount:shop:wave" cannot list resource "secrets" in API group ""',
  forbidden: { account: 'shop/wave', verb: 'list', resource: 'secrets', namespace: undefined },
};

const cart = { kind: 'Deployment', namespace: 'shop', name: 'cart' };
const plain = { ...one, how: 'schedulerName gang, which no scheduler serves' };
const nameOf = ({ ref }: AdmissionCallout): string => refText(ref);
const undecided = '; unknown which webhook';
/** A Pod with a scheduler name without a domain, and two webhooks that match it. */
const twoMay = facts([waiting({ schedulerName: 'gang' })], {
  podReferences: settings,
  callouts: [podParking, other],
  podControllers: complete([['Deployment shop/cart', { ...owner(), metadata: { name: 'cart' } }] as const]),
});
const kept = { 'wave.pusher.com/former-scheduler': 'default-scheduler' };
const elsewhere = { client: { service: { namespace: 'shop', name: 'gates', port: 443 } } };
const ofGroup = webhook({ ...elsewhere, rules: [rule('queues.example.org', 'waits')] });
const queued = { ...gated, schedulingGates: [{ name: 'queues.example.org/admission' }] };
const alone = (fields: object) => ({
  ownerReferences: [],
  managedFields: [
    { manager: 'kubectl', operation: 'Update', fieldsV1: { 'f:spec': { 'f:containers': {}, ...fields } } },
  ],
});
const ownsGate = {
  'f:schedulingGates': { '.': {}, 'k:{"name":"example.com/wait"}': { '.': {}, 'f:name': {} } },
};

describeCheck(podsParked, {
  reports: [
    {
      name: 'at once, where an annotation keeps the former scheduler',
      facts: facts([waiting({}, { metadata: now })]),
      expect: { messageId: 'inputMissing' },
    },
    {
      name: 'at once, where the template has another scheduler than a name that is none',
      facts: facts([waiting({}, { metadata: now })], {
        podControllers: complete([['Deployment shop/cart', unkept()] as const]),
      }),
      expect: { messageId: 'inputMissing' },
    },
    {
      name: 'a ConfigMap that is missing',
      facts: facts([waiting()]),
      expect: {
        messageId: 'inputMissing',
        data: { ...one, inputs: 'ConfigMap shop/settings' },
        confidence: 'observed',
      },
    },
    {
      name: 'a Secret in a volume, of two Pods, once',
      facts: facts(
        ['a', 'b'].map((name) =>
          waiting(
            { containers: [], volumes: [{ name: 'tls', secret: { secretName: 'tls' } }] },
            { metadata: { name } },
          ),
        ),
      ),
      expect: {
        messageId: 'inputMissing',
        data: { ...one, pods: '2 Pods', wait: 'wait', inputs: 'Secret shop/tls' },
      },
    },
    {
      name: 'all there, and the controller down',
      facts: facts([waiting()], { podReferences: settings, endpointSlices: lists({ 'shop/policy': [] }) }),
      expect: { messageId: 'controllerDown' },
    },
    {
      name: 'all there, and the Service of the controller gone',
      facts: facts([waiting()], { podReferences: settings, services: complete([]) }),
      expect: { messageId: 'controllerDown' },
    },
    {
      name: 'nothing missing, and a controller that lacks permissions',
      facts: facts([waiting()], { podReferences: settings, rbacDenials: lists({ 'shop/policy': [denial] }) }),
      expect: { messageId: 'lacksRights', data: { ...one, inputs: '', verb: 'list', resource: 'secrets' } },
    },
    {
      name: 'all there, and a controller whose log is forbidden',
      facts: facts([waiting()], { podReferences: settings, rbacDenials: forbidden('pods/log') }),
      expect: { messageId: 'notReleased' },
    },
    {
      name: 'a ConfigMap that is missing, whatever the controller may not do',
      facts: facts([waiting()], { rbacDenials: lists({ 'shop/policy': [denial] }) }),
      expect: { messageId: 'inputMissing' },
    },
    {
      name: 'all there, and the controller too',
      facts: facts([waiting()], { podReferences: settings }),
      expect: { messageId: 'notReleased' },
    },
    {
      name: 'a Pod that was held directly',
      facts: facts([waiting()], {
        podReferences: settings,
        callouts: [podParking],
        podControllers: complete([['Deployment shop/cart', owner()] as const]),
      }),
      expect: { messageId: 'notReleased' },
    },
    {
      name: 'a Pod of before the release',
      facts: facts([waiting()], {
        podReferences: settings,
        podControllers: complete([['Deployment shop/cart', owner()] as const]),
      }),
      expect: { messageId: 'leftOver', names: { recreated: 'deployment/cart', replaced: undefined } },
    },
    {
      name: 'a Pod of before the release, of a ReplicaSet without a Deployment',
      facts: facts([waiting({}, { metadata: { labels: { app: 'cart' } } })], {
        podReferences: settings,
        callouts: [parking({ rules: [rule('apps', 'replicasets')] })],
        podControllers: complete([
          [
            'ReplicaSet shop/cart-5d9',
            { ...owner(), kind: 'ReplicaSet', metadata: { ...owner().metadata, name: 'cart-5d9' } },
          ] as const,
        ]),
      }),
      expect: {
        messageId: 'leftOver',
        names: { place: 'shop', recreated: undefined, replaced: 'cart-5d9-x' },
      },
    },
    {
      name: 'inputs that may not be read',
      facts: facts([waiting()], { podReferences: forbidden('configmaps') }),
      expect: { messageId: 'inputUnknown' },
    },
    {
      name: 'a gate',
      facts: facts([waiting(gated, { status: held })], { podReferences: settings, callouts: [podParking] }),
      expect: { messageId: 'gated', data: { ...one, how: 'schedulingGates example.com/wait', inputs: '' } },
    },
    {
      name: 'a name of no domain, and two webhooks that may have written it: about the workload',
      facts: twoMay,
      expect: {
        messageId: 'notReleased',
        subject: cart,
        data: { ...plain, inputs: '', undecided },
        evidence: `unknown; it may be ${[podParking, other].map(nameOf).join(' or ')}`,
      },
    },
    {
      name: 'an annotation that keeps the former name: the webhook of its domain',
      facts: facts([waiting({ schedulerName: 'gang' }, { metadata: { annotations: kept } })], {
        podReferences: settings,
        callouts: [podParking, other],
        podControllers: complete([]),
      }),
      expect: { messageId: 'notReleased', subject: podParking.ref, data: { ...plain, inputs: '' } },
    },
    {
      name: 'a gate of the API group that a webhook of the same Service matches',
      facts: facts([waiting(queued, { status: held })], {
        podReferences: settings,
        endpointSlices: lists({ 'shop/gates': [] }),
        callouts: [podParking, { ...other, ...elsewhere }, ofGroup],
      }),
      expect: { messageId: 'controllerDown', subject: other.ref },
    },
    {
      name: 'a gate that no manager owns: it was added on the way',
      facts: facts([waiting(gated, { status: held, metadata: alone({}) })], {
        callouts: [podParking],
        podReferences: settings,
      }),
      expect: { messageId: 'gated', subject: podParking.ref },
    },
    {
      name: 'a template that has the name: a webhook that matches Pods alone did not do it',
      facts: facts([waiting({ schedulerName: 'gang' })], {
        podReferences: settings,
        callouts: [parking(), other],
        podControllers: complete([['Deployment shop/cart', owner('gang')] as const]),
      }),
      expect: { messageId: 'notReleased', subject: parking().ref },
    },
  ],
  reportsNothing: [
    {
      name: 'its template has the name, and webhooks match Pods alone: the writer of the template set it',
      facts: facts([waiting({ schedulerName: 'gang' })], {
        callouts: [other],
        podControllers: complete([['Deployment shop/cart', owner('gang')] as const]),
      }),
    },
    {
      name: 'the gate was in the request that created the Pod',
      facts: facts([waiting(gated, { status: held, metadata: alone(ownsGate) })], { callouts: [podParking] }),
    },
    {
      name: 'the default scheduler has not come to it',
      facts: facts([waiting({ schedulerName: 'default-scheduler' })]),
      outcome: 'pass',
    },
    {
      name: 'its scheduler has tried',
      facts: facts([
        waiting(
          {},
          {
            status: {
              phase: 'Pending',
              conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
            },
          },
        ),
      ]),
    },
    {
      name: 'its scheduler has spoken of another Pod',
      facts: facts([
        waiting(),
        waiting(
          {},
          {
            metadata: { name: 'b' },
            status: {
              phase: 'Pending',
              conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
            },
          },
        ),
      ]),
    },
    {
      name: 'it was made this moment, for a scheduler that may still take it',
      facts: facts([waiting({ schedulerName: 'batch' }, { metadata: now })], {
        podControllers: complete([['Deployment shop/cart', unkept()] as const]),
      }),
    },
    {
      name: 'it was made this moment, for the scheduler that its template names',
      facts: facts([waiting({}, { metadata: now })], {
        podControllers: complete([['Deployment shop/cart', unkept(nobody)] as const]),
      }),
    },
    {
      name: 'its template names a scheduler that does not run',
      facts: facts([waiting({ schedulerName: 'volcano' })], {
        podReferences: settings,
        podControllers: complete([['Deployment shop/cart', unkept('volcano')] as const]),
      }),
    },
    { name: 'it has a node', facts: facts([waiting({ nodeName: 'n1' })]) },
    {
      name: 'it is being deleted',
      facts: facts([waiting({}, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })]),
    },
    {
      name: 'no mutating webhook matches such Pods',
      facts: facts([waiting()], { callouts: [webhook()] }),
    },
    {
      name: 'the webhook is not asked in its namespace',
      facts: facts([waiting()], {
        callouts: [parking({ namespaceSelector: { matchLabels: { wave: 'on' } } })],
      }),
    },
    {
      name: 'the webhook matches another version only',
      facts: facts([waiting()], {
        callouts: [parking({ rules: [{ ...rule('apps', 'deployments'), apiVersions: ['v2'] }] })],
      }),
    },
    {
      name: 'the callout was not named',
      facts: facts([], { pendingPods: nothingRead({ what: 'Pods', why: 'not-requested' }) }),
      outcome: 'not-applicable',
    },
  ],
  isUnknown: [{ name: 'Pods may not be listed', facts: facts([], { pendingPods: forbidden('pods') }) }],
});
