import { conversionDeadlock } from '../../../src/checks/scope/conversion-deadlock.ts';
import type { AdmissionCallout, ConversionCallout } from '../../../src/facts/callout.ts';
import { complete } from '../../../src/facts/lookup.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { conversion, webhook } from '../../support/snapshot.ts';
import { ago, beside, only, status, unready } from '../replica/replicas.ts';

const end = { exitCode: 1, reason: 'Error', startedAt: ago(62), finishedAt: ago(61) };
const crashing = unready({
  status: {
    phase: 'Running',
    containerStatuses: [
      status({
        restartCount: 4,
        state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 20s' } },
        lastState: { terminated: end },
      }),
    ],
  },
});
const waiting = unready({
  status: {
    phase: 'Running',
    containerStatuses: [status({ ready: false, state: { running: { startedAt: ago(600) } } })],
  },
});
const failed = (kind: string) =>
  `conversion webhook for example.com/v1, Kind=${kind} failed: Post "https://policy.shop.svc:443/convert?timeout=30s": dial tcp 203.0.113.10:443: connect: connection refused`;
const given = (line: string, callout: AdmissionCallout | ConversionCallout = conversion()) => ({
  callouts: [callout],
  logs: complete([['shop/policy-1/webhook', `starting\nE reflector.go:200 failed to list: ${line}\nbye\n`]]),
});
const logging = (...line: Parameters<typeof given>) => only([crashing], given(...line));

describeCheck(conversionDeadlock, {
  reports: [
    {
      name: 'a program that crashes because its own resource cannot be converted',
      facts: logging(failed('Widget')),
      expect: {
        messageId: 'waits',
        confidence: 'observed',
      },
    },
    {
      name: 'a program that waits for its own resource and never becomes ready',
      facts: only([waiting], given(failed('Widget'))),
      expect: { messageId: 'notReady', confidence: 'observed' },
    },
    {
      name: 'a program whose cache of its own resource is never filled',
      facts: logging('failed to wait for widget caches to sync: timed out waiting for cache to be synced'),
      expect: { messageId: 'waits', confidence: 'derived' },
    },
  ],
  reportsNothing: [
    {
      name: 'its cache of another resource is never filled',
      facts: logging('failed to wait for gadget caches to sync: timed out waiting for cache to be synced'),
      outcome: 'pass',
    },
    {
      name: 'it may not list its own resource',
      facts: logging('widgets.example.com is forbidden: failed to wait for widget caches to sync'),
      outcome: 'pass',
    },
    { name: 'it crashes for another reason', facts: logging('no such file'), outcome: 'pass' },
    { name: 'it waits for another program', facts: logging(failed('Gadget')), outcome: 'pass' },
    {
      name: 'another Pod serves: the line is from before',
      facts: beside([crashing], given(failed('Widget'))),
      outcome: 'pass',
    },
    {
      name: 'the webhook converts nothing',
      facts: logging(failed('Widget'), webhook()),
      outcome: 'not-applicable',
    },
  ],
});
