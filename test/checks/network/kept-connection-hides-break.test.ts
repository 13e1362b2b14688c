import { keptConnectionHidesBreak } from '../../../src/checks/network/kept-connection-hides-break.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { conversion, lists, webhook } from '../../support/snapshot.ts';
import { allows, blind, dryRun, http, json, quiet, refused, responding, tried } from '../probed.ts';

const widget = { apiVersion: 'example.com/v1beta1', kind: 'Widget', metadata: { name: 'one' } };
const converts = (response: object) =>
  responding(
    json({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'ConversionReview',
      response: { uid: 'uid', ...response },
    }),
    { operation: 'CONVERT', resource: 'widgets', object: widget },
  );
const converted = converts({
  result: { status: 'Success' },
  convertedObjects: [{ ...widget, apiVersion: 'example.com/v1' }],
});
const unconverted = converts({ result: { status: 'Failure', message: 'cannot convert' } });
/** Replicas of a conversion webhook, while a read of a stored object in another version passes. */
const reads = (replicas: Parameters<typeof tried>[0], over: Parameters<typeof conversion>[0] = {}) =>
  tried(replicas, { dryRun: dryRun(), facts: { callouts: [conversion(over)] } });

describeCheck(keptConnectionHidesBreak, {
  reports: [
    {
      name: 'a dry run that passes while no replica responds',
      facts: tried([refused], { dryRun: dryRun() }),
      expect: { messageId: 'all', confidence: 'observed' },
    },
    {
      name: 'a dry run that passes while one replica of two answers',
      facts: tried([allows, refused], { dryRun: dryRun() }),
      expect: { messageId: 'some' },
    },
    {
      name: 'a dry run that passes while the only endpoint is of a Pod that no longer exists',
      facts: tried([{}], { dryRun: dryRun(), facts: { pods: lists({}) } }),
      expect: { messageId: 'all' },
    },
    {
      name: 'a read that passes while one replica of two returns 500 for every review',
      facts: reads([converted, http(500, 'cannot convert')]),
      expect: { messageId: 'some' },
    },
    {
      name: 'a read that passes while one replica of two converts',
      facts: reads([converted, unconverted]),
      expect: { messageId: 'some' },
    },
    {
      name: 'a read that passes, of an older connection, while every new Pod returns 500',
      facts: reads([http(500, 'cannot convert')]),
      expect: { messageId: 'all' },
    },
    {
      name: 'a read that passes, of a resource whose objects were all stored in the storage version',
      facts: reads([http(500, 'cannot convert')], { storedVersions: ['v1'] }),
      expect: { messageId: 'all' },
    },
  ],
  reportsNothing: [
    ...quiet,
    { name: 'all is well', facts: tried([allows], { dryRun: dryRun() }), outcome: 'pass' },
    {
      name: 'the replicas could not be probed, and it passes',
      facts: tried([{}], { dryRun: dryRun() }),
      outcome: 'pass',
    },
    {
      name: 'only conversions in the other direction fail',
      facts: reads([unconverted, unconverted]),
      outcome: 'pass',
    },
    {
      name: 'a read of an object that may be stored in the version of the read needs no call',
      facts: reads([unconverted], { storedVersions: ['v1beta1', 'v1'] }),
      outcome: 'pass',
    },
    { name: 'there was no dry run', facts: tried([refused]), outcome: 'pass' },
    {
      name: 'failurePolicy Ignore lets a dry run pass',
      facts: tried([refused], {
        dryRun: dryRun(),
        facts: { callouts: [webhook({ failurePolicy: 'Ignore' })] },
      }),
      outcome: 'pass',
    },
  ],
  isUnknown: blind,
});
