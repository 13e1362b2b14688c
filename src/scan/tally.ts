import type { CallError } from '../apiserver/sentences/call-error.ts';
import type { Symptom } from '../apiserver/sentences/cause-kind.ts';
import type { Sighting } from './read-record.ts';
import type { Histogram, Occurrences, ScannedCallout, ScannedCause, ScanReport } from './scan-report.ts';

/** Bars that are kept at most; a longer time makes them wider. */
const mostBars = 240;

/** Counts over a time that nobody knows beforehand, in bounded memory. */
class TimeBars {
  #seconds = 1;
  #bars = new Map<number, number>();
  #low = Number.POSITIVE_INFINITY;
  #high = Number.NEGATIVE_INFINITY;

  add(at: number, times: number): void {
    this.#low = Math.min(this.#low, at);
    this.#high = Math.max(this.#high, at);
    while ((this.#high - this.#low) / (this.#seconds * 1000) >= mostBars) this.#widen();
    const bar = Math.floor(at / (this.#seconds * 1000));
    this.#bars.set(bar, (this.#bars.get(bar) ?? 0) + times);
  }

  #widen(): void {
    const wider = new Map<number, number>();
    for (const [bar, count] of this.#bars) {
      const half = Math.floor(bar / 2);
      wider.set(half, (wider.get(half) ?? 0) + count);
    }
    this.#bars = wider;
    this.#seconds *= 2;
  }

  /** With at most `bars` bars; undefined when nothing was added. */
  histogram(bars = 60): Histogram | undefined {
    if (this.#bars.size === 0) return undefined;
    while ((this.#high - this.#low) / (this.#seconds * 1000) >= bars - 1) this.#widen();
    const width = this.#seconds * 1000;
    const first = Math.floor(this.#low / width);
    const last = Math.floor(this.#high / width);
    return {
      start: new Date(first * width).toISOString(),
      seconds: this.#seconds,
      counts: Array.from({ length: last - first + 1 }, (_, index) => this.#bars.get(first + index) ?? 0),
    };
  }
}

/** Callouts that are kept apart: names in a log are anybody's. */
const mostCallouts = 1_000;
const longestExample = 500;
const longestName = 300;

class Times {
  count = 0;
  first = Number.POSITIVE_INFINITY;
  last = Number.NEGATIVE_INFINITY;

  add({ at, until, times }: Sighting): void {
    this.count += times;
    if (at === undefined) return;
    this.first = Math.min(this.first, at);
    this.last = Math.max(this.last, until ?? at);
  }

  told(): Occurrences {
    if (this.last < this.first) return { count: this.count };
    return {
      count: this.count,
      first: new Date(this.first).toISOString(),
      last: new Date(this.last).toISOString(),
    };
  }
}

interface Cause {
  readonly times: Times;
  readonly error: CallError;
}

interface Kept {
  readonly name: string;
  readonly kind: ScannedCallout['kind'];
  service: CallError['service'];
  readonly failures: Times;
  readonly failedOpen: Times;
  readonly denials: Times;
  readonly causes: Map<string, Cause>;
  readonly bars: TimeBars;
}

function nameOf(error: CallError): Pick<Kept, 'name' | 'kind'> {
  const { webhook, service, objectKind, groupVersion } = error;
  if (webhook !== undefined) return { kind: 'webhook', name: webhook.slice(0, longestName) };
  if (error.kind === 'conversion')
    return { kind: 'conversion', name: `${objectKind} in ${groupVersion}`.slice(0, longestName) };
  return { kind: 'service', name: `${service?.namespace}/${service?.name}`.slice(0, longestName) };
}

const kept = (name: string, kind: Kept['kind']): Kept => ({
  name,
  kind,
  service: undefined,
  failures: new Times(),
  failedOpen: new Times(),
  denials: new Times(),
  causes: new Map(),
  bars: new TimeBars(),
});

/** Ids of checks that may explain how a call failed, likeliest first. */
export type ChecksFor = (symptom: Symptom) => readonly string[];

function scanned(callout: Kept, checksFor: ChecksFor): ScannedCallout {
  const causes = [...callout.causes].map(
    ([cause, { times, error }]): ScannedCause => ({
      cause: cause as ScannedCause['cause'],
      ...times.told(),
      example: error.text.slice(0, longestExample),
      checks: error.cause === undefined ? [] : checksFor(error.cause.symptom),
    }),
  );
  const histogram = callout.bars.histogram();
  return {
    name: callout.name,
    kind: callout.kind,
    ...(callout.service === undefined ? {} : { service: callout.service }),
    failures: callout.failures.told(),
    failedOpen: callout.failedOpen.told(),
    denials: callout.denials.told(),
    causes: causes.sort((a, b) => b.count - a.count),
    ...(histogram === undefined ? {} : { histogram }),
  };
}

/** Adds up sightings per callout; what it holds does not grow with what it is told. */
export function tally(checksFor: ChecksFor): {
  readonly add: (sighting: Sighting) => void;
  readonly result: () => Pick<ScanReport, 'window' | 'summary' | 'callouts' | 'notKept'>;
} {
  const callouts = new Map<string, Kept>();
  const all = new Times();
  const summary = { failures: 0, failedOpen: 0, denials: 0 };
  const strangers = new Set<string>();

  const keptFor = (error: CallError): Kept | undefined => {
    const { name, kind } = nameOf(error);
    const key = `${kind} ${name}`;
    const known = callouts.get(key);
    if (known !== undefined) return known;
    if (callouts.size >= mostCallouts) {
      if (strangers.size < mostCallouts) strangers.add(key);
      return undefined;
    }
    const made = kept(name, kind);
    callouts.set(key, made);
    return made;
  };

  const addFailure = (callout: Kept, sighting: Sighting): void => {
    const { error, at, times } = sighting;
    callout.failures.add(sighting);
    if (error.failedOpen) callout.failedOpen.add(sighting);
    callout.service ??= error.service;
    if (at !== undefined) callout.bars.add(at, times);
    const cause = error.cause?.kind ?? 'unknown';
    const known = callout.causes.get(cause) ?? { times: new Times(), error };
    callout.causes.set(cause, known);
    known.times.add(sighting);
  };

  return {
    add(sighting) {
      const { error, times } = sighting;
      const denial = error.kind === 'denial';
      all.add(sighting);
      if (denial) summary.denials += times;
      else summary.failures += times;
      if (error.failedOpen) summary.failedOpen += times;
      const callout = keptFor(error);
      if (callout === undefined) return;
      if (denial) callout.denials.add(sighting);
      else addFailure(callout, sighting);
    },
    result() {
      const { first, last } = all.told();
      const rank = ({ failures, denials }: ScannedCallout): number => failures.count * 1e6 + denials.count;
      return {
        ...(first === undefined || last === undefined ? {} : { window: { first, last } }),
        summary,
        callouts: [...callouts.values()]
          .map((one) => scanned(one, checksFor))
          .sort((a, b) => rank(b) - rank(a)),
        notKept: strangers.size,
      };
    },
  };
}
