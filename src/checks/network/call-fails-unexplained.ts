import { apiOfPath } from '../../apiserver/aggregation/closed-api.ts';
import { callFacts } from '../../apiserver/next-call/call-facts.ts';
import { nextCall } from '../../apiserver/next-call/next-call.ts';
import { untriedAddresses } from '../../apiserver/routing/untried-addresses.ts';
import { meaningOf } from '../../apiserver/sentences/call-error/error-texts.ts';
import { parseCallError } from '../../apiserver/sentences/call-error/parse-call-error.ts';
import { type Callout, isLoopback } from '../../facts/callout.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { brief } from '../../phrases/brief.ts';
import { defineCheck, partial } from '../check.ts';

/** Certificates and responses: the server made them, so that the error shows what is wrong with it. */
const isOfServer = (link: string): boolean => link === 'tls' || link === 'response';
const longestError = 300;

/** An error without characters that have a meaning in a shell, also of Windows: its server can choose its text. */
const harmlessInShell = (error: string): string =>
  error
    .replaceAll(/[^\p{L}\p{N}\s"()[\]{}*=:,./@+_-]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .slice(0, longestError)
    .trim();

const readAdvice =
  '[look] Examine the aggregated API that serves the path: `kubectl webhook doctor {api}`. [look] List the causes of this error: `kubectl webhook explain {error}`. [look] Read the log of the backend at the time of the call: `kubectl -n {namespace} logs {backend}`.';

/** The APIService that serves the path of a webhook which is called through kube-apiserver; undefined for others. */
function apiBehind({ client: { service } }: Callout, { callouts }: Pick<Facts, 'callouts'>) {
  const isThroughItself = service !== undefined && isLoopback(service);
  const api = isThroughItself ? apiOfPath(service.path ?? '')?.api : undefined;
  const isServed = callouts.some((one) => one.kind === 'aggregated-api' && one.configuration === api);
  return isServed ? `apiservice/${api}` : undefined;
}

export const callFailsUnexplained = defineCheck({
  meta: {
    id: 'call-fails-unexplained',
    title: 'Calls fail, and no other check explains it',
    consequence: 'failing',
    why: 'The API server reported the failure during this run, or the objects that doctor read allow no other result. The reason is where doctor cannot look: in the network of the control plane, in a proxy, or in the process itself.',
    advice:
      '[look] Run doctor again, to rule out a momentary failure: `kubectl webhook doctor {configuration}`. [look] Read the log of the backend at the time of the call: `kubectl -n {namespace} logs {backend}`. [look] Search the log of kube-apiserver for `failed calling webhook`.',
    noRemedy: { because: 'the reason is not known' },
    messages: {
      all: 'The next call fails: {detail}',
      some: partial('Some of the next calls fail: {detail}'),
      read: {
        text: 'The next call fails: {detail}. {means}',
        advice: readAdvice,
      },
      readForSome: partial('Some of the next calls fail: {detail}. {means}', readAdvice),
    },
    lastResort: true,
    follows: ['service-external-name', 'service-not-proxied', 'internal-traffic-policy-local'],
  },
  requires: ['version', 'callouts', 'routing', ...callFacts],
  subjects: ({ callouts }) => callouts,
  run(callout, facts, find) {
    const next = nextCall(callout, facts);
    if (next.outcome !== 'fails' && next.outcome !== 'fails-for-some') return undefined;
    const link = next.link ?? 'network';
    const detail = next.sentences[0] ?? `it ends at ${link}`;
    const evidence = [{ object: callout.ref, value: detail }];
    const certainty = next.observed ? 'observed' : 'derived';
    const isAll = next.outcome === 'fails';
    // The API server's own call failed, and no probe shows that another address responds.
    const severity =
      next.observed && untriedAddresses(callout, facts) ? ({ severity: 'error' } as const) : {};
    const { cause } = parseCallError(detail) ?? {};
    const means = cause !== undefined && isOfServer(link) ? meaningOf(cause) : undefined;
    if (cause !== undefined && means !== undefined) {
      const data = { detail: brief(cause.text.slice(0, longestError)), means };
      // The message of a conversion webhook alone is not an error of the API server.
      const error = harmlessInShell(callout.kind === 'conversion' ? detail : cause.text);
      const names = { error, api: apiBehind(callout, facts) };
      return {
        ...find(isAll ? 'read' : 'readForSome', data, evidence, names, certainty),
        ...severity,
        link,
      };
    }
    const data = { detail: brief(detail.replace(/^.*? Post "[^"]*": /, '')) };
    return { ...find(isAll ? 'all' : 'some', data, evidence, certainty), ...severity, link };
  },
});
