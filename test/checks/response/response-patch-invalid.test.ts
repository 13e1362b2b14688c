import { responsePatchInvalid } from '../../../src/checks/response/response-patch-invalid.ts';
import type { Callout } from '../../../src/facts/callout.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { CalloutProbes } from '../../../src/facts/probes.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { brief } from '../../../src/phrases/brief.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { webhook } from '../../support/snapshot.ts';
import { allows, blind, dryRun, patches, quiet, replica, sampled, type Tried, tried } from '../probed.ts';

const bad = patches([{ op: 'remove', path: '/metadata/labels/none' }]);
const noPatch = patches({ op: 'remove' });
const labels = patches([{ op: 'add', path: '/metadata/labels', value: { a: '-no-' } }]);
const emptied = patches([{ op: 'replace', path: '', value: {} }]);
const nameless = 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required';
/** A patch of a ConfigMap with this metadata. */
const patching = (metadata: object, patch: object): Tried => {
  const { dialogues = [], ...reached } = patches(patch);
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'probe', ...metadata } };
  return {
    ...reached,
    dialogues: dialogues.map((one) => ({
      ...one,
      reviews: one.reviews.map((review) => ({ ...review, object })),
    })),
  };
};
/** Appends to a list, whatever it contains. */
const appends = patching({ finalizers: [] }, [{ op: 'add', path: '/metadata/finalizers/-', value: 'a/b' }]);
const moves = patching({ namespace: 'shop' }, [
  { op: 'replace', path: '/metadata/namespace', value: 'other' },
]);
const duplicate = 'ConfigMap "probe" is invalid: metadata.finalizers[1]: Duplicate value: "a/b"';
const other = patches([
  { op: 'replace', path: '', value: { metadata: { name: 'other', labels: { a: '-no-' } } } },
]);
const otherRefused = 'ConfigMap "other" is invalid: metadata.labels: Invalid value: "-no-"';
const refused =
  'ConfigMap "probe" is invalid: metadata.labels: Invalid value: "-no-": a valid label must start with a letter';

/** A mutating webhook, the responses of its replicas, and the result of a dry run of a ConfigMap. */
const mutating = (
  replicas: readonly Tried[],
  message?: string,
  resource = 'configmaps',
  callouts: readonly Callout[] = [webhook({ kind: 'mutating', reinvocationPolicy: 'Never' })],
): Partial<Facts> => {
  const facts = tried(replicas, { facts: { callouts } });
  const [probes] = [...(facts.probes?.all() ?? [])];
  const invalid = message === undefined ? {} : { invalid: { ...dryRun(message), status: 422, resource } };
  return {
    ...facts,
    probes: complete([['mutating/policy/policy.example.com', { ...(probes as CalloutProbes), ...invalid }]]),
  };
};

const never = webhook({ kind: 'mutating', reinvocationPolicy: 'Never' });
const reinvoked = webhook({ kind: 'mutating', reinvocationPolicy: 'IfNeeded' });

const unapplied =
  'add operation does not apply: doc is missing path: "/metadata/labels/injected": missing value';
/** A webhook of that kind whose Pods could not be called, and the error of a dry run. */
const unseen = (kind: 'mutating' | 'validating'): Partial<Facts> =>
  tried([], {
    dryRun: dryRun(`Internal error occurred: ${unapplied}`),
    facts: { callouts: [webhook({ kind, reinvocationPolicy: 'Never' })] },
  });

/** The responses of both replicas to an UPDATE of a Pod with one container. */
const updating = (
  patch: object,
  { resource = 'pods', operation = 'UPDATE' as 'UPDATE' | 'CREATE' } = {},
): Partial<Facts> => {
  const { dialogues = [], ...reached } = patches(patch);
  const object = { kind: 'Pod', metadata: { name: 'probe' }, spec: { containers: [{ name: 'web' }] } };
  const ofPod: Tried = {
    ...reached,
    dialogues: dialogues.map((one) => ({
      ...one,
      reviews: one.reviews.map((review) => ({ ...review, object, resource, operation })),
    })),
  };
  const about = {
    object: { kind: 'Pod', namespace: 'shop', name: 'probe' },
    by: 'made-up',
    operation,
  } as const;
  return sampled(mutating([allows, allows]), [ofPod, ofPod], about);
};
/** The response to an UPDATE of an object that is being deleted, and the error of the API server's dry run of it. */
const deleting = (reply: Tried, message: string, kind = 'ConfigMap'): Partial<Facts> =>
  sampled(mutating([allows]), [reply], {
    object: { kind, namespace: 'shop', name: 'cart' },
    operation: 'UPDATE',
    finalizers: ['example.com/cart'],
    dryRun: { ...dryRun(message), status: 422 },
  });
