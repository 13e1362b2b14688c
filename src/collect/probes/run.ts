import { setMaxListeners } from 'node:events';
import { atLeast } from '../../apiserver/server-version.ts';
import {
  type AggregatedApiCallout,
  type Callout,
  calloutId,
  isAdmission,
  isServiceBacked,
  isUrlBacked,
} from '../../facts/callout.ts';
import { type Lookup, lookup } from '../../facts/lookup.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { CalloutProbes, ClockReading, Dialogue, ProxyAnswer, ReplicaProbe } from '../../facts/probes.ts';
import type { Right } from '../../facts/right.ts';
import type { Facts } from '../../facts/snapshot.ts';
import type { AllowRule, Unread } from '../../facts/unread.ts';
import type { ClusterProber } from '../cluster-prober.ts';
import { answersGet } from './answers-get.ts';
import { type Conversation, converse, type Question } from './conversation.ts';
import { askDiscovery } from './discovery.ts';
import { dryRunOf, invalidAfter, planDryRun, type Sent, sendDryRun } from './dry-run.ts';
import { looksSound } from './looks-sound.ts';
import { directPeer, forwardedPeer, type Peer } from './peer.ts';
import { askProxy, type ProxyTarget } from './proxies.ts';
import { type CalloutQuestion, questionOf } from './question.ts';
import { type Refusals, refusals } from './refusals.ts';
import { shared } from './shared.ts';
import { patientSlots } from './slots.ts';
import { hostOf, mostReplicas, serverNameOf, type Target, targetsOf } from './targets.ts';
import { cutOff, wayUnread } from './unread.ts';

export interface ProbePlan {
  readonly level: CalloutProbes['level'];
  /** Handshakes alone: no proxies, no discovery. For whoever asks for certificates only. */
  readonly handshakesOnly?: boolean;
  /** Ends all probes; what is known stays known. */
  readonly interrupted?: AbortSignal;
  readonly onStage?: (stage: string) => void;
}

export interface Probed {
  readonly probes: Lookup<CalloutProbes>;
  readonly clock: ClockReading | undefined;
  /** Services (`namespace/name`) of callouts that did not answer as they should, all in the same way. */
  readonly troubled: ReadonlySet<string>;
  /** Rights that were missing, and an end before time: one line each. */
  readonly notLookedAt: readonly Unread[];
}

export type ProbeFacts = Pick<
  Facts,
  'version' | 'callouts' | 'services' | 'endpointSlices' | 'namespaces' | 'served'
>;

/** Probes under way, at most; one that takes longer than the patience (milliseconds) does not count. */
const atOnce = 24;
const patience = 1_000;

const isUnread = (value: object): value is Unread => 'why' in value && 'what' in value;

interface Run {
  readonly prober: ClusterProber;
  readonly facts: ProbeFacts;
  readonly plan: ProbePlan;
  readonly signal: AbortSignal;
  readonly refused: Refusals;
  readonly slot: <T>(task: () => Promise<T>) => Promise<T>;
  readonly conversations: (key: string, make: () => Promise<Conversation>) => Promise<Conversation>;
  readonly proxies: (key: string, make: () => Promise<ProxyAnswer | Unread>) => Promise<ProxyAnswer | Unread>;
  readonly dryRuns: (key: string, make: () => Promise<Sent>) => Promise<Sent>;
  /** Who talks to whom, by the conversation's key. */
  readonly partners: ReadonlyMap<string, readonly Partner[]>;
}

/** One callout's part at a peer. */
interface Partner {
  readonly question: Question;
  /** Milliseconds. */
  readonly timeout: number;
}

/** `value`, or why there is none because everything ended. Other errors are ours. */
async function orCutOff<T>(run: Run, what: string, task: () => Promise<T>): Promise<T | Unread> {
  if (run.signal.aborted) return cutOff(what, run.prober.ended);
  try {
    return await task();
  } catch (error) {
    if (run.signal.aborted) return cutOff(what, run.prober.ended);
    throw error;
  }
}

