import type { CallError } from '../apiserver/sentences/call-error/call-error.ts';
import { type CausesOf, explainRecognised, nameInText } from '../explain/explain.ts';
import type { LoggedCall } from './read-record.ts';
import type {
  Histogram,
  Occurrences,
  ScannedCallout,
  ScannedCause,
  ScanReport,
  ScanSummary,
} from './scan-report.ts';

/** Bars that are kept at most; a longer time makes them wider. */
const mostBars = 240;

/** Counts over a period of unknown length, in limited memory. */
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

/** Limit of separately counted callouts: names in a log are not trusted. */
const mostCallouts = 1_000;
const longestExample = 500;
const longestName = 300;

class Times {
  count = 0;
  first = Number.POSITIVE_INFINITY;
  last = Number.NEGATIVE_INFINITY;

  add({ at, until, times }: LoggedCall): void {
    this.count += times;
    if (at === undefined) return;
    this.first = Math.min(this.first, at);
    this.last = Math.max(this.last, until ?? at);
  }

  occurrences(): Occurrences {
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

interface WebhookCounts {
  readonly name: string;
  readonly kind: ScannedCallout['kind'];
  service: CallError['service'];
  readonly failures: Times;
  readonly failedOpen: Times;
  readonly denials: Times;
  readonly dryRuns: Times;
  readonly causes: Map<string, Cause>;
  /** Sentences of calls that failed open, and that the API server has not repeated yet. */
  readonly opened: { readonly text: string; readonly at: number }[];
  readonly bars: TimeBars;
}

const kept = (name: string, kind: WebhookCounts['kind']): WebhookCounts => ({
  name,
  kind,
  service: undefined,
  failures: new Times(),
  failedOpen: new Times(),
  denials: new Times(),
  dryRuns: new Times(),
  causes: new Map(),
  opened: [],
  bars: new TimeBars(),
});

/** More are never between a line and its repetition, nor more milliseconds. */
const mostOpened = 100;
const longestEcho = 2_000;

/**
 * Whether a line repeats a call that failed open: the API server logs each twice, as a warning that says so and as an
 * error that does not (apiserver/plugin/webhook dispatcher.go, with `utilruntime.HandleError`).
 */
function isRepetition(
  { opened }: WebhookCounts,
  { error: { failedOpen, text }, at = 0 }: LoggedCall,
): boolean {
  if (failedOpen) {
    opened.push({ text, at });
    if (opened.length > mostOpened) opened.shift();
  }
  if (failedOpen !== undefined) return false;
  const place = opened.findIndex((one) => text.startsWith(one.text) && Math.abs(at - one.at) <= longestEcho);
  if (place >= 0) opened.splice(place, 1);
  return place >= 0;
}

function scanned(callout: WebhookCounts, causesOf: CausesOf): ScannedCallout {
  const causes = [...callout.causes].map(([cause, { times, error }]): ScannedCause => {
    const {
      means,
      causes: likely,
      commands,
    } = explainRecognised({ of: 'call', text: error.text, error }, causesOf);
    return {
      cause: cause as ScannedCause['cause'],
      ...times.occurrences(),
      example: error.text.slice(0, longestExample),
      means,
      checks: likely.map(({ check }) => check),
      commands,
    };
  });
  const histogram = callout.bars.histogram();
  return {
    name: callout.name,
    kind: callout.kind,
    ...(callout.service === undefined ? {} : { service: callout.service }),
    failures: callout.failures.occurrences(),
    failedOpen: callout.failedOpen.occurrences(),
    denials: callout.denials.occurrences(),
    dryRuns: callout.dryRuns.occurrences(),
    causes: causes.sort((a, b) => b.count - a.count),
    ...(histogram === undefined ? {} : { histogram }),
  };
}

/** Everything that was counted so far. Its size is limited, however many sightings are added. */
interface Counts {
  readonly callouts: Map<string, WebhookCounts>;
  readonly all: Times;
  readonly summary: { -readonly [K in keyof ScanSummary]: number };
  /** Webhooks beyond the limit, which are counted as one number only. */
  readonly notKept: Set<string>;
}

/** Counts sightings by webhook. */
export function tally(causesOf: CausesOf): {
  readonly add: (sighting: LoggedCall) => void;
  readonly result: () => Pick<ScanReport, 'window' | 'summary' | 'callouts' | 'notKept'>;
} {
  const counts: Counts = {
    callouts: new Map(),
    all: new Times(),
    summary: { failures: 0, failedOpen: 0, denials: 0, dryRuns: 0, ownDryRuns: 0 },
    notKept: new Set(),
  };
  return {
    add: (sighting) => addTo(counts, sighting),
    result() {
      const { callouts, all, summary, notKept } = counts;
      const { first, last } = all.occurrences();
      const rank = ({ failures, denials }: ScannedCallout): number => failures.count * 1e6 + denials.count;
      return {
        ...(first === undefined || last === undefined ? {} : { window: { first, last } }),
        summary,
        callouts: [...callouts.values()]
          .map((one) => scanned(one, causesOf))
          .sort((a, b) => rank(b) - rank(a)),
        notKept: notKept.size,
      };
    },
  };
}

function addTo(counts: Counts, sighting: LoggedCall): void {
  const { summary } = counts;
  const { error, times, dryRun } = sighting;
  const denial = error.kind === 'denial';
  const callout = countsOf(counts, error);
  if (callout !== undefined && isRepetition(callout, sighting)) return;
  counts.all.add(sighting);
  if (dryRun !== undefined) {
    summary.dryRuns += times;
    if (dryRun === 'own') summary.ownDryRuns += times;
    callout?.dryRuns.add(sighting);
    return;
  }
  if (denial) summary.denials += times;
  else summary.failures += times;
  if (error.failedOpen) summary.failedOpen += times;
  if (callout === undefined) return;
  if (denial) callout.denials.add(sighting);
  else addFailure(callout, sighting);
}

/** The counts of the webhook that an error names; undefined if it names none, or there are too many. */
function countsOf({ callouts, notKept }: Counts, error: CallError): WebhookCounts | undefined {
  const named = nameInText(error);
  if (named === undefined) return undefined;
  const { kind } = named;
  const name = named.name.slice(0, longestName);
  const key = `${kind} ${name}`;
  const known = callouts.get(key);
  if (known !== undefined) return known;
  if (callouts.size >= mostCallouts) {
    if (notKept.size < mostCallouts) notKept.add(key);
    return undefined;
  }
  const made = kept(name, kind);
  callouts.set(key, made);
  return made;
}

function addFailure(callout: WebhookCounts, sighting: LoggedCall): void {
  const { error, at, times } = sighting;
  callout.failures.add(sighting);
  if (error.failedOpen) callout.failedOpen.add(sighting);
  callout.service ??= error.service;
  if (at !== undefined) callout.bars.add(at, times);
  const cause = error.cause?.kind ?? 'unknown';
  const known = callout.causes.get(cause) ?? { times: new Times(), error };
  callout.causes.set(cause, known);
  known.times.add(sighting);
}
