import type { Callout } from '../../facts/callout.ts';
import type { CalloutProbes } from '../../facts/probes.ts';
import { directPeer } from './peer.ts';
import { urlKey } from './plan.ts';
import type { CalloutQuestion } from './question.ts';
import { orCutOff, type Run } from './run.ts';
import { partOf, talk } from './talk.ts';
import { urlAddress } from './targets.ts';

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/i;

/** Probes a URL directly from this machine. */
export async function probeUrl(
  run: Run,
  callout: Callout,
  { question }: CalloutQuestion,
): Promise<Pick<CalloutProbes, 'url' | 'notTried'>> {
  const at = urlAddress(callout.client.url ?? '');
  const what = `a connection to ${callout.client.url ?? ''}`;
  const left = (detail: string) => ({ notTried: [{ what, why: 'not-requested' as const, detail }] });
  if (at === undefined) return left('it is not an https URL');
  if (loopback.test(at.host)) return left("it points to the API server's own machine, which is not this one");
  const outcome = await orCutOff(run, what, () =>
    talk(run, urlKey(callout), directPeer(at.host, at.port, at.host)),
  );
  const allow = { apiGroups: [], resources: [], verbs: [] };
  const part = partOf(run, outcome, callout, { what, asks: question.review !== undefined, allow });
  const [url] = part.dialogues;
  return { ...(url === undefined ? {} : { url }), notTried: part.notTried };
}
