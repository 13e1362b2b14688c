import { expect } from 'chai';
import type { RequestTrace, TraceStepReport } from '../../../src/diagnose/report.ts';
import { renderTrace } from '../../../src/render/trace/render-trace.ts';

const look = { width: 80, colour: false, unicode: true };
const step = (over: Partial<TraceStepReport>): TraceStepReport => ({
  phase: 'mutating',
  round: 0,
  index: 0,
  configuration: 'injector',
  webhook: 'inject.example.com',
  matched: true,
  why: '`rules[0]` matches CREATE of pods',
  called: true,
  outcome: 'unchanged',
  ...over,
});
const report = (over: Partial<RequestTrace>): RequestTrace => ({
  apiVersion: 'kubectl-webhook/v1',
  kind: 'RequestTrace',
  takenAt: '2026-01-01T00:00:00Z',
  cluster: { server: 'https://example.com' },
  request: {
    operation: 'CREATE',
    group: '',
    version: 'v1',
    resource: 'pods',
    namespace: 'shop',
    name: 'cart',
  },
  steps: [],
  budget: { seconds: 34, spent: 0.1 },
  result: 'admitted',
  messages: [],
  notLookedAt: [],
  ...over,
});

describe('a trace for people', () => {
  it('shows rounds, patches as a diff, ignored failures, and the result', () => {
    const patch = [
      { op: 'add', path: '/spec/a', value: { b: 1 } },
      { op: 'remove', path: '/spec/c' },
    ];
    const text = renderTrace(
      report({
        user: { username: 'jane', groups: [] },
        steps: [
          step({ outcome: 'patched', patch, latencyMs: 3.2 }),
          step({ index: 1, outcome: 'failed', effect: 'fails-open', message: 'down' }),
          step({ round: 1 }),
          step({
            phase: 'validating',
            configuration: 'policy',
            outcome: 'denied',
            effect: 'blocks',
            message: 'no',
          }),
        ],
        result: 'denied',
        messages: ['no'],
        diff: '--- sent\n+++ admitted\n@@ -1 +1 @@\n-c: 1\n+a: 2\n',
        dryRun: { result: 'refused', message: 'no', agrees: true },
      }),
      look,
    );
    expect(text.split('\n')).to.deep.equal([
      'CREATE pods shop/cart · as jane',
      '',
      'Mutating webhooks, one after the other',
      '  ✔ injector · inject.example.com  patched  3 ms',
      '      `rules[0]` matches CREATE of pods',
      '      + /spec/a: {"b":1}',
      '      - /spec/c',
      '  ▲ injector · inject.example.com  failed, ignored (failurePolicy: Ignore)',
      '      `rules[0]` matches CREATE of pods',
      '      down',
      '',
      'Mutating webhooks, second round',
      '  ✔ injector · inject.example.com  not changed',
      '      `rules[0]` matches CREATE of pods',
      '',
      'Validating webhooks, at the same time',
      '  ✖ policy · inject.example.com  denied',
      '      `rules[0]` matches CREATE of pods',
      '',
      'Changes',
      '--- sent',
      '+++ admitted',
      '@@ -1 +1 @@',
      '-c: 1',
      '+a: 2',
      '',
      '✖ denied',
      '  Response  no',
      '  Time      0.1 s of 34 s in webhooks',
      '  Dry run   agrees: refused',
      '',
    ]);
  });

  it('shows both texts if the dry run differs, and the webhook that sets a field', () => {
    const setBy = { configuration: 'injector', webhook: 'inject.example.com', round: 0 } as const;
    const text = renderTrace(
      report({
        field: { path: 'spec.schedulerName', value: 'parked', setBy, stored: 'x' },
        dryRun: { result: 'refused', message: 'exceeded quota', agrees: false },
      }),
      look,
    );
    expect(text).to.include('differs from this trace: refused: exceeded quota');
    expect(text).to.include('set to "parked" by injector/inject.example.com');
  });

  it('shows why no webhook is listed', () => {
    const text = (over: Partial<RequestTrace>) => renderTrace(report(over), look);
    expect(text({})).to.include('No webhook has rules for this resource.');
    expect(text({ result: 'failed' })).to.include(
      'The API server refuses the request before it calls webhooks.',
    );
    const unlisted = text({ result: 'unknown', field: { path: 'spec.a', unlisted: true } });
    expect(unlisted).to.include('Not every webhook could be listed');
    expect(unlisted).to.include('spec.a: unknown (mutating webhooks could not be listed)');
  });

  it('prints no control character of the cluster', () => {
    const hostile = '\u001b[31mred\u202e';
    const text = renderTrace(
      report({
        messages: [hostile],
        steps: [
          step({ why: hostile, webhook: hostile, patch: [{ op: 'add', path: hostile, value: hostile }] }),
        ],
      }),
      look,
    );
    expect(text).to.not.match(/[\u001b\u202e]/);
  });
});
