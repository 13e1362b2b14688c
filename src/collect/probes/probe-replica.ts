import { serverHost } from '../../apiserver/certificate/server-host.ts';
import { type Callout, isReviewed } from '../../facts/callout.ts';
import type { Dialogue, ReplicaProbe } from '../../facts/probes.ts';
import { behaves } from '../../facts/server-version.ts';
import type { AllowRule, Unread } from '../../facts/unread.ts';
import { againTo, askThroughProxy, isMute } from './ask-through-proxy.ts';
import type { ConversationResult } from './conversation.ts';
import { askDirectly, type DirectExtent } from './direct.ts';
import { directPeer, forwardedPeer } from './peer.ts';
import { conversationKey } from './plan.ts';
import type { ProxyTarget } from './proxies.ts';
import type { CalloutQuestion } from './question.ts';
import { isUnread, orCutOff, type Run } from './run.ts';
import { isSilent, longest, partOf, talk, telling } from './talk.ts';
import type { ReplicaTarget } from './targets.ts';

const forwardRule = (namespace: string, version: string | undefined): AllowRule => ({
  apiGroups: [''],
  resources: ['pods/portforward'],
  verbs: behaves(version, 'port-forward-create') ? ['get', 'create'] : ['get'],
  namespace,
});

const unanswered = (dialogue: Dialogue): Dialogue => ({
  ...dialogue,
  failure: { stage: 'http', kind: 'timed-out', text: 'no answer to a GET', milliseconds: telling },
});

/**
 * A port-forward needs a Pod, the API server's proxies pass on to addresses of Pods only
 * (pkg/registry/core/service/storage isValidAddress), and what has this address here may be another machine.
 */
const podless =
  "no Pod has this address, so neither a port-forward nor the API server's proxies can reach it";

/** One replica: by port-forward, through the API server's proxy to the Pod, and from here where that adds something. */
export async function probeReplica(
  run: Run,
  callout: Callout,
  { question }: CalloutQuestion,
  target: ReplicaTarget,
): Promise<ReplicaProbe> {
  const { namespace, pod, port, endpoint, ready } = target;
  const base = { ...(pod === undefined ? {} : { pod }), port, endpoint, ready };
  if (pod === undefined) {
    return { ...base, dialogues: [], notTried: [{ what: endpoint, why: 'not-requested', detail: podless }] };
  }
  const serverName = serverHost(callout) ?? '';
  const key = conversationKey(target, serverName);
  const what = `port-forward to Pod ${namespace}/${pod}`;
  const right = { resource: 'pods/portforward', verb: 'get', namespace };
  const rule = forwardRule(namespace, run.facts.version);
  const timeout = longest(run, key);
  const proxied: ProxyTarget = { way: 'pod-proxy', namespace, name: pod, port };
  const peer = forwardedPeer(run.prober, { namespace, pod, port }, serverName);
  const forwarding = async (): Promise<ConversationResult | Unread> => {
    const refused = run.refused.known(right);
    if (refused !== undefined) return refused;
    return orCutOff(run, what, () => talk(run, key, peer));
  };
  const [outcome, proxyResponse] = await Promise.all([
    forwarding(),
    run.plan.replicasOnly ? undefined : askThroughProxy(run, proxied, timeout),
  ]);
  const part = partOf(run, outcome, callout, what, question.review !== undefined, rule);
  for (const unread of part.notTried) run.refused.stands(right, unread);
  const extent = directExtent(
    run,
    'dialogues' in outcome,
    proxyResponse !== undefined && isUnread(proxyResponse),
  );
  const straight = directPeer(target.address, port, serverName);
  const direct = extent && (await askDirectly(run, callout, target, straight, key, extent));
  const dialogues = [...part.dialogues, ...(direct === undefined ? [] : [direct])];
  const answering = dialogues.find((dialogue) => dialogue.handshake !== undefined && !isSilent(dialogue));
  const proxy =
    proxyResponse && isMute(proxyResponse) && answering
      ? await againTo(run, answering === direct ? straight : peer, proxied, timeout)
      : proxyResponse;
  // What an APIService is called with is a GET.
  const mute = proxyResponse !== undefined && proxy === undefined && !isReviewed(callout);
  // All that a port-forward would have told, over a way that a call comes nearer to.
  const madeUp = extent === 'whole' && direct?.handshake !== undefined;
  for (const unread of madeUp ? [] : part.notTried) run.refused.remember(right, unread);
  // A Pod that does not run, or is gone by now, takes no port-forward, as its objects tell.
  if ('broken' in outcome && ready && !madeUp) {
    for (const unread of part.notTried.filter(({ detail = '' }) => !/not found$/.test(detail)))
      run.refused.broke(right, unread);
  }
  const unreadProxy = proxy !== undefined && isUnread(proxy) ? [proxy] : [];
  return {
    ...base,
    dialogues: mute ? dialogues.map(unanswered) : dialogues,
    ...(proxy === undefined || isUnread(proxy) ? {} : { proxy }),
    notTried: [...(madeUp ? [] : part.notTried), ...unreadProxy],
  };
}

/** What a connection from here can add; undefined: nothing, or it would prove nothing. */
function directExtent(run: Run, forwarded: boolean, proxyUnread: boolean): DirectExtent | undefined {
  if (run.prober.amongPods !== true || run.signal.aborted) return undefined;
  if (!forwarded) return 'whole';
  return proxyUnread ? 'handshake' : undefined;
}
