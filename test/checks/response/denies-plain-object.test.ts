import { deniesPlainObject } from '../../../src/checks/response/denies-plain-object.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { allows, blind, denies, dryRun, http, quiet, tried } from '../probed.ts';

const denial = 'admission webhook "policy.example.com" denied the request: not today';

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
      name: 'a denial of the dry run',
      facts: tried([allows], { dryRun: dryRun(denial) }),
      expect: { messageId: 'dryRun', data: { resource: 'configmaps', detail: 'not today' } },
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
