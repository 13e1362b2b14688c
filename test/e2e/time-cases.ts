import type { RequestLimits } from '../../src/apiserver/budget/budget.ts';
import type { BackendBehaviour } from '../../src/apiserver/budget/timeline.ts';

/** The behavior of a webhook. `changes` adds a label named after the webhook and the round. */
export type Does =
  | 'hangs'
  | { readonly after: number; readonly says: 'allows' | 'changes' | 'denies' | 'breaks' };

/** One webhook of a case. */
export interface Hook {
  readonly kind: 'mutating' | 'validating';
  /** Last part of its configuration's name. */
  readonly configuration: string;
  readonly name: string;
  readonly timeoutSeconds: number;
  readonly failurePolicy: 'Fail' | 'Ignore';
  readonly reinvocationPolicy?: 'IfNeeded';
  /** In the first round, and in the second if it differs. */
  readonly does: readonly [Does, Does?];
}

/** A request through slow webhooks. */
export interface TimeCase {
  readonly name: string;
  readonly hooks: readonly Hook[];
  readonly request?: 'CREATE' | 'UPDATE' | 'DELETE' | 'DELETE all';
  /** `?timeout=`, in seconds. */
  readonly timeout?: number;
}

export const limitsOf = ({ request, timeout }: TimeCase): RequestLimits => ({
  ...(timeout === undefined ? {} : { clientTimeout: timeout }),
  ...(request === 'DELETE all' ? { request: 'collection' } : {}),
});

/** The model's input for a backend. */
export function behaviourOf(hook: Hook, webhook: string, round: 0 | 1): BackendBehaviour {
  const does = (round === 1 ? hook.does[1] : undefined) ?? hook.does[0];
  if (does === 'hangs') return 'hangs';
  const { after, says } = does;
  switch (says) {
    case 'denies': {
      const message = `admission webhook "${webhook}" denied the request: no`;
      return { afterSeconds: after, end: { outcome: 'denied', code: 400, reason: '', message } };
    }
    case 'breaks': {
      const why = 'failed to call webhook: the server is currently unable to handle the request';
      const text = `failed calling webhook "${webhook}": ${why}`;
      return { afterSeconds: after, end: { outcome: 'call-failure', text, code: 503 } };
    }
    default:
      return { afterSeconds: after, end: { outcome: 'allowed', changed: says === 'changes' } };
  }
}

const hook =
  (kind: Hook['kind'], failurePolicy: Hook['failurePolicy']) =>
  (configuration: string, timeoutSeconds: number, ...does: Hook['does']): Hook => ({
    kind,
    configuration,
    name: configuration,
    timeoutSeconds,
    failurePolicy,
    does,
  });
const must = hook('mutating', 'Fail');
const may = hook('mutating', 'Ignore');
const mustCheck = hook('validating', 'Fail');
const mayCheck = hook('validating', 'Ignore');
const again = (one: Hook): Hook => ({ ...one, reinvocationPolicy: 'IfNeeded' });
const inConfiguration = (configuration: string, one: Hook): Hook => ({ ...one, configuration });

const hangs = 'hangs';
const allows = { after: 0, says: 'allows' } as const;
const changes = { after: 0, says: 'changes' } as const;
const denies = { after: 0, says: 'denies' } as const;
const breaks = { after: 0, says: 'breaks' } as const;
const after = (seconds: number, says: 'allows' | 'changes' | 'denies' | 'breaks' = 'allows') => ({
  after: seconds,
  says,
});

