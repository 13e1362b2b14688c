import { isDeepStrictEqual } from 'node:util';
import type { Trace } from '../apiserver/trace/trace-request.ts';
import type { TraceStep } from '../apiserver/trace/trace-step.ts';
import { parsePointer } from '../basics/json-pointer.ts';
import type { RequestTrace, TracedField, TraceStepReport } from './report.ts';

const round = (value: number, digits: number): number => Math.round(value * 10 ** digits) / 10 ** digits;

/** A step in the form that `-o json` prints. */
export function stepReport({ callout, end: _, after: __, seconds, ...step }: TraceStep): TraceStepReport {
  const { configuration, webhook } = callout;
  return {
    ...step,
    configuration,
    webhook,
    ...(seconds === undefined ? {} : { latencyMs: round(seconds * 1000, 1) }),
  };
}

/** Seconds of the request's timeout, absent if there is none, and the seconds that the calls take. */
export const budgetReport = ({ budget: { seconds, spent } }: Trace): RequestTrace['budget'] => ({
  ...(seconds === undefined ? {} : { seconds }),
  spent: round(spent, 3),
});

/**
 * Parses `spec.containers[0].image`, `metadata.labels.app\.kubernetes\.io/name`, `metadata.labels['a.b']`;
 * undefined if the text is not a path.
 */
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

/** Returns the value at a path; undefined if there is none. */
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
  if (Array.isArray(object) && rest.length === 0) return object.toSpliced(Number(step), 1) as T;
  const copy = (Array.isArray(object) ? [...object] : { ...object }) as Record<string, unknown>;
  if (rest.length > 0) copy[step] = withoutField(copy[step], rest);
  else delete copy[step];
  return copy as T;
}

/** The path that an item had before the operations of a patch: additions and removals in lists shift it. */
function pathBefore(path: readonly string[], patch: readonly object[], after: object): readonly string[] {
  const shifted = (at: readonly string[], pointer: string, by: 1 | -1): readonly string[] => {
    const list = [...parsePointer(pointer)];
    const index = list.pop() ?? '';
    const here = at[list.length];
    const isInFront =
      /^\d+$/.test(index) && (by === -1 ? Number(index) < Number(here) : Number(index) <= Number(here));
    return isInFront && list.every((step, depth) => step === at[depth]) && Array.isArray(fieldAt(after, list))
      ? at.with(list.length, String(Number(here) + by))
      : at;
  };
  return patch.toReversed().reduce((at: readonly string[], operation) => {
    const { op, path: to = '', from = '' } = operation as Readonly<Record<string, string>>;
    const beforeAdded = ['add', 'copy', 'move'].includes(op ?? '') ? shifted(at, to, -1) : at;
    if (op === 'remove') return shifted(beforeAdded, to, 1);
    return op === 'move' ? shifted(beforeAdded, from, 1) : beforeAdded;
  }, path);
}

/**
 * The last webhook whose patch changed the final value at the path. The path of a list item is adjusted for
 * each earlier patch. `unknown`: webhooks that were not called and may set it.
 */
export function writerOf(
  path: readonly string[],
  made: object | undefined,
  steps: readonly TraceStep[],
): Pick<TracedField, 'value' | 'setBy' | 'unknown'> {
  const patched = steps.filter(({ after }) => after !== undefined);
  const last = patched.at(-1)?.after ?? made;
  const value = fieldAt(last, path);
  const unknown = steps.flatMap(({ phase, matched, outcome, callout: { configuration, webhook } }) =>
    phase !== 'validating' && matched !== false && outcome === 'not-called'
      ? [{ configuration, webhook }]
      : [],
  );
  let at = path;
  const writer = patched.findLast(({ after = {}, patch = [] }, index) => {
    const before = index === 0 ? made : patched[index - 1]?.after;
    const earlierPath = pathBefore(at, patch, after);
    if (!isDeepStrictEqual(fieldAt(before, earlierPath), value)) return true;
    at = earlierPath;
    return false;
  });
  return {
    ...(value === undefined ? {} : { value }),
    ...(writer === undefined
      ? {}
      : {
          setBy: {
            configuration: writer.callout.configuration,
            webhook: writer.callout.webhook,
            round: writer.round,
          },
        }),
    ...(unknown.length === 0 ? {} : { unknown }),
  };
}
