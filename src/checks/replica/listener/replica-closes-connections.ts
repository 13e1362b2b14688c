import type { FailedCallResult } from '../../../apiserver/connection/call-result.ts';
import { failingServers } from '../../../apiserver/connection/failing-servers.ts';
import { probedCallouts, probeFacts } from '../../../apiserver/connection/probed-callouts.ts';
import { failsPartly } from '../../../apiserver/connection/probed-endpoints.ts';
import { isServiceBacked } from '../../../facts/callout.ts';
import { nameIn } from '../../../facts/evidence.ts';
import type { Facts } from '../../../facts/snapshot.ts';
import { brief } from '../../../phrases/brief.ts';
import { defineCheck, partial } from '../../check.ts';
import { notRunning } from '../not-running.ts';

/** True if the server supports only HTTP/2 (RFC 7301: no protocol in common). */
const usesOtherProtocol = ({ callResult }: { readonly callResult: FailedCallResult }): boolean =>
  callResult.fault === 'alert' && /no application protocol/.test(callResult.sentence ?? callResult.detail);

/** `http: panic serving ADDRESS: REASON` (net/http server.go): the server closes the connection of that request. */
const panic = /http: panic serving \S+: (?<reason>.+)/;

/** The reason of the last panic of a handler in the log of a Pod; undefined if there is none. */
const panicIn = ({ logs }: Pick<Facts, 'logs'>, namespace: string, pod: string): string | undefined =>
  [...logs.entries()]
    .flatMap(([key, log]) => (key.startsWith(`${namespace}/${pod}/`) ? log.split('\n') : []))
    .flatMap((line) => panic.exec(line)?.groups?.reason ?? [])
    .at(-1);

export const replicaClosesConnections = defineCheck({
  meta: {
    id: 'replica-closes-connections',
    title: 'Pod closes connections without a response',
    consequence: 'failing',
    confidence: 'observed',
    why: 'The server closes the connection, or sends invalid data, before any response. The process crashes on a request, uses another protocol, or a proxy in the Pod has no upstream. Each call that reaches such a Pod fails.',
    advice:
      '[look] Read the log: `kubectl -n {namespace} logs {pod}`. [look] Check that the port serves HTTPS with HTTP/1.1.',
    noRemedy: 'in-the-server',
    messages: {
      panics: {
        text: '{replicas} closed the connection without a response, and the log contains a panic: {detail}',
        advice:
          '[with] The program has a defect. [look] Read the stack trace: `kubectl -n {namespace} logs {pod}`. [end] Use a release of the program without it. [end] If the defect came with an update, undo that: `kubectl -n {namespace} rollout undo {revised}`.',
      },
      all: 'Connections to port {port} of {replicas} are closed before any response: {detail}',
      protocol: 'Port {port} of {replicas} serves no TLS or no HTTP/1.1: {detail}',
      some: partial(
        'Port {port} of {replicas} serves no HTTPS, so {bad} of {total} new connections fail: {detail}',
      ),
    },
    preventsReadiness: true,
    follows: [
      'only-dry-runs-fail',
      ...notRunning,
      'selector-covers-other-workload',
      'mesh-intercepts-port',
      'leader-lease-stale',
      'leader-gated-listener',
      'leader-gated-answer',
    ],
    references: ['/docs/tasks/debug/debug-application/debug-service/#are-the-pods-working'],
  },
  requires: [...probeFacts, 'logs'],
  subjects: probedCallouts,
  run(callout, facts, find) {
    const found = failingServers(
      callout,
      facts,
      ({ callResult }) =>
        // For a URL, url-unreachable reports this.
        (callResult.fault === 'closed' && isServiceBacked(callout)) ||
        callResult.fault === 'not-tls' ||
        callResult.fault === 'malformed-http' ||
        usesOtherProtocol({ callResult }),
    );
    if (found === undefined) return undefined;
    const pod = nameIn(found.evidence, 'Pod');
    const reason =
      pod === undefined || found.extent !== 'all'
        ? undefined
        : panicIn(facts, callout.client.service?.namespace ?? '', pod);
    const isClosed = found.endpoints.some(({ callResult }) => callResult.fault === 'closed');
    const extent = found.extent === 'all' && !isClosed ? 'protocol' : found.extent;
    const finding =
      reason === undefined
        ? find(extent, found.data, found.evidence, { pod })
        : find('panics', { ...found.data, detail: brief(reason) }, found.evidence, { pod });
    if (failsPartly(found.endpoints)) return { ...finding, consequence: 'degraded' };
    return found.endpoints.every(usesOtherProtocol) ? { ...finding, link: 'tls' } : finding;
  },
});
