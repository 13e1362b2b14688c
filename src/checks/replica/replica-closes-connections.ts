import type { FailedCallResult } from '../../apiserver/connection/call-result.ts';
import { failingServers, probedCallouts, probeFacts } from '../../apiserver/connection/probed.ts';
import { isServiceBacked } from '../../facts/callout.ts';
import { nameIn } from '../../facts/objects.ts';
import { defineCheck, partial } from '../check.ts';
import { notRunning } from './not-running.ts';

/** True if the server supports only HTTP/2 (RFC 7301: no protocol in common). */
const usesOtherProtocol = ({ callResult }: { readonly callResult: FailedCallResult }): boolean =>
  callResult.fault === 'alert' && /no application protocol/.test(callResult.sentence ?? callResult.detail);

export const replicaClosesConnections = defineCheck({
  meta: {
    id: 'replica-closes-connections',
    link: 'replica',
    title: 'Pod closes connections without a response',
    severity: 'error',
    consequence: 'failing',
    explains: { 'connection-reset': 2, 'handler-panic': 1, 'connection-closed': 1 },
    why: 'The server closes the connection, or sends invalid data, before any response: the process crashes on a request, uses another protocol, or a proxy in the Pod has no upstream. Each call that reaches such a Pod fails.',
    advice:
      'Read the log: `kubectl -n {namespace} logs {pod}`. Check that the port serves HTTPS with HTTP/1.1.',
    noRemedy: 'in-the-server',
    messages: {
      all: 'Port {port} of {replicas} serves no TLS or no HTTP/1.1 ({bad} of {total} replicas): {detail}',
      some: partial(
        'Port {port} of {replicas} serves no TLS or no HTTP/1.1, so {bad} of {total} new connections fail: {detail}',
      ),
    },
    follows: [
      ...notRunning,
      'selector-covers-other-workload',
      'mesh-intercepts-port',
      'leader-lease-stale',
      'leader-gated-listener',
      'leader-gated-answer',
    ],
    references: ['/docs/tasks/debug/debug-application/debug-service/#are-the-pods-working'],
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run(probed, facts, find) {
    const found = failingServers(
      probed,
      facts,
      ({ callResult }) =>
        // For a URL, url-unreachable reports this.
        (callResult.fault === 'closed' && isServiceBacked(probed.callout)) ||
        callResult.fault === 'not-tls' ||
        callResult.fault === 'malformed-http' ||
        usesOtherProtocol({ callResult }),
    );
    if (found === undefined) return undefined;
    const finding = find(
      found.extent,
      found.data,
      found.evidence,
      { pod: nameIn(found.evidence, 'Pod') },
      'observed',
    );
    return found.endpoints.every(usesOtherProtocol) ? { ...finding, link: 'tls' } : finding;
  },
});
