import { byRank, groupBy } from '../basics/collections.ts';
import { calloutId } from '../facts/callout.ts';
import {
  type CalloutReport,
  calloutStates,
  type DoctorReport,
  effects,
  type FindingReport,
  type StoryReport,
} from './report.ts';
import { chainStates, unreadLinks } from './verdict/chain.ts';

/** A webhook or APIService, and the findings that explain its state. */
interface CalloutWithCause {
  readonly callout: CalloutReport;
  readonly cause: FindingReport | undefined;
  readonly also: readonly FindingReport[];
  readonly follows: readonly FindingReport[];
}

/** Those with one cause. */
type StoryGroup = readonly [CalloutWithCause, ...CalloutWithCause[]];

/** A report without its cause and the states of its links, which the stories add. */
export type CalloutBeforeStory = Omit<CalloutReport, 'chain' | 'cause'>;

type Outages = Pick<DoctorReport, 'blocked' | 'unchecked'>;

/** The cause that the verdict names first, and the other causes. */
function causesOf({ verdict: { because } }: CalloutBeforeStory, findings: readonly FindingReport[]) {
  const causes = findings.filter(({ check, causedBy }) => causedBy === undefined && because.includes(check));
  const cause = causes.find(({ check }) => check === because[0]) ?? causes[0];
  return { cause, also: causes.filter((finding) => finding !== cause) };
}

const backendOf = ({ backend: { service, url } }: CalloutReport): string =>
  service === undefined ? (url ?? '') : `${service.namespace}/${service.name}`;

/** Whether its name in a message means the webhook: some have the host of their Service as name. */
const isOwnName = ({ webhook, backend: { service } }: CalloutReport): boolean =>
  webhook.includes('.') && webhook !== `${service?.name}.${service?.namespace}.svc`;

/**
 * The key that groups webhooks and APIServices with the same cause: state, check, and the message without the
 * (dotted) name of the webhook itself. The backend is a part of it, unless the cause is outside of it.
 *
 * @param named removes the name of the webhook from a message.
 */
function causeKey({ callout, cause }: CalloutWithCause, named: (message: string) => string): string {
  const { verdict } = callout;
  const { state, link, because } = verdict;
  if (cause === undefined)
    return JSON.stringify([state, link, because, state === 'unknown' ? '' : backendOf(callout)]);
  const { check, confidence, message, sharedMessage } = cause;
  if (sharedMessage !== undefined) return JSON.stringify([state, check, confidence, sharedMessage]);
  return JSON.stringify([state, check, named(message), backendOf(callout)]);
}

/**
 * Replaces the name of a webhook in the message about it, also where the same message is about another one: `mpod.kb.io is
 * down` is the cause of both webhooks of its Pods.
 */
function withoutOwnNames(broken: readonly CalloutWithCause[]): (message: string) => string {
  const named = new Map(
    broken.flatMap(({ callout, cause: { message } = { message: '' } }) =>
      isOwnName(callout) && message.includes(callout.webhook)
        ? [[message, message.replaceAll(callout.webhook, '{}')] as const]
        : [],
    ),
  );
  return (message) => named.get(message) ?? message;
}

type Rank = (one: CalloutWithCause) => readonly number[];

/**
 * Orders webhooks and APIServices by blast radius: rejected requests before unchecked ones, work of the
 * cluster itself before that of its users, failing before degraded ones; then in the order of the outages,
 * which are sorted by their breadth.
 */
function blastRadius({ blocked, unchecked }: Outages): Rank {
  const of = new Map<string, { first: number; isUrgent: boolean; lines: number }>();
  for (const [at, { callouts, urgent }] of [...blocked, ...unchecked].entries())
    for (const id of callouts) {
      const { first = at, isUrgent = false, lines = 0 } = of.get(id) ?? {};
      of.set(id, { first, isUrgent: isUrgent || urgent === true, lines: lines + 1 });
    }
  return ({ callout }) => {
    const { state, effect } = callout.verdict;
    const { first = of.size, isUrgent = false, lines = 0 } = of.get(calloutId(callout)) ?? {};
    return [
      state === 'unknown' ? 1 : 0,
      effects.indexOf(effect),
      isUrgent ? 0 : 1,
      calloutStates.indexOf(state),
      first,
      -lines,
    ];
  };
}

const ids = (findings: readonly FindingReport[]): readonly string[] => findings.map(({ id }) => id);

/** The sentence of the cause; if it is another one for other webhooks, that without the names of one. */
const messageFor = (group: readonly CalloutWithCause[], { message, sharedMessage }: FindingReport): string =>
  group.every(({ cause }) => cause?.message === message) ? message : (sharedMessage ?? message);

function story(group: StoryGroup): StoryReport {
  const [{ callout, cause, also }] = group;
  const findings = group.flatMap((one) => [...(one.cause ? [one.cause] : []), ...one.also, ...one.follows]);
  return {
    state: callout.verdict.state,
    callouts: group.map((one) => calloutId(one.callout)),
    ...(cause === undefined ? {} : { cause: cause.id, message: messageFor(group, cause) }),
    also: ids(also),
    follows: [...new Set(group.flatMap(({ follows }) => follows.map(({ check }) => check)))],
    findings: ids(findings),
  };
}

/** Adds a problem, behind that of the webhook which its advice says to repair first. */
function behindItsBlocker(before: readonly StoryGroup[], group: StoryGroup): readonly StoryGroup[] {
  const blocks = (those: StoryGroup, { cause }: CalloutWithCause): boolean =>
    those.some(({ callout }) => callout.webhook === cause?.advice.names.blocker);
  const waiting = before.filter(([first]) => blocks(group, first) && !blocks([first], first));
  return [...before.filter((one) => !waiting.includes(one)), group, ...waiting];
}

/**
 * Adds the states of the links and the cause to each webhook and APIService of the report, and groups those
 * that are not healthy by their cause.
 *
 * @param hidden ids of webhooks and APIServices whose state is explained only by checks that filters leave
 * out.
 */
export function withStories(
  report: Omit<DoctorReport, 'callouts' | 'stories'> & { readonly callouts: readonly CalloutBeforeStory[] },
  hidden: ReadonlySet<string> = new Set(),
): DoctorReport {
  const about = groupBy(report.findings, ({ callout }) => callout);
  const isUnread = unreadLinks(report.notLookedAt);
  const withCauses = report.callouts.map((reported): CalloutWithCause => {
    const found = about.get(calloutId(reported)) ?? [];
    const { cause, also } = causesOf(reported, found);
    const chain = chainStates(reported, found, isUnread);
    const callout = { ...reported, chain, ...(cause === undefined ? {} : { cause: cause.id }) };
    return { callout, cause, also, follows: found.filter(({ causedBy }) => causedBy !== undefined) };
  });
  const broken = withCauses.filter(
    ({ callout }) => callout.verdict.state !== 'healthy' && !hidden.has(calloutId(callout)),
  );
  const rank = blastRadius(report);
  const named = withoutOwnNames(broken);
  const groups = [...groupBy(broken, (one) => causeKey(one, named)).values()]
    .map((group) => [...group].sort(byRank(rank)) as unknown as StoryGroup)
    .sort(byRank((group) => [...rank(group[0]), -group.length]));
  const ordered = groups.reduce<readonly StoryGroup[]>(behindItsBlocker, []);
  const { notLookedAt, ...rest } = report;
  return {
    ...rest,
    callouts: withCauses.map(({ callout }) => callout),
    stories: ordered.map(story),
    notLookedAt,
  };
}
