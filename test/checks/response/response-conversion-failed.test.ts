import { responseConversionFailed } from '../../../src/checks/response/response-conversion-failed.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { conversion } from '../../support/snapshot.ts';
import {
  allows,
  blind,
  dryRun,
  json,
  quiet,
  replica,
  responding,
  sampled,
  tried,
  unready,
} from '../probed.ts';

const object = {
  apiVersion: 'example.com/v1beta1',
  kind: 'Widget',
  metadata: { name: 'one', namespace: 'shop', uid: 'u' },
};
const converts = (response: object) =>
  responding(
    json({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'ConversionReview',
      response: { uid: 'uid', ...response },
    }),
    { operation: 'CONVERT', resource: 'widgets', object },
  );
const right = { ...object, apiVersion: 'example.com/v1' };
const withoutUid = { ...right, metadata: { name: 'one', namespace: 'shop' } };
const converted = converts({ result: { status: 'Success' }, convertedObjects: [right] });
/** The response of the conversion webhook of kubernetes-csi/external-snapshotter 8.6 for a version of its CRD. */
const unsupported = converts({
  result: {
    status: 'Failure',
    message: 'unexpected conversion version from "example.com/v1beta1" to "example.com/v1"',
  },
});
const facts = (...replicas: Parameters<typeof tried>[0]) =>
  tried(replicas, { facts: { callouts: [conversion()] } });
const data = {
  replicas: 'Pod policy-1',
  bad: 1,
  total: 1,
  port: 8443,
  path: '/convert',
  detail: 'unexpected conversion version from "example.com/v1beta1" to "example.com/v1"',
};

/** Pods that convert the test object, and give such a response to a conversion to v1alpha2. */
const toFurther = (response: object, desired = 'example.com/v1alpha2') => {
  const result = responding(
    json({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'ConversionReview',
      response: { uid: 'uid', ...response },
    }),
    { operation: 'CONVERT', resource: 'widgets', desired },
  );
  return sampled(facts(converted), [result], {
    object: { kind: 'Widget', name: 'kubectl-webhook-probe' },
    by: 'made-up',
    operation: 'CONVERT',
    desired: 'v1alpha2',
  });
};
const failure = (message: string) => ({ result: { status: 'Failure', message } });

describeCheck(responseConversionFailed, {
  reports: [
    {
      name: 'a version that the program does not support',
      facts: facts(unsupported),
      expect: { messageId: 'all', confidence: 'observed', data },
    },
    {
      name: 'an object that comes back in the version in which it was sent',
      facts: facts(converts({ result: { status: 'Success' }, convertedObjects: [object] })),
      expect: { messageId: 'all' },
    },
    {
      name: 'a stored object that the API server had converted, while the test object is converted',
      facts: {
        ...tried([converted], {
          dryRun: dryRun(
            'conversion webhook for example.com/v1, Kind=Widget failed: failed to convert object: customresourcedefinitions.apiextensions.k8s.io "parts.example.com" not found',
          ),
          facts: { callouts: [conversion()] },
        }),
      },
      expect: {
        messageId: 'stored',
        confidence: 'observed',
        data: { kind: 'Widget' },
        names: { stored: 'widgets.v1.example.com' },
      },
    },
    {
      name: 'one stored object of several that it does not convert',
      facts: tried([converted], {
        dryRun: {
          ...dryRun('conversion webhook for example.com/v1, Kind=Widget failed: spec.size: unknown unit'),
          object: { namespace: 'shop', name: 'seventh' },
        },
        facts: { callouts: [conversion()] },
      }),
      expect: {
        messageId: 'one-stored',
        confidence: 'observed',
        data: { object: 'Widget shop/seventh' },
        names: { stored: 'widgets.v1.example.com', place: 'shop', object: 'seventh' },
      },
    },
    {
      name: 'a further version that the program does not know, while it converts another one',
      facts: toFurther(failure('Unsupported conversion from version example.com/v1 to example.com/v1alpha2')),
      expect: {
        messageId: 'versions',
        confidence: 'observed',
        data: {
          replicas: 'Pod policy-1',
          versions: 'v1alpha2',
          detail: 'Unsupported conversion from version example.com/v1 to example.com/v1alpha2',
        },
      },
    },
    {
      name: 'a further version in which the program does not return the object',
      facts: toFurther({ result: { status: 'Success' }, convertedObjects: [right] }),
      expect: { messageId: 'versions' },
    },
    {
      name: 'fewer objects than requested',
      facts: facts(converts({ result: { status: 'Success' }, convertedObjects: [] })),
      expect: { messageId: 'altered' },
    },
    {
      name: 'an object without its uid',
      facts: facts(converts({ result: { status: 'Success' }, convertedObjects: [withoutUid] })),
      expect: { messageId: 'altered' },
    },
    ...[
      'spec.foo: invalid metadata annotation example.com/saved-spec: unexpected end of JSON input',
      'spec.backends: all ports must have the same name',
      'lookup returned 2 objects, expected one',
    ].map((message) => ({
      name: `an error of the webhook itself that resembles one of the API server (${message})`,
      facts: facts(converts({ result: { status: 'Failure', message } })),
      expect: { messageId: 'all' as const },
    })),
    {
      name: 'a failure without a message',
      facts: facts(converts({ result: { status: 'Failure' } })),
      expect: { messageId: 'silent' },
    },
    { name: 'one replica of two', facts: facts(converted, unsupported), expect: { messageId: 'some' } },
    {
      name: 'a replica that gets no calls yet, as no other does',
      facts: tried([unsupported], {
        pods: [replica(1, unready)],
        facts: { callouts: [conversion()] },
      }),
      expect: { messageId: 'behind' },
    },
  ],
  reportsNothing: [
    { name: 'it converts', facts: facts(converted), outcome: 'pass' },
    {
      name: 'it converts to further versions',
      facts: toFurther({
        result: { status: 'Success' },
        convertedObjects: [{ ...right, apiVersion: 'example.com/v1alpha2' }],
      }),
      outcome: 'pass',
    },
    {
      name: 'a further version needs fields that the test object does not have',
      facts: toFurther(failure('spec.size: unknown unit')),
      outcome: 'pass',
    },
    { name: 'an admission webhook responds', facts: tried([allows]), outcome: 'pass' },
    {
      name: 'the body is not a review',
      facts: facts(responding(json({}), { operation: 'CONVERT', resource: 'widgets', object })),
      outcome: 'pass',
    },
    ...quiet,
  ],
  isUnknown: blind,
});
