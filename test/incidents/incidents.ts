import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { groupBy } from '../../src/basics/collections.ts';
import { catalogue } from '../../src/checks/catalogue.ts';
import { explanations } from '../../src/checks/explanations.ts';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import { explainTexts } from '../../src/explain/explain.ts';
import type { ExplainedText } from '../../src/explain/explanation.ts';
import { causeIds } from '../../src/explain/likely-causes.ts';

/** How close a result is to the cause in the thread. `wrong`: it names another cause. */
export type Grade = 'exact' | 'link' | 'miss' | 'wrong';

/** A public incident, with facts in our own words. */
export interface Incident {
  readonly thread: string;
  readonly product: string;
  readonly state: string;
  /** Error texts of the thread, shortened; empty if it quotes none. */
  readonly said: readonly string[];
  /** The cause that the thread found. */
  readonly cause: string;
  /** Checks for that cause, or a part of the explanation that names it. */
  readonly checks: readonly string[];
  readonly means?: string;
  /** No check is a cause of the text: it is another program's, or the meaning says everything. */
  readonly noCause?: true;
  /** `none`: another program's failure, which explain must not recognise as one of a webhook. */
  readonly class: ExplainedText['class'] | 'none';
  readonly link: string;
  /** A scenario of the demo or of `states/`, or a suite for a real cluster that builds this state. */
  readonly rebuilt?: string;
  /** Absent if the thread quotes no error text. */
  readonly explain?: Grade;
  /** The grade of explain before any change for this thread; absent if it was not measured. */
  readonly firstTry?: Grade;
  /** Absent if the state was not rebuilt. */
  readonly doctor?: Grade;
  /** The grade of doctor before any change for this thread; absent if it was not measured. */
  readonly doctorFirstTry?: Grade;
}

/** One file for each link of the chain. */
const threads = join(import.meta.dirname, 'threads');
export const incidents = readdirSync(threads)
  .sort()
  .flatMap((file) => JSON.parse(readFileSync(join(threads, file), 'utf8')) as readonly Incident[]);

/** Incidents by their rebuilt state: doctor runs once for each state. */
export const bySlug: ReadonlyMap<string, readonly Incident[]> = groupBy(
  incidents.filter(({ rebuilt }) => rebuilt !== undefined),
  ({ rebuilt = '' }) => rebuilt,
);

/** The repository and number of a thread, or its address. */
export const nameOf = ({ thread }: Incident): string => thread.replace(/^https:\/\/(?:github\.com\/)?/, '');

const titles = new Map(catalogue.map(({ meta: { id, title } }) => [id, title]));

const kept = new WeakMap<Incident['said'], readonly ExplainedText[]>();

/** The result of `explain` for the error texts of an incident, without a cluster; each is explained once. */
export function explained({ said }: Incident): readonly ExplainedText[] {
  const texts = kept.get(said) ?? explainedTexts(said);
  kept.set(said, texts);
  return texts;
}

const explainedTexts = (said: Incident['said']): readonly ExplainedText[] =>
  explainTexts(said.join('\n\n'), (found) =>
    causeIds(found, (text) => explanations[text] ?? []).map((id) => ({
      id,
      title: titles.get(id) ?? id,
    })),
  ).texts;

/** Causes that a reader meets first. */
export const firstCauses = (texts: readonly ExplainedText[]): readonly string[] => [
  ...new Set(texts.flatMap(({ causes }) => causes.slice(0, 3).map(({ check }) => check))),
];

/** A text without a cause cannot be wrong about it; one of another class or link is a miss. */
export function gradeOfExplain(incident: Incident): Grade {
  const texts = explained(incident);
  if (incident.class === 'none') return texts.length === 0 ? 'exact' : 'wrong';
  const causes = firstCauses(texts);
  if (incident.noCause === true && causes.length > 0) return 'wrong';
  if (
    incident.checks.some((check) => causes.includes(check)) ||
    (incident.means !== undefined && texts.some(({ means }) => means.includes(incident.means ?? '')))
  )
    return 'exact';
  return texts.some((text) => text.class === incident.class && text.link === incident.link) ? 'link' : 'miss';
}

/** Doctor's cause in the report about the rebuilt state. */
export function gradeOfDoctor({ checks, link }: Incident, { callouts, findings }: DoctorReport): Grade {
  const causes = findings.filter(({ causedBy, severity }) => causedBy === undefined && severity !== 'info');
  if (causes.some(({ check }) => checks.includes(check))) return 'exact';
  const broken = callouts.filter(({ verdict }) => verdict.state !== 'healthy');
  if (broken.length === 0) return 'miss';
  return broken.some(({ verdict }) => verdict.link === link) ? 'link' : 'wrong';
}

/** Whether a suite for a real cluster expects one of the checks of an incident. */
export function suiteNames({ rebuilt = '', checks }: Incident): boolean {
  const suite = join(import.meta.dirname, '..', '..', rebuilt);
  if (!existsSync(suite)) return false;
  const text = readFileSync(suite, 'utf8');
  return checks.some((check) => text.includes(`'${check}'`));
}