/** What port-forward needs. From Kubernetes 1.35 on opening one over a WebSocket takes `create` as well. */
export const forwardRights: readonly Right[] = [
  {
    group: '',
    resource: 'pods/portforward',
    verbs: ['get', 'create'],
    scope: 'backends',
    use: 'a TLS handshake with each replica',
  },
];

const forwardRule = (namespace: string, version: string | undefined): AllowRule => ({
  apiGroups: [''],
  resources: ['pods/portforward'],
  verbs: atLeast(version, 35) ? ['get', 'create'] : ['get'],
  namespace,
});

/** Milliseconds: a shorter silence may be a busy moment of a machine on the way, and is listened to once more. */
const telling = 5_000;

const isSilent = ({ failure, reviews }: Dialogue): boolean =>
  [failure, ...reviews.map((review) => review.failure)].some((one) => one?.kind === 'timed-out');

/** Milliseconds: the longest that a callout waits that calls this peer. */
const longest = (run: Run, key: string): number =>
  Math.max(...(run.partners.get(key) ?? []).map(({ timeout }) => timeout));

/** The conversation of everybody who would call this peer in the same way, held once. */
function talk(run: Run, key: string, peer: Peer): Promise<Conversation> {
  const partners = run.partners.get(key) ?? [];
  const timeout = longest(run, key);
  const wish = { timeout, version: run.facts.version, signal: run.signal };
  const hold = (some: readonly Partner[]): Promise<Conversation> =>
    run.slot(() =>
      converse(
        peer,
        some.map(({ question }) => question),
        wish,
      ),
    );
  return run.conversations(key, async () => {
    const first = await hold(partners);
    if (timeout >= telling || !('dialogues' in first)) return first;
    const { dialogues } = first;
    const unheard = partners.filter(({ question }) => {
      const dialogue = dialogues.get(question.callout);
      return dialogue !== undefined && isSilent(dialogue);
    });
    const again = unheard.length === 0 ? first : await hold(unheard);
    return 'dialogues' in again ? { dialogues: new Map([...dialogues, ...again.dialogues]) } : first;
  });
}

const isMute = (answer: ProxyAnswer | Unread): boolean =>
  !isUnread(answer) && !answer.reached && answer.status === 0;

/** @param time 2: whoever was asked before is asked again. */
async function ask(
  run: Run,
  target: ProxyTarget,
  timeout: number,
  time: 1 | 2 = 1,
): Promise<ProxyAnswer | Unread> {
  const { way, namespace, name, port } = target;
  const plural = way === 'service-proxy' ? 'services/proxy' : 'pods/proxy';
  const what = `${plural} to ${namespace}/${name}`;
  const before = run.refused.known(plural, namespace);
  if (before !== undefined) return before;
  const answer = await orCutOff(run, what, () =>
    run.proxies(`${way} ${namespace}/${name}:${port} ${time}`, () =>
      run.slot(
        async () => run.refused.known(plural, namespace) ?? askProxy(run.prober, target, timeout, run.signal),
      ),
    ),
  );
  if (isUnread(answer)) run.refused.remember(plural, namespace, answer);
  return answer;
}

const unanswered = (dialogue: Dialogue): Dialogue => ({
  ...dialogue,
  failure: { stage: 'http', kind: 'timed-out', text: 'no answer to a GET', milliseconds: telling },
});

/**
 * A proxy that is silent while the replica talks to us is asked again: one that is only busy must not be taken for a
 * network that loses packets. Undefined: the server answers us no sooner what the proxy asks.
 */
async function againTo(
  run: Run,
  peer: Peer,
  target: ProxyTarget,
  timeout: number,
): Promise<ProxyAnswer | Unread | undefined> {
  const patient = Math.max(timeout, telling);
  const what = `a GET by port-forward to Pod ${target.namespace}/${target.name}`;
  const [heard, answers] = await Promise.all([
    ask(run, target, patient, 2),
    orCutOff(run, what, async () => ({
      answers: await answersGet(peer, patient, run.facts.version, run.signal),
    })),
  ]);
  return !isMute(heard) || isUnread(answers) || answers.answers ? heard : undefined;
}

const conversationKey = (target: Target, serverName: string): string =>
  `${target.namespace}/${target.pod ?? ''}:${target.port} ${serverName}`;

