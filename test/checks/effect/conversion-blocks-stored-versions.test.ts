import { conversionBlocksStoredVersions } from '../../../src/checks/effect/conversion-blocks-stored-versions.ts';
import { type ConversionCallout, calloutId } from '../../../src/facts/callout.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { conversion, healthy, lists, objects, type service, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { refused, tried } from '../probed.ts';

const v1 = { name: 'v1', served: true, storage: true };
const beta = { name: 'v1beta1', served: true, storage: false };
const of = (...storedVersions: readonly string[]) => conversion({ versions: [v1, beta], storedVersions });
const down = { services: objects<ReturnType<typeof service>>() };

/** Results of probes of an admission webhook, used for the conversion webhook. */
const seen = tried([refused]);
const [probes] = [...(seen.probes?.all() ?? [])];
const probed = (callout: ConversionCallout): Partial<Facts> => ({
  ...seen,
  callouts: [callout],
  ...(probes === undefined ? {} : { probes: complete([[calloutId(callout), probes]]) }),
});

describeCheck(conversionBlocksStoredVersions, {
  reports: [
    {
      name: 'the version that nothing is stored in',
      facts: healthy({ callouts: [of('v1')], ...down }),
      expect: { messageId: 'others', data: { kind: 'Widget', stored: 'v1', others: 'v1beta1' } },
    },
    {
      name: 'what only probes see: nothing listens',
      facts: probed(of('v1')),
      expect: { messageId: 'others' },
    },
    {
      name: 'endpoints that all belong to Pods which no longer exist',
      facts: healthy({ callouts: [of('v1')], pods: lists({ 'shop/policy': [] }), endpointPods: objects() }),
      expect: { messageId: 'others' },
    },
    {
      name: 'objects in two versions, which no list can hold',
      facts: healthy({ callouts: [of('v1beta1', 'v1')], ...down }),
      expect: { messageId: 'mixed', data: { kind: 'Widget', stored: 'v1beta1 and v1' } },
    },
    {
      name: 'objects in an older version that is served no more',
      facts: healthy({
        callouts: [
          conversion({ versions: [v1, { ...beta, served: false }], storedVersions: ['v1beta1', 'v1'] }),
        ],
        ...down,
      }),
      expect: { messageId: 'mixed' },
    },
  ],
  reportsNothing: [
    { name: 'conversion works', facts: healthy({ callouts: [of('v1')] }), outcome: 'pass' },
    {
      name: 'nothing is ever converted',
      facts: healthy({ callouts: [conversion({ versions: [v1], storedVersions: ['v1'] })], ...down }),
      outcome: 'pass',
    },
    {
      name: 'an admission webhook fails',
      facts: healthy({ callouts: [webhook()], ...down }),
      outcome: 'not-applicable',
    },
  ],
  isUnknown: [
    {
      name: 'the Services may not be listed',
      facts: healthy({ callouts: [of('v1')], services: forbidden('services'), endpointSlices: lists({}) }),
    },
  ],
});
