import { deniesPlainObject } from '../../../src/checks/response/denies-plain-object.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { lists, webhook } from '../../support/snapshot.ts';
import { allows, blind, denies, dryRun, http, json, quiet, replica, responding, tried } from '../probed.ts';

const admissionReview = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' };
const denial = 'admission webhook "policy.example.com" denied the request: not today';

const mutating = (resource: string) =>
  webhook({
    kind: 'mutating',
    configuration: 'defaults',
    webhook: 'defaults.example.com',
    rules: [
      { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: [resource], scope: '*' },
    ],
  });

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
      facts: tried([allows], {
        dryRun: dryRun(denial),
        facts: { callouts: [webhook(), mutating('configmaps')] },
      }),
      expect: { messageId: 'changed', data: { resource: 'configmaps', detail: 'not today' } },
    },
    {
      name: 'the same, and the mutating webhook matches something else',
      facts: tried([allows], { dryRun: dryRun(denial), facts: { callouts: [webhook(), mutating('pods')] } }),
      expect: { messageId: 'dryRun' },
    },
    {
      name: 'the same, and no Pod was called',
      facts: tried([], { dryRun: dryRun(denial), facts: { callouts: [webhook(), mutating('*')] } }),
      expect: { messageId: 'dryRun' },
    },
    ...[
      ['license expired on 2026-01-01', 'unlicensed'],
      ['no valid license found', 'unlicensed'],
      ['policy engine not initialized: no policies loaded', 'notReady'],
      // A rule about a license of the object.
      ['the label license is required', 'review'],
      ['invalid license label', 'review'],
    ].map(([message = '', messageId = '']) => ({
      name: `a denial in the words ${message}`,
      facts: tried([denies(message)]),
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