/** The dialogue that a callout had in a conversation, and what of it could not be had. */
function partOf(
  run: Run,
  outcome: Conversation | Unread,
  callout: string,
  what: string,
  asks: boolean,
  allow: AllowRule,
): { readonly dialogues: readonly Dialogue[]; readonly notTried: readonly Unread[] } {
  if ('broken' in outcome) {
    const unread = wayUnread(what, outcome.broken, allow);
    return { dialogues: [], notTried: [unread] };
  }
  if (!('dialogues' in outcome)) return { dialogues: [], notTried: [outcome] };
  const dialogue = outcome.dialogues.get(callout);
  if (dialogue === undefined) return { dialogues: [], notTried: [cutOff(what, run.prober.ended)] };
  if (dialogue.cutShort)
    return { dialogues: [dialogue], notTried: [cutOff(`a review by ${what}`, run.prober.ended)] };
  const lost = asks && dialogue.reviews.length === 0 && dialogue.failure === undefined;
  const way: Unread = {
    what: `a review by ${what}`,
    why: 'unreachable',
    detail: 'its connection was not made',
  };
  return { dialogues: [dialogue], notTried: lost ? [way] : [] };
}

/**
 * A port-forward needs a Pod, the API server's proxies pass on to addresses of Pods only
 * (pkg/registry/core/service/storage isValidAddress), and what has this address here may be another machine.
 */
const podless =
  "no Pod stands for this address: neither a port-forward nor the API server's proxies lead there";

async function probeReplica(
  run: Run,
  callout: Callout,
  { question }: CalloutQuestion,
  target: Target,
): Promise<ReplicaProbe> {
  const { namespace, pod, port, endpoint, ready } = target;
  const base = { ...(pod === undefined ? {} : { pod }), port, endpoint, ready };
  if (pod === undefined) {
    return { ...base, dialogues: [], notTried: [{ what: endpoint, why: 'not-requested', detail: podless }] };
  }
  const serverName = serverNameOf(callout);
  const key = conversationKey(target, serverName);
  const what = `port-forward to Pod ${namespace}/${pod}`;
  const rule = forwardRule(namespace, run.facts.version);
  const timeout = longest(run, key);
  const proxied: ProxyTarget = { way: 'pod-proxy', namespace, name: pod, port };
  const peer = forwardedPeer(run.prober, { namespace, pod, port }, serverName);
  const forwarding = async (): Promise<Conversation | Unread> => {
    const refused = run.refused.known('pods/portforward', namespace);
    if (refused !== undefined) return refused;
    return orCutOff(run, what, () => talk(run, key, peer));
  };
  const [outcome, heard] = await Promise.all([
    forwarding(),
    run.plan.handshakesOnly ? undefined : ask(run, proxied, timeout),
  ]);
  const part = partOf(run, outcome, calloutId(callout), what, question.review !== undefined, rule);
  const answered = part.dialogues.some((dialogue) => dialogue.handshake !== undefined && !isSilent(dialogue));
  const proxy = heard && isMute(heard) && answered ? await againTo(run, peer, proxied, timeout) : heard;
  // What an APIService is called with is a GET.
  const mute = heard !== undefined && proxy === undefined && callout.kind === 'aggregated-api';
  for (const unread of part.notTried) run.refused.remember('pods/portforward', namespace, unread);
  // A Pod that does not run, or is gone by now, takes no port-forward, as its objects tell.
  if ('broken' in outcome && ready) {
    for (const unread of part.notTried.filter(({ detail = '' }) => !/not found$/.test(detail)))
      run.refused.broke('pods/portforward', namespace, unread);
  }
  const unreadProxy = proxy !== undefined && isUnread(proxy) ? [proxy] : [];
  return {
    ...base,
    dialogues: mute ? part.dialogues.map(unanswered) : part.dialogues,
    ...(proxy === undefined || isUnread(proxy) ? {} : { proxy }),
    notTried: [...part.notTried, ...unreadProxy],
  };
}

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/i;

const urlKey = (callout: Callout): string => {
  const at = hostOf(callout.client.url ?? '');
  return `url ${at?.host ?? ''}:${at?.port ?? 0}`;
};

