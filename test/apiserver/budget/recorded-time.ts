import { inCallOrder } from '../../../src/apiserver/admission/order.ts';
import { type TimedCall, type Timeline, timelineOf } from '../../../src/apiserver/budget/timeline.ts';
import type { AdmissionCallout } from '../../../src/facts/callout.ts';
import { behaviourOf, type Hook, limitsOf, type TimeCase, timeCases } from '../../e2e/time-cases.ts';
import { webhook as someWebhook } from '../../support/snapshot.ts';
import { recordsOf } from '../admission/call-records.ts';

/** The result of a request of a case at a real API server. */
export interface RecordedTime {
  readonly name: string;
  /** Base of the URLs in error messages. */
  readonly url: string;
  readonly seconds: number;
  /** Empty: admitted. */
  readonly message: string;
  /** The connection was closed without a response. */
  readonly hungUp?: true;
  /** `kind/configuration/webhook?timeout=`, as the webhooks were called. */
  readonly calls: readonly string[];
  /** Annotations about webhooks in the audit log; absent if the request ended before its calls. */
  readonly audit?: Readonly<Record<string, string>>;
  /** Counters that increased, in the format of Prometheus. */
  readonly metrics?: readonly string[];
}

/** Tolerance for a busy machine; smaller than the difference between any two outcomes. */
const slackSeconds = 0.95;

export const caseName = (index: number): string => `t${String(index).padStart(2, '0')}`;
export const configurationName = (index: number, { configuration }: Hook): string =>
  `oracle-time.${caseName(index)}.${configuration}`;
export const webhookName = (index: number, { name }: Hook): string =>
  `${name}.${caseName(index)}.example.com`;

/** The webhooks of a case in the order of their configurations' lists. */
function calloutsOf(index: number, { hooks }: TimeCase, url: string): readonly AdmissionCallout[] {
  const places = new Map<string, number>();
  return hooks.map((hook) => {
    const configuration = configurationName(index, hook);
    const place = places.get(configuration + hook.kind) ?? 0;
    places.set(configuration + hook.kind, place + 1);
    return someWebhook({
      kind: hook.kind,
      configuration,
      webhook: webhookName(index, hook),
      index: place,
      client: { url: `${url}/${index}/${hook.name}` },
      timeoutSeconds: hook.timeoutSeconds,
      failurePolicy: hook.failurePolicy,
      reinvocationPolicy: hook.reinvocationPolicy ?? 'Never',
    });
  });
}

const callName = ({ callout: { kind, configuration, webhook }, urlTimeout }: TimedCall): string =>
  `${kind}/${configuration}/${webhook}?timeout=${urlTimeout}`;

/** Mutating calls in their order, validating ones sorted: they run at the same time. */
const inOrder = (calls: readonly string[]): readonly string[] => [
  ...calls.filter((call) => call.startsWith('mutating/')),
  ...calls.filter((call) => call.startsWith('validating/')).toSorted(),
];

const operationOf = ({ request = 'CREATE' }: TimeCase): 'CREATE' | 'UPDATE' | 'DELETE' =>
  request === 'DELETE all' ? 'DELETE' : request;

function consequences(timeCase: TimeCase, { calls }: Timeline, url: string) {
  const everyone = timeCases.flatMap((one, at) => calloutsOf(at, one, url));
  const mutating = inCallOrder(everyone.filter(({ kind }) => kind === 'mutating'));
  const validating = calls.filter(({ callout }) => callout.kind === 'validating');
  return calls.flatMap((call) => {
    const { callout, round, end } = call;
    if (end === undefined) return [];
    const place =
      callout.kind === 'mutating'
        ? mutating.findIndex(({ webhook }) => webhook === callout.webhook)
        : validating.indexOf(call);
    return [recordsOf(end, callout, { round, index: place }, operationOf(timeCase))];
  });
}

/** A counter in the format of Prometheus, with its increase. */
const series = (labels: Readonly<Record<string, string>>, metric: string): string =>
  `${metric}{${Object.entries(labels)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}="${value}"`)
    .join(',')}}`;

/** Two values to compare; they are equal if the model agrees. */
export function compared(recorded: RecordedTime, version: string): { model: object; real: object } {
  const index = timeCases.findIndex(({ name }) => name === recorded.name);
  const timeCase = timeCases[index];
  if (timeCase === undefined) throw new Error(`No case "${recorded.name}"`);
  const callouts = calloutsOf(index, timeCase, recorded.url);
  const hookOf = new Map(callouts.map((callout, at) => [callout, timeCase.hooks[at]]));
  const behave = (callout: AdmissionCallout, round: 0 | 1) => {
    const hook = hookOf.get(callout);
    if (hook === undefined) throw new Error('a webhook of another case');
    return behaviourOf(hook, callout.webhook, round);
  };
  const model = timelineOf(callouts, behave, limitsOf(timeCase), version);
  const late = recorded.seconds - model.seconds;
  const inTime = late > -0.1 && late < slackSeconds;
  const { message } = recorded;
  const foretold = model.end === 'admitted' ? [''] : model.messages;
  const told = recorded.hungUp ? model.mayHangUp : foretold.includes(message);
  const follows = consequences(timeCase, model, recorded.url);
  const audit = Object.assign({}, ...follows.map((one) => one.audit)) as Readonly<Record<string, string>>;
  const counters = new Map<string, number>();
  for (const { metric, labels } of follows.flatMap(({ metrics }) => metrics)) {
    const key = series(labels, metric);
    counters.set(key, (counters.get(key) ?? 0) + 1);
  }
  const over = model.end === 'timed-out';
  return {
    model: {
      seconds: inTime ? recorded.seconds : model.seconds,
      message: told ? message : foretold,
      calls: inOrder(model.calls.map(callName)),
      ...(over ? {} : { audit, metrics: [...counters].map(([key, by]) => `${key} ${by}`).toSorted() }),
    },
    real: {
      seconds: recorded.seconds,
      message,
      calls: inOrder(recorded.calls),
      ...(over ? {} : { audit: recorded.audit, metrics: recorded.metrics }),
    },
  };
}
