import { defined } from '../basics/collections.ts';
import { limits } from '../basics/limits.ts';
import { catalogue } from '../checks/catalogue.ts';
import { adviceForText, isExplainedBy } from '../checks/check.ts';
import { explanations } from '../checks/explanations.ts';
import { type CausesOf, explainTexts, type NamedInText, nameInText } from '../explain/explain.ts';
import type { ClusterFinding, ExplainedText, Explanation, LikelyCause } from '../explain/explanation.ts';
import { causeIds, knownTextsOf } from '../explain/likely-causes.ts';
import { nearestTo } from '../explain/nearest.ts';
import { calloutKinds } from '../facts/callout.ts';
import { withClusterFlags } from '../phrases/advice.ts';
import { listed } from '../phrases/lists.ts';
import { CannotStart } from './cluster/cannot-start.ts';
import { type ClusterOptions, onCluster } from './cluster/with-cluster.ts';
import { hasPipedInput, inputFrom } from './input/input-file.ts';

/** The arguments and flags of `explain`. */
export interface ExplainOptions {
  /** Arguments as typed; a single `-`, or none and a pipe: standard input. */
  readonly texts: readonly string[];
  readonly file?: string | undefined;
  readonly now: Date;
  /** Undefined: no cluster is examined. */
  readonly cluster?: ClusterOptions | undefined;
  /** Flags that select the same cluster in a suggested command, with a leading space: ` --context prod`. */
  readonly sameCluster?: string | undefined;
  readonly onStage?: (stage: string) => void;
}

const checks = new Map(catalogue.map((check) => [check.meta.id, check]));

/** Causes in the backend and in its Pods of a check that only reports a consequence. */
function behind(id: string): readonly string[] {
  const check = checks.get(id);
  if (check?.meta.noRemedy !== 'only-follows' || check.meta.follows === 'every-break') return [];
  const causes = catalogue.filter((cause) => isExplainedBy(check, cause));
  return ['backend', 'replica'].flatMap((link) =>
    causes.flatMap(({ meta }) => (meta.link === link ? meta.id : [])),
  );
}

/** Causes of a text: the checks whose metadata says that they explain it. */
export const causesOf: CausesOf = (found) =>
  causeIds(found, (text) => explanations[text] ?? []).map((id) => ({
    id,
    title: checks.get(id)?.meta.title ?? id,
    behind: behind(id),
  }));

/** These causes with the manual steps for each. */
const causesAndSteps: CausesOf = (found) => {
  const texts = knownTextsOf(found);
  return causesOf(found).map((cause) => {
    const meta = checks.get(cause.id)?.meta;
    return meta === undefined ? cause : { ...cause, advice: adviceForText(meta, found.text, texts) };
  });
};

/** Maximum number of webhooks and APIServices to examine in the cluster. */
const mostNamed = 5;

/** Throws CannotStart if there is no text, or a file that cannot be read. */
async function inputOf({ texts, file }: ExplainOptions): Promise<string> {
  const isPiped = texts.length === 0 ? hasPipedInput() : texts.length === 1 && texts[0] === '-';
  const from = file ?? (isPiped ? '-' : undefined);
  const atMost = { bytes: limits.text, advice: 'For a log: kubectl webhook scan FILE' };
  const text = from === undefined ? texts.join(' ') : (await inputFrom(from, atMost)).toString('utf8');
  if (text.trim() !== '') return text;
  throw new CannotStart(
    'there is no text to explain',
    'Give it as an argument, with -f FILE, or on standard input.',
  );
}

/** What a text names, as an indefinite noun. An APIService without a Service, as for Ingresses, is not looked for. */
const titles: Readonly<Record<NamedInText['kind'], string>> = {
  webhook: 'webhook',
  conversion: 'conversion webhook for',
  service: 'webhook or APIService with Service',
  apiservice: 'APIService with a Service for',
  resource: 'APIService with a Service for',
};

/** Text for names that the cluster does not have, or not among the objects that could be read. */
const absentText = (named: readonly NamedInText[], isPartly: boolean): string =>
  `${isPartly ? 'among what could be read, there is no' : 'there is no'} ${listed(
    named.map(({ kind, name }) => `${titles[kind]} ${name}`),
    { word: 'or' },
  )}`;

/** Whether findings of a check can be consequences of those of another one. */
function isConsequence(id: string, causeId: string): boolean {
  const [check, cause] = [id, causeId].map((one) => catalogue.find(({ meta }) => meta.id === one));
  return check !== undefined && cause !== undefined && isExplainedBy(check, cause);
}

/** The position of a check in a list; behind the list if it is not in it. */
const rankIn = (list: readonly string[], { check }: { readonly check: string }): number =>
  list.includes(check) ? list.indexOf(check) : list.length;

/**
 * The match with the webhook or APIService of the cluster that it names, also in its commands. Causes that the
 * cluster has now are first.
 */