async function probeUrl(
  run: Run,
  callout: Callout,
  { question }: CalloutQuestion,
): Promise<Pick<CalloutProbes, 'url' | 'notTried'>> {
  const at = hostOf(callout.client.url ?? '');
  const what = `a connection to ${callout.client.url ?? ''}`;
  const left = (detail: string) => ({ notTried: [{ what, why: 'not-requested' as const, detail }] });
  if (at === undefined) return left('it is no https URL');
  if (loopback.test(at.host)) return left("it means the API server's own machine, which is not this one");
  const outcome = await orCutOff(run, what, () =>
    talk(run, urlKey(callout), directPeer(at.host, at.port, at.host)),
  );
  const rule = { apiGroups: [], resources: [], verbs: [] };
  const part = partOf(run, outcome, calloutId(callout), what, question.review !== undefined, rule);
  const [url] = part.dialogues;
  return { ...(url === undefined ? {} : { url }), notTried: part.notTried };
}

async function probeDryRun(
  run: Run,
  callout: Callout,
): Promise<Pick<CalloutProbes, 'dryRun' | 'invalid' | 'notTried'>> {
  if (run.plan.level !== 'review' || !isAdmission(callout)) return { notTried: [] };
  const { facts, prober, signal } = run;
  const planned = planDryRun(callout, facts.callouts, facts, facts.version);
  if (isUnread(planned)) return { notTried: [planned] };
  const way = `${planned.request.verb} of ${planned.sample.served.resource} (dry run)`;
  const namespace = planned.sample.request.namespace ?? '';
  const what = `a server-side dry run: ${way}`;
  const sent = await orCutOff(run, what, () =>
    run.dryRuns(planned.key, () =>
      run.slot(() => sendDryRun(prober, planned, callout.timeoutSeconds, signal)),
    ),
  );
  if (isUnread(sent)) return { notTried: [sent] };
  const outcome = dryRunOf(callout, facts, planned, sent);
  if (!isUnread(outcome)) return { dryRun: outcome, notTried: [] };
  run.refused.remember(way, namespace, outcome);
  const invalid = invalidAfter(callout, planned, sent);
  return { ...(invalid === undefined ? {} : { invalid }), notTried: [outcome] };
}

async function probeDiscovery(
  run: Run,
  callout: AggregatedApiCallout,
): Promise<Pick<CalloutProbes, 'discovery' | 'notTried'>> {
  const what = `GET /apis/${callout.group}/${callout.version}`;
  const outcome = await orCutOff(run, what, () =>
    run.slot(() => askDiscovery(run.prober, callout, run.signal)),
  );
  return isUnread(outcome) ? { notTried: [outcome] } : { discovery: outcome, notTried: [] };
}

/** What a callout is about to be asked, and where. */
interface Planned {
  readonly callout: Callout;
  readonly asked: CalloutQuestion;
  readonly targets: readonly Target[];
  readonly unread: readonly Unread[];
}

function planOf(callout: Callout, facts: ProbeFacts, plan: ProbePlan): Planned {
  const asked = questionOf(callout, facts, facts.version, plan.level === 'review');
  const unasked = asked.unasked === undefined ? [] : [asked.unasked];
  const targets = isServiceBacked(callout) ? targetsOf(callout, facts) : [];
  if (!Array.isArray(targets))
    return { callout, asked, targets: [], unread: [...unasked, targets as Unread] };
  const left = targets.length - mostReplicas;
  const rest: Unread = {
    what: `${left} more replicas`,
    why: 'not-requested',
    detail: `${mostReplicas} of a callout's ${targets.length} replicas are tried`,
  };
  return {
    callout,
    asked,
    targets: targets.slice(0, mostReplicas),
    unread: left > 0 ? [...unasked, rest] : unasked,
  };
}