const rewrites = patching({ labels: { zone: 'a' } }, [
  { op: 'replace', path: '/metadata/labels/zone', value: 'b' },
]);
const immutable =
  'ConfigMap "probe" is invalid: metadata.labels.zone: Invalid value: "b": field is immutable';
const disagreeing =
  'pods "probe" is forbidden: the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod spec; priority admission controller computed Never from the given PriorityClass name';
const classOf = (operations: object): Tried => {
  const { dialogues = [], ...reached } = patches(operations);
  const object = { kind: 'Pod', metadata: { name: 'probe' }, spec: { containers: [] } };
  return {
    ...reached,
    dialogues: dialogues.map((one) => ({
      ...one,
      reviews: one.reviews.map((review) => ({ ...review, object, resource: 'pods' })),
    })),
  };
};
const ofClass = classOf([
  { op: 'add', path: '/spec/priorityClassName', value: 'batch' },
  { op: 'add', path: '/spec/priority', value: 5000 },
]);
const adds = [{ op: 'add', path: '/spec/containers/-', value: { name: 'proxy' } }];
const addsVolume = [{ op: 'add', path: '/spec/volumes', value: [{ name: 'logs' }] }];

describeCheck(responsePatchInvalid, {
  reports: [
    {
      name: 'one that adds a container and a volume to a Pod that is updated',
      facts: updating([...adds, ...addsVolume]),
      expect: {
        messageId: 'onUpdate',
        confidence: 'observed',
        data: { replicas: 'Pods policy-1 and policy-2', fields: 'containers and volumes' },
      },
    },
    {
      name: 'one that changes a fixed field of an object that is being deleted',
      facts: deleting(rewrites, immutable),
      expect: {
        messageId: 'onDeletion',
        severity: 'warning',
        confidence: 'observed',
        data: {
          replicas: 'Pod policy-1',
          object: 'ConfigMap shop/cart',
          finalizers: 'example.com/cart',
          detail: immutable,
        },
      },
    },
    {
      name: 'one that changes a fixed field of a Pod that is being deleted',
      facts: deleting(rewrites, immutable, 'Pod'),
      expect: {
        messageId: 'podInDeletion',
        severity: 'warning',
        data: {
          replicas: 'Pod policy-1',
          object: 'Pod shop/cart',
          finalizers: 'example.com/cart',
          detail: immutable,
        },
      },
    },
    {
      name: 'one that sets a PriorityClass, which does not agree with the policy of preemption',
      facts: mutating([ofClass], disagreeing, 'pods'),
      expect: {
        messageId: 'spoils',
        data: {
          replicas: 'Pod policy-1',
          resource: 'pods',
          fields: 'spec.priorityClassName and spec.priority',
          detail: brief(disagreeing),
        },
      },
    },
    {
      name: 'one that only the API server saw',
      facts: unseen('mutating'),
      expect: {
        messageId: 'dryRun',
        confidence: 'observed',
        data: { resource: 'configmaps', detail: unapplied },
      },
    },
    {
      name: 'one that does not decode, of every replica',
      facts: mutating([noPatch, noPatch]),
      expect: { messageId: 'all', confidence: 'observed' },
    },
    {
      name: 'one that does not decode, of one replica of two',
      facts: mutating([allows, noPatch]),
      expect: { messageId: 'some', confidence: 'observed' },
    },
    {
      name: 'one that writes a number where a string must be',
      facts: mutating([patches([{ op: 'add', path: '/data', value: { replicas: 3 } }])]),
      expect: { messageId: 'mistyped' },
    },
    {
      name: 'one that changes the namespace',
      facts: mutating([moves]),
      expect: { messageId: 'moves' },
    },
    {
      name: 'one that cannot be applied, of every replica',
      facts: mutating([bad, bad]),
      expect: { messageId: 'stops', confidence: 'observed' },
    },
    {
      name: 'one that cannot be applied, of one replica of two',
      facts: mutating([allows, bad]),
      expect: { messageId: 'stopsSome', confidence: 'observed' },
    },
    {
      name: 'a patch of a validating webhook',
      facts: tried([patches([{ op: 'add', path: '/metadata/labels', value: {} }])]),
      expect: { messageId: 'validating' },
    },
    {
      name: 'a patch after which the API server finds the object invalid',
      facts: mutating([labels], refused),
      expect: {
        messageId: 'spoils',
        data: {
          replicas: 'Pod policy-1',
          resource: 'configmaps',
          fields: 'metadata.labels',
          detail: refused,
        },
        confidence: 'observed',
      },
    },
    {
      name: 'the one of two replicas that spoils it',
      facts: mutating([allows, labels], refused),
      expect: { messageId: 'spoils' },
    },
    {
      name: 'a patch that is applied twice, and then leaves two items of one name',
      facts: mutating([appends], duplicate, 'configmaps', [reinvoked]),
      expect: {
        messageId: 'twice',
        data: {
          replicas: 'Pod policy-1',
          resource: 'configmaps',
          fields: 'metadata.finalizers[1]',
          detail: duplicate,
        },
      },
    },
    {
      name: 'a patch that is applied twice, as a second configuration calls the same program',
      facts: mutating([appends], duplicate, 'configmaps', [
        never,
        { ...never, configuration: 'other', ref: { ...never.ref, name: 'other' } },
      ]),
      expect: { messageId: 'twice' },
    },
    {
      name: 'a patch that puts an empty object in the place of every one',
      facts: mutating([emptied, emptied], nameless),
      expect: {
        messageId: 'replaces',
        confidence: 'observed',
      },
    },
    {
      name: 'a patch that puts another object in the place of every one',
      facts: mutating([other], otherRefused),
      expect: { messageId: 'replaces', confidence: 'observed' },
    },
    {
      name: 'the one of two replicas that does so',
      facts: mutating([allows, emptied], nameless),
      expect: { messageId: 'stopsSome' },
    },
  ],
  reportsNothing: [
    ...quiet,
    {
      name: 'the replica gets no calls',
      facts: tried([allows, bad], {
        pods: [replica(1), replica(2, { status: { conditions: [{ type: 'Ready', status: 'False' }] } })],
      }),
      outcome: 'pass',
    },
    { name: 'a validating webhook, beside the one with the patch', facts: unseen('validating') },
    {
      name: 'an object that is being deleted is changed, and the API server admits that',
      facts: deleting(rewrites, ''),
      outcome: 'pass',
    },
    {
      name: 'an object that is being deleted is invalid in another field than those of the patch',
      facts: deleting(rewrites, 'ConfigMap "probe" is invalid: data: Required value'),
      outcome: 'pass',
    },
    {
      name: 'the user may not update the object that is being deleted',
      facts: deleting(
        rewrites,
        'configmaps "cart" is forbidden: User "a" cannot patch resource "configmaps"',
      ),
      outcome: 'pass',
    },
    {
      name: 'the PriorityClass of a Pod is set by another webhook',
      facts: mutating([classOf([{ op: 'add', path: '/metadata/labels', value: {} }])], disagreeing, 'pods'),
      outcome: 'pass',
    },
    { name: 'a container is added to a Pod that is created', facts: updating(adds, { operation: 'CREATE' }) },
    { name: 'a container is added in its status alone', facts: updating(adds, { resource: 'pods/status' }) },
    {
      name: 'only a label, an annotation or an image is changed in an UPDATE',
      facts: updating([
        { op: 'add', path: '/metadata/labels', value: { a: 'b' } },
        { op: 'add', path: '/spec/containers/0/image', value: 'mirror/web' },
      ]),
    },
    { name: 'an UPDATE is left as it is', facts: updating([]) },
    { name: 'the other object is valid', facts: mutating([other]) },
    {
      name: 'an item is invalid that it adds neither once nor twice',
      facts: mutating(
        [appends],
        'ConfigMap "probe" is invalid: metadata.finalizers[2]: Duplicate value: "a/b"',
      ),
    },
    { name: 'it is called once', facts: mutating([appends], duplicate) },
    {
      name: 'another webhook adds an invalid item where a second patch would have added one',
      facts: mutating(
        [appends],
        'ConfigMap "probe" is invalid: metadata.finalizers[1]: Invalid value: "Bad_Name": a domain',
        'configmaps',
        [reinvoked],
      ),
    },
    { name: 'the object is valid', facts: mutating([labels]) },
    { name: 'it changes nothing', facts: mutating([allows], refused) },
    {
      name: 'another field is invalid, which it leaves alone',
      facts: mutating([labels], 'ConfigMap "probe" is invalid: data: Required value'),
    },
    { name: 'another kind of object was refused', facts: mutating([labels], refused, 'secrets') },
    {
      name: 'a policy refuses the object',
      facts: mutating([labels], 'ValidatingAdmissionPolicy "p" denied request: no'),
    },
  ],
  isUnknown: blind,
});