function withConfiguration(match: ExplainedText, live: readonly ClusterFinding[]): ExplainedText {
  const name = nameInText(match)?.name;
  const { callout, because = [], advice } = live.find((one) => one.name === name) ?? {};
  if (callout === undefined) return match;
  // Of the present causes, those that the text is about, or the one of which these are consequences.
  const present = match.causes.filter(({ check }) => because.includes(check));
  const found = because
    .filter((cause) => present.some(({ check }) => check === cause || isConsequence(check, cause)))
    .slice(0, 1);
  const causes = [
    ...found.map((check) => ({
      ...(match.causes.find((cause) => cause.check === check) ?? {
        check,
        title: checks.get(check)?.meta.title ?? check,
      }),
      ...defined({ advice }),
    })),
    ...match.causes
      .filter(({ check }) => !found.includes(check))
      .toSorted((a, b) => rankIn(because, a) - rankIn(because, b)),
  ].map((cause, at) => ({ ...cause, likely: at + 1 }));
  const doctor = 'kubectl webhook doctor';
  const about = (cause: LikelyCause | undefined) => `kubectl webhook checks ${cause?.check}`;
  const commands = match.commands.map((command) => {
    if (command === doctor) return `${doctor} ${callout}`;
    return command === about(match.causes[0]) ? about(causes[0]) : command;
  });
  const { incidents, ...others } = match;
  const isSame = causes[0]?.check === match.causes[0]?.check;
  return { ...others, ...(isSame ? defined({ incidents }) : {}), configuration: callout, causes, commands };
}

/** True for a callout that a text can be about: these two classes are those of one kind. */
const isOfKind = (callout: string, matches: readonly ExplainedText[]): boolean =>
  matches.some(
    ({ class: kind }) =>
      (kind !== 'aggregated-api' && kind !== 'conversion') ||
      callout.startsWith(`${calloutKinds[kind].prefix}/`),
  );

/** Adds to each match its configuration, and the state of the cluster, now or at the time of the snapshot. */
async function inCluster(
  matches: readonly ExplainedText[],
  { cluster, now, onStage, sameCluster = '' }: ExplainOptions,
): Promise<Omit<Explanation, 'apiVersion' | 'kind'>> {
  const named = matches.flatMap((match) => nameInText(match) ?? []).slice(0, mostNamed);
  const isRecorded = cluster?.snapshot !== undefined;
  if (cluster === undefined || (matches.length === 0 && !isRecorded))
    return { takenAt: now.toISOString(), matches };
  const suspected = new Set(matches.flatMap(({ causes }) => causes.map(({ check }) => check)));
  onStage?.('examining the cluster');
  try {
    const { examineWebhooks } = await import('./scan/look-at-cluster.ts');
    const { takenAt, found } = await onCluster(cluster, async (reader, prober) => ({
      takenAt: reader.recorded?.facts.takenAt ?? now.toISOString(),
      found:
        matches.length === 0
          ? undefined
          : await examineWebhooks({ reader, prober, now, sameCluster }, named.length === 0 ? 'all' : named),
    }));
    if (found === undefined) return { takenAt, matches };
    const { live = [], notLookedAt } = found;
    // A text without a name may concern every callout of its kind that fails for one of its causes.
    const concerned = live.filter(
      ({ because, callout }) =>
        named.length > 0 || (because.some((check) => suspected.has(check)) && isOfKind(callout, matches)),
    );
    const [first, ...others] = concerned;
    return {
      takenAt,
      matches: matches
        .map((match) => withConfiguration(match, live))
        .map((match) => ({
          ...match,
          commands: match.commands.map((command) => withClusterFlags(command, sameCluster)),
        })),
      ...(first === undefined
        ? {
            notLive:
              named.length === 0
                ? 'no webhook or APIService currently fails for one of these causes'
                : absentText(named, notLookedAt !== undefined),
          }
        : { cluster: first }),
      ...(others.length === 0 ? {} : { clusterMore: others }),
      ...(notLookedAt === undefined ? {} : { notLookedAt }),
    };
  } catch (error) {
    if (!(error instanceof CannotStart) || isRecorded) throw error;
    return { takenAt: now.toISOString(), matches, notLive: error.sentence };
  }
}

/**
 * Explains a pasted text: the known texts in it, the possible causes of each, and which of them the cluster
 * has now. Throws CannotStart for input that cannot be read.
 */
export async function explain(options: ExplainOptions): Promise<Explanation> {
  const input = await inputOf(options);
  const { texts, notRead } = explainTexts(input, causesAndSteps);
  const nearest = texts.length === 0 ? nearestTo(input) : undefined;
  const found = await inCluster(texts, options);
  return {
    apiVersion: 'kubectl-webhook/v1',
    kind: 'Explanation',
    ...found,
    ...(notRead === 0 ? {} : { notRead }),
    ...(nearest === undefined ? {} : { nearest }),
  };
}