function partnersOf(plans: readonly Planned[]): ReadonlyMap<string, readonly Partner[]> {
  const partners = new Map<string, Partner[]>();
  for (const { callout, asked, targets } of plans) {
    const partner = { question: asked.question, timeout: callout.timeoutSeconds * 1000 };
    const serverName = serverNameOf(callout);
    const keys = isUrlBacked(callout)
      ? [urlKey(callout)]
      : targets.map((target) => conversationKey(target, serverName));
    for (const key of keys) partners.set(key, [...(partners.get(key) ?? []), partner]);
  }
  return partners;
}

async function probeCallout(run: Run, planned: Planned): Promise<CalloutProbes> {
  const { callout, asked, targets, unread } = planned;
  const { level, handshakesOnly = false } = run.plan;
  const { service } = callout.client;
  const throughService =
    service === undefined || targets.every(({ pod }) => pod === undefined) || handshakesOnly
      ? undefined
      : ask(
          run,
          { way: 'service-proxy', namespace: service.namespace, name: service.name, port: service.port },
          callout.timeoutSeconds * 1000,
        );
  const nothing = { notTried: [] };
  const [replicas, serviceProxy, url, dryRun, discovery] = await Promise.all([
    Promise.all(targets.map((target) => probeReplica(run, callout, asked, target))),
    throughService,
    isUrlBacked(callout) ? probeUrl(run, callout, asked) : nothing,
    handshakesOnly ? nothing : probeDryRun(run, callout),
    callout.kind === 'aggregated-api' && !handshakesOnly ? probeDiscovery(run, callout) : nothing,
  ]);
  const unreadProxy = serviceProxy !== undefined && isUnread(serviceProxy) ? [serviceProxy] : [];
  return {
    level,
    serverName: serverNameOf(callout),
    replicas,
    ...url,
    ...dryRun,
    ...discovery,
    ...(serviceProxy === undefined || isUnread(serviceProxy) ? {} : { serviceProxy }),
    notTried: [...unread, ...url.notTried, ...dryRun.notTried, ...discovery.notTried, ...unreadProxy],
  };
}

const nothingSeen: CalloutProbes = { level: 'connect', serverName: '', replicas: [], notTried: [] };

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

/**
 * Connects to every replica of the given callouts, over every way that the level and the user's rights allow. Never
 * throws for what a backend, a kubelet or the API server does; all of that is what was to be seen.
 */
export async function probe(
  prober: ClusterProber,
  facts: ProbeFacts,
  callouts: readonly Callout[],
  plan: ProbePlan,
): Promise<Probed> {
  const ends = [prober.ended, plan.interrupted].filter((signal) => signal !== undefined);
  const signal = AbortSignal.any(ends);
  // Every connection listens, and there are many at once.
  setMaxListeners(0, signal);
  const plans = callouts.map((callout) => planOf(callout, facts, plan));
  const run: Run = {
    prober,
    facts,
    plan,
    signal,
    refused: refusals(),
    slot: patientSlots(atOnce, patience),
    conversations: shared(),
    proxies: shared(),
    dryRuns: shared(),
    partners: partnersOf(plans),
  };
  const waiting = new Set(plans);
  const stage = (): void => {
    const [next] = waiting;
    if (next === undefined) return;
    const replicas = counted(next.targets.length, 'replica');
    const others = waiting.size > 1 ? ` and ${waiting.size - 1} more` : '';
    plan.onStage?.(`asking ${calloutId(next.callout)} (${replicas})${others}`);
  };
  stage();
  const entries = await Promise.all(
    plans.map(async (planned): Promise<readonly [string, CalloutProbes]> => {
      const probes = await probeCallout(run, planned);
      waiting.delete(planned);
      stage();
      return [calloutId(planned.callout), probes];
    }),
  );
  const known = new Map(entries);
  const missing: Unread = { what: 'probes of a callout that was not asked about', why: 'not-requested' };
  const early = run.signal.aborted ? [cutOff('some replicas', prober.ended)] : [];
  return {
    probes: lookup(known, () => missing, missing),
    clock: prober.clock(),
    troubled: new Set(
      callouts
        .filter((callout) => !looksSound(known.get(calloutId(callout)) ?? nothingSeen))
        .flatMap(({ client: { service } }) => (service === undefined ? [] : [keyOf(service)])),
    ),
    notLookedAt: [...run.refused.told(), ...early],
  };
}
