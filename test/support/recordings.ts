import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Results of real API servers, one file per group of cases; the result of most versions is stored once.
 * `cases` maps the name of a case to its results by version; `*` is every version of the file.
 */
interface Recording {
  /** By version of Kubernetes: the day of the recording. */
  readonly versions: Readonly<Record<string, string>>;
  readonly cases: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const fileOf = (group: string): string =>
  join(import.meta.dirname, '..', 'apiserver', 'recorded', `${group}.json`);

function read(group: string): Recording {
  const file = fileOf(group);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { versions: {}, cases: {} };
}

/** By version: answer by name of the case. */
function byVersion({ versions, cases }: Recording): Map<string, Map<string, unknown>> {
  const all = Object.keys(versions);
  const found = new Map(all.map((version) => [version, new Map<string, unknown>()]));
  for (const [name, answers] of Object.entries(cases)) {
    for (const [of, answer] of Object.entries(answers)) {
      for (const version of of === '*' ? all : of.split(' ')) found.get(version)?.set(name, answer);
    }
  }
  return found;
}

const someUid = '6f0fd7cb-1b1c-4d5e-9d0c-1c2b8e1fd0a1';

/**
 * Replaces ports, uids, times, certificates and namespaces of a run, so that recordings do not differ by
 * them.
 */
export const alike = <T>(recorded: T): T =>
  JSON.parse(
    JSON.stringify(recorded)
      .replace(/(127\.0\.0\.1):\d{4,5}\b/g, '$1:8443')
      .replace(/\bcase-[\da-f]{8}\b/g, 'case-00000000')
      .replace(/[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}/gi, (uid) =>
        uid === uid.toUpperCase() ? someUid.toUpperCase() : someUid,
      )
      .replace(/\bX509SHA256=[\da-f]{64}/g, `X509SHA256=${'0'.repeat(64)}`)
      .replace(/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, '2026-01-01T00:00:00Z'),
  );

/** The message of an API server, without the addresses, ports, uids and namespaces of its run. */
export const messageOfAnyRun = (message: string): string =>
  alike(
    message
      .replace(/\b\d+\.\d+\.\d+\.\d+\b/g, '192.0.2.1')
      .replace(/(192\.0\.2\.1):\d+/g, '$1:443')
      .replace(/ revision=\d+/, ' revision=1'),
  );

const bare = (version: string): string => version.replace(/^v/, '');
const { compare } = new Intl.Collator('en', { numeric: true });

/**
 * With RECORD set: stores the results of an API server of this version, by name of the case, for the fast
 * suite. Values that differ between runs (ports, uids) must be replaced before.
 */
export function recordAnswers(group: string, version: string, answers: ReadonlyMap<string, unknown>): void {
  if (process.env.RECORD) writeAnswers(group, version, answers, new Date());
}

function writeAnswers(
  group: string,
  version: string,
  answers: ReadonlyMap<string, unknown>,
  day: Date,
): void {
  const recording = read(group);
  const known = byVersion(recording).set(bare(version), new Map(answers));
  const versions = [...known.keys()].toSorted(compare);
  const days = { ...recording.versions, [bare(version)]: day.toISOString().slice(0, 10) };
  const names = new Set([...answers.keys(), ...[...known.values()].flatMap((one) => [...one.keys()])]);
  const lines = [...names].map((name) => {
    const detail = new Map<string, string[]>();
    for (const one of versions) {
      if (!known.get(one)?.has(name)) continue;
      const answer = JSON.stringify(known.get(one)?.get(name));
      detail.set(answer, [...(detail.get(answer) ?? []), one]);
    }
    const grouped = [...detail].map(([answer, of]) => {
      const whom = of.length === versions.length ? '*' : of.join(' ');
      return `${JSON.stringify(whom)}:${answer}`;
    });
    return `${JSON.stringify(name)}:{${grouped.join(',')}}`;
  });
  const dates = versions.map((one) => `${JSON.stringify(one)}:${JSON.stringify(days[one])}`).join(',');
  writeFileSync(fileOf(group), `{"versions":{${dates}},\n"cases":{\n${lines.join(',\n')}\n}}\n`);
}

/** By version of Kubernetes: the results by name of the case. */
export const recordedAnswers = <T>(group: string): ReadonlyMap<string, ReadonlyMap<string, T>> =>
  byVersion(read(group)) as Map<string, Map<string, T>>;
