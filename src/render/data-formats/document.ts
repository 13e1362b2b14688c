import type {
  FindingReport,
  FromReport,
  NextCommand,
  NextReport,
  StoryReport,
} from '../../diagnose/report.ts';
import type { ClusterFinding, ExplainedText, Explanation } from '../../explain/explanation.ts';
import type { Evidence } from '../../facts/evidence.ts';
import { refText } from '../../facts/object-ref.ts';
import { type NotLookedAt, unreadDocument } from '../../facts/unread.ts';
import {
  adviceText,
  type Command,
  commandsIn,
  type FilledAdvice,
  type FilledStep,
  filledSteps,
} from '../../phrases/advice.ts';

const evidenceDocument = ({ object, parts: _, ...evidence }: Evidence) => ({
  object: refText(object),
  ...evidence,
});

const remedyDocument = <R extends { readonly command: Command }>(remedy: R) => {
  const { text, runnable } = remedy.command;
  return { ...remedy, command: text, runnable };
};

const withNext = <T extends { readonly next?: readonly NextCommand[] }>(one: T) => ({
  ...one,
  ...(one.next === undefined ? {} : { next: one.next.map(remedyDocument) }),
});

/** What the step of a command does: a program may run those of `look`. */
function publicRole({ role }: FilledStep): 'look' | 'end' | 'prevent' {
  if (role === 'prevent') return role;
  return role === 'look' || role === 'see' ? 'look' : 'end';
}

const commandDocuments = (step: FilledStep) =>
  commandsIn(step).map((command) => ({ ...command, role: publicRole(step) }));

function findingDocument({ values: _, ...finding }: FindingReport) {
  const { advice, evidence, remedies } = finding;
  const steps = filledSteps(advice);
  const commands = steps.flatMap(commandDocuments);
  return {
    ...withNext(finding),
    advice: adviceText(advice, steps),
    evidence: evidence.map(evidenceDocument),
    remedies: remedies.map(remedyDocument),
    ...(commands.length === 0 ? {} : { commands }),
  };
}

/** With the advice as one text. */
const withAdviceText = <T extends { readonly advice?: FilledAdvice }>({ advice, ...rest }: T) => ({
  ...rest,
  ...(advice === undefined ? {} : { advice: adviceText(advice) }),
});

/** The advice of the first cause is also that of the text. */
const matchDocument = ({ causes, commands, ...match }: ExplainedText) => ({
  ...match,
  causes: causes.map(withAdviceText),
  ...(causes[0]?.advice === undefined ? {} : { advice: adviceText(causes[0].advice) }),
  commands,
});

/** Its command is that of the report. */
const fromDocument = ({ next: _, words, ...from }: FromReport) => ({
  ...from,
  words: words.map(evidenceDocument),
});

/** The parts of reports that documents contain as text. */
interface Printable {
  readonly findings?: readonly FindingReport[];
  readonly stories?: readonly StoryReport[];
  readonly notLookedAt?: readonly NotLookedAt[];
  readonly from?: FromReport;
  readonly next?: NextReport;
  readonly matches?: readonly ExplainedText[] | undefined;
  readonly live?: readonly ClusterFinding[];
}

/** The document behind JSON and YAML: each value of a report that has a text form gets it beside it. */
export function reportDocument<R extends Printable>(report: R) {
  const { findings, stories, notLookedAt, from, next, matches, live } = report;
  return {
    ...report,
    ...(findings === undefined ? {} : { findings: findings.map(findingDocument) }),
    ...(stories === undefined ? {} : { stories: stories.map(withNext) }),
    ...(notLookedAt === undefined ? {} : { notLookedAt: notLookedAt.map(unreadDocument) }),
    ...(next === undefined ? {} : { next: remedyDocument(next) }),
    ...(matches === undefined ? {} : { matches: matches.map(matchDocument) }),
    ...(live === undefined ? {} : { live: live.map((one) => withNext(withAdviceText(one))) }),
    ...(from === undefined ? {} : { from: fromDocument(from) }),
  };
}

/** The same for an explanation. */
export const explanationDocument = ({ cluster, clusterMore, ...explanation }: Explanation) => ({
  ...reportDocument(explanation),
  ...(cluster === undefined ? {} : { cluster: withNext(withAdviceText(cluster)) }),
  ...(clusterMore === undefined
    ? {}
    : { clusterMore: clusterMore.map((one) => withNext(withAdviceText(one))) }),
});

/** The same for JSON. Texts of findings are made one by one while writing: they are not all in memory. */
export const jsonDocument = <R extends Printable & { readonly findings: readonly FindingReport[] }>(
  report: R,
) => ({
  ...reportDocument({ ...report, findings: [] }),
  findings: report.findings.map((finding) => ({ toJSON: () => findingDocument(finding) })),
});