/** Some take long, but all run at the same time. */
export const timeCases: readonly TimeCase[] = [
  { name: 'a mutating webhook hangs, Ignore', hooks: [may('a', 1, hangs)] },
  { name: 'a mutating webhook hangs, Fail', hooks: [must('a', 1, hangs)] },
  { name: 'a validating webhook hangs, Ignore', hooks: [mayCheck('a', 2, hangs)] },
  { name: 'a validating webhook hangs, Fail', hooks: [mustCheck('a', 2, hangs)] },
  {
    name: 'three mutating ones hang, Ignore',
    hooks: [may('a', 1, hangs), may('b', 1, hangs), may('c', 2, hangs)],
  },
  {
    name: 'three validating ones hang, Ignore',
    hooks: [mayCheck('a', 1, hangs), mayCheck('b', 3, hangs), mayCheck('c', 2, hangs)],
  },
  {
    name: 'validating ones hang, Fail: the first to end is told',
    hooks: [mustCheck('a', 3, hangs), mustCheck('b', 1, hangs)],
  },
  { name: 'a denial while another hangs', hooks: [mustCheck('a', 3, hangs), mustCheck('b', 1, denies)] },
  {
    name: 'a denial while another hangs, Ignore',
    hooks: [mayCheck('a', 3, hangs), mustCheck('b', 2, after(1, 'denies'))],
  },
  {
    name: 'a late denial after a hang',
    hooks: [mustCheck('a', 1, hangs), mustCheck('b', 4, after(3, 'denies'))],
  },
  {
    name: 'a mutating hang with Fail stops the rest',
    hooks: [must('a', 1, hangs), must('b', 1, allows), mustCheck('c', 1, allows)],
  },
  {
    name: 'a mutating denial stops the rest',
    hooks: [must('a', 1, denies), may('b', 1, hangs), mustCheck('c', 1, denies)],
  },
  { name: 'a denial with Ignore stops the rest as well', hooks: [may('a', 1, denies), must('b', 1, allows)] },
  {
    name: 'a mutating hang with Ignore, then a validating denial',
    hooks: [may('a', 1, hangs), mustCheck('b', 1, denies)],
  },
  { name: 'slow but in time', hooks: [must('a', 3, after(2)), mustCheck('b', 3, after(1))] },
  { name: 'slow, and too late', hooks: [must('a', 1, after(2))] },
  {
    name: 'slow, and too late with Ignore: a change is lost',
    hooks: [may('a', 1, after(2, 'changes')), must('b', 2, allows)],
  },
  {
    name: 'order of configurations',
    hooks: [
      must('b', 2, allows),
      must('a', 2, allows),
      must('a-b', 2, allows),
      must('a.b', 2, allows),
      must('9', 2, allows),
    ],
  },
  {
    name: 'order in a configuration',
    hooks: [
      inConfiguration('x', must('z', 2, allows)),
      inConfiguration('x', must('m', 2, allows)),
      inConfiguration('x', must('a', 2, allows)),
    ],
  },
  {
    name: 'order of both',
    hooks: [
      inConfiguration('y', must('a', 2, allows)),
      inConfiguration('x', must('z', 2, allows)),
      inConfiguration('x', must('b', 2, allows)),
    ],
  },
  { name: 'called again after a change', hooks: [again(must('a', 2, allows)), must('b', 2, changes)] },
  { name: 'not called again without IfNeeded', hooks: [must('a', 2, allows), must('b', 2, changes)] },
  { name: 'not called again without a change', hooks: [again(must('a', 2, allows)), must('b', 2, allows)] },
  {
    name: 'not called again for its own change',
    hooks: [again(must('a', 2, changes)), must('b', 2, allows)],
  },
  {
    name: 'not called again for an earlier change',
    hooks: [must('a', 2, changes), again(must('b', 2, allows))],
  },
  {
    name: 'two called again',
    hooks: [
      again(must('a', 2, allows)),
      again(must('b', 2, changes)),
      must('c', 2, changes),
      again(must('d', 2, allows)),
    ],
  },
  {
    name: 'a change in the second round calls nobody again',
    hooks: [
      again(must('a', 2, changes, changes)),
      again(must('b', 2, changes, changes)),
      must('c', 2, changes),
    ],
  },
  { name: 'hangs when called again', hooks: [again(must('a', 1, allows, hangs)), must('b', 1, changes)] },
  {
    name: 'hangs when called again, Ignore',
    hooks: [again(may('a', 1, allows, hangs)), must('b', 1, changes), mustCheck('c', 1, allows)],
  },
  { name: 'denies when called again', hooks: [again(must('a', 1, allows, denies)), must('b', 1, changes)] },
  {
    name: 'a change of one that failed open does not count',
    hooks: [again(must('a', 1, allows)), may('b', 1, breaks)],
  },
  { name: 'breaks with Ignore, at once', hooks: [may('a', 5, breaks), mayCheck('b', 5, breaks)] },
  { name: 'breaks with Fail, at once', hooks: [must('a', 5, breaks)] },
  { name: 'a client that waits 2 s', hooks: [may('a', 5, hangs)], timeout: 2 },
  {
    name: 'a client that waits 3 s, spent by two',
    hooks: [must('a', 5, after(1)), mustCheck('b', 5, hangs)],
    timeout: 3,
  },
  {
    name: 'a client that waits 3 s, and a webhook that fails before',
    hooks: [must('a', 1, hangs)],
    timeout: 3,
  },
  {
    name: 'a client that waits 3 s, and webhooks that pass before',
    hooks: [may('a', 1, hangs), mayCheck('b', 1, hangs)],
    timeout: 3,
  },
  {
    name: 'a client that waits 4 s for three',
    hooks: [may('a', 1, hangs), may('b', 2, hangs), may('c', 3, hangs)],
    timeout: 4,
  },
  { name: '?timeout=0s', hooks: [mayCheck('a', 1, hangs)], timeout: 0 },
  { name: '34 s: two mutating ones', hooks: [may('a', 20, hangs), may('b', 20, hangs)] },
  { name: '34 s: a mutating and a validating one', hooks: [may('a', 20, hangs), mustCheck('b', 20, hangs)] },
  {
    name: '34 s, although the client waits 50',
    hooks: [may('a', 20, hangs), may('b', 20, hangs), mustCheck('c', 1, denies)],
    timeout: 50,
  },
  { name: '30 s, client and webhook at once', hooks: [mustCheck('a', 30, hangs)] },
  { name: '30 s, and then a slow one', hooks: [may('a', 30, hangs), must('b', 10, after(2))] },
  { name: 'UPDATE', hooks: [must('a', 1, hangs)], request: 'UPDATE' },
  { name: 'UPDATE, 34 s', hooks: [may('a', 20, hangs), may('b', 20, hangs)], request: 'UPDATE' },
  { name: 'DELETE', hooks: [mustCheck('a', 1, hangs)], request: 'DELETE' },
  {
    name: 'DELETE, mutating and validating',
    hooks: [may('a', 1, hangs), mayCheck('b', 1, hangs)],
    request: 'DELETE',
  },
  { name: 'DELETE, 34 s', hooks: [may('a', 20, hangs), mayCheck('b', 20, hangs)], request: 'DELETE' },
  {
    name: 'DELETE of a collection may take longer than 34 s',
    hooks: [may('a', 20, hangs), mayCheck('b', 16, hangs)],
    request: 'DELETE all',
  },
  {
    name: 'DELETE of a collection by a client that waits 2 s',
    hooks: [may('a', 5, hangs)],
    request: 'DELETE all',
    timeout: 2,
  },
];
