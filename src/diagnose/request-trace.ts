import { isDeepStrictEqual } from 'node:util';
import type { Trace, TraceStep } from '../apiserver/trace/trace-request.ts';
import type { RequestTrace, TracedField, TraceStepReport } from './report.ts';

const round = (value: number, digits: number): number => Math.round(value * 10 ** digits) / 10 ** digits;

/** A step as documents have it. */
export function stepReport({ callout, end: _, after: __, seconds, ...step }: TraceStep): TraceStepReport {
  const { configuration, webhook } = callout;
  return {
    ...step,
    configuration,
    webhook,
    ...(seconds === undefined ? {} : { latencyMs: round(seconds * 1000, 1) }),
  };
}

export const budgetReport = ({ budget: { seconds, spent } }: Trace): RequestTrace['budget'] => ({
  ...(seconds === undefined ? {} : { seconds }),
  spent: round(spent, 3),
});

/** `spec.containers[0].image`, `metadata.labels.app\.kubernetes\.io/name`, `metadata.labels['a.b']`; undefined: no path. */
export function fieldPath(text: string): readonly string[] | undefined {
  const steps: string[] = [];
  let rest = text.replace(/^\./, '');
  while (rest !== '') {
    const found =
      /^\['((?:[^'\\]|\\.)+)'\]\.?/.exec(rest) ??
      /^\[(\d+)\]\.?/.exec(rest) ??
      /^((?:[^.[\]\\]|\\.)+)\.?/.exec(rest);
    if (found?.[1] === undefined) return undefined;
    steps.push(found[1].replaceAll(/\\(.)/g, '$1'));
    rest = rest.slice(found[0].length);
  }
  return steps.length === 0 ? undefined : steps;
}

/** The value at a path; undefined where there is none. */
export const fieldAt = (object: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (at, step) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, step)
        ? (at as Readonly<Record<string, unknown>>)[step]
        : undefined,
    object,
  );

/** The object without the field at a path. */
export function withoutField<T>(object: T, [step, ...rest]: readonly string[]): T {
  if (step === undefined || typeof object !== 'object' || object === null || !Object.hasOwn(object, step))
    return object;
  const copy = (Array.isArray(object) ? [...object] : { ...object }) as Record<string, unknown>;
  if (rest.length > 0) copy[step] = withoutField(copy[step], rest);
  else delete copy[step];
  return copy as T;
}

/** The last webhook whose patch changed the value at a path. */
export function writerOf(
  path: readonly string[],
  made: object | undefined,
  steps: readonly TraceStep[],
): Pick<TracedField, 'value' | 'setBy'> {
  let value = fieldAt(made, path);
  let setBy: TracedField['setBy'];
  for (const { after, callout, round: at } of steps) {
    if (after === undefined) continue;
    const next = fieldAt(after, path);
    if (isDeepStrictEqual(next, value)) continue;
    value = next;
    setBy = { configuration: callout.configuration, webhook: callout.webhook, round: at };
  }
  return { ...(value === undefined ? {} : { value }), ...(setBy === undefined ? {} : { setBy }) };
}
