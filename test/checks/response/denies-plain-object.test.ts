import { deniesPlainObject } from '../../../src/checks/response/denies-plain-object.ts';
import type { AdmissionCallout, RuleWithOperations } from '../../../src/facts/callout.ts';
import { complete } from '../../../src/facts/lookup.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { lists, namespace, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import {
  allows,
  blind,
  denies,
  dryRun,
  http,
  json,
  quiet,
  replica,
  responding,
  type Tried,
  tried,
} from '../probed.ts';

const admissionReview = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' };
const denial = 'admission webhook "policy.example.com" denied the request: not today';

const defaults = {
  operations: ['CREATE'],
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: ['configmaps'],
  scope: '*',
} as const;
const configMaps = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  singular: 'configmap',
  namespaced: true,
  verbs: ['create', 'update'],
};

/** A dry run that is denied, while the Pods admit the object, and another webhook with this rule. */
const between = (
  over: Partial<RuleWithOperations>,
  other: Partial<AdmissionCallout> = {},
  called: readonly Tried[] = [allows],
) =>
  tried(called, {
    dryRun: dryRun(denial),
    facts: {
      callouts: [
        webhook({ rules: [defaults] }),
        webhook({
          kind: 'mutating',
          configuration: 'defaults',
          webhook: 'defaults.example.com',
          rules: [{ ...defaults, ...over }],
          ...other,
        }),
      ],
      served: complete([['served', { resources: [configMaps], stale: [] }]]),
      namespaces: complete([['shop', namespace('shop')]]),
    },
  });
const never = { matchLabels: { never: 'x' } };

describeCheck(deniesPlainObject, {
  reports: [
    {
      name: 'a denial by every replica',
      facts: tried([denies('not today'), denies('not today')]),
      expect: {
        messageId: 'review',
        confidence: 'observed',
        data: {
          replicas: 'both Pods',
          resource: 'configmaps',
          detail: 'not today',
        },
      },
    },
    {
      name: 'a denial by all that have an address, while a third Pod has none',
      facts: tried([denies('not today'), denies('not today')], {
        facts: { pods: lists({ 'shop/policy': [replica(1), replica(2), replica(3)] }) },
      }),
      expect: {
        messageId: 'review',
        data: { replicas: 'Pods policy-1 and policy-2', resource: 'configmaps', detail: 'not today' },
      },
    },
    {
      name: 'a response without allowed',
      facts: tried([responding(json({ ...admissionReview, response: { uid: 'uid', allow: true } }))]),
      expect: { messageId: 'undecided', confidence: 'observed' },
    },
    {
      name: 'a denial of the dry run',
      facts: tried([allows], { dryRun: dryRun(denial) }),
      expect: { messageId: 'dryRun', data: { resource: 'configmaps', detail: 'not today' } },
    },
    {
      name: 'a denial of the dry run, while the Pods admit the object, and a mutating webhook matches it',
      facts: between({}),
      expect: {
        messageId: 'changed',
        data: { resource: 'configmaps', detail: 'not today', others: 'defaults.example.com' },
      },
    },
    {
      name: 'the same, and a mutating webhook matches everything',
      facts: between({ operations: ['*'], apiGroups: ['*'], resources: ['*'] }),
      expect: { messageId: 'changed' },
    },
    ...(
      [
        ['matches another resource', between({ resources: ['pods'] })],
        ['matches another group', between({ apiGroups: ['acme.io'] })],
        ['matches deletions', between({ operations: ['DELETE'], resources: ['*'] })],
        ['selects other namespaces', between({}, { namespaceSelector: never })],
        ['selects other objects', between({}, { objectSelector: never })],
        ['is not a mutating one', between({}, { kind: 'validating' })],
        ['matches it, and no Pod was called', between({}, {}, [])],
      ] as const
    ).map(([name, facts]) => ({
      name: `the same, and the other webhook ${name}`,
      facts,
      expect: { messageId: 'dryRun' },
    })),
    {
      name: 'the same, and the resources of the cluster are unknown',
      facts: { ...between({}), served: forbidden('resources') },
      expect: { messageId: 'dryRun' },
    },
    ...[
      ['license expired on 2026-01-01', 'unlicensed'],
      ['no valid license found', 'unlicensed'],
      ['policy engine not initialized: no policies loaded', 'notReady'],
      ['template: inject:1: function "nope" not defined', 'template'],
      ['panic: assignment to entry in nil map [recovered]', 'panicked'],
      // A rule about a license of the object.
      ['the label license is required', 'review'],
      ['invalid license label', 'review'],
    ].map(([message = '', messageId = '']) => ({
      name: `a denial in the words ${message}`,
      facts: tried([denies(message)]),
      expect: { messageId },
    })),
    {
      name: 'a panic at a custom resource with an empty spec, which the API server would refuse',
      facts: tried([
        denies('panic: runtime error: nil pointer [recovered]', { resource: 'widgets.acme.io' }),
      ]),
      expect: { messageId: 'panickedEmpty' },
    },
    ...(
      [
        ['CREATE', 'template'],
        ['UPDATE', 'dryRun'],
      ] as const
    ).map(([operation, messageId]) => ({
      name: `an error of a template at the dry run of ${operation}: a stored object may contain one`,
      facts: tried([], {
        dryRun: {
          ...dryRun(denial.replace('not today', 'template: alert:1: function "nope" not defined')),
          operation,
        },
      }),
      expect: { messageId },
    })),
    ...(
      [
        ['CREATE', 'panickedEmpty'],
        ['UPDATE', 'panickedStored'],
      ] as const
    ).map(([operation, messageId]) => ({
      name: `a panic at the dry run of ${operation} of a custom resource`,
      facts: tried([], {
        dryRun: {
          ...dryRun(denial.replace('not today', 'panic: runtime error: nil pointer [recovered]')),
          operation,
          resource: 'widgets.acme.io',
        },
      }),
      expect: { messageId },
    })),
    {
      name: 'a denial of the dry run because of the license',
      facts: tried([allows], { dryRun: dryRun(denial.replace('not today', 'license expired')) }),
      expect: { messageId: 'unlicensed', data: { resource: 'configmaps', detail: 'license expired' } },
    },
  ],
  reportsNothing: [
    ...quiet,
    {
      name: 'one replica of two denies: they disagree',
      facts: tried([allows, denies('no')]),
      outcome: 'pass',
    },
    { name: 'it fails', facts: tried([http(500)]), outcome: 'pass' },
    {
      name: 'another webhook denies the dry run',
      facts: tried([allows], { dryRun: dryRun('admission webhook "x" denied the request: no') }),
    },
  ],
  isUnknown: blind,
});
