import type { FailedMeeting } from '../../apiserver/connection/meeting.ts';
import { failingServers, probedCallouts, probeFacts } from '../../apiserver/connection/probed.ts';
import { advise } from '../../facts/advice.ts';
import { isServiceBacked } from '../../facts/callout.ts';
import { nameIn } from '../../facts/evidence.ts';
import { defineCheck } from '../check.ts';
import { notRunning } from './not-running.ts';

/** The server speaks HTTP/2 alone (RFC 7301: no protocol in common). */
const speaksOtherwise = ({ meeting }: { readonly meeting: FailedMeeting }): boolean =>
  meeting.fault === 'alert' && /no application protocol/.test(meeting.sentence ?? meeting.said);

export const replicaClosesConnections = defineCheck({
  meta: {
    id: 'replica-closes-connections',
    link: 'replica',
    title: 'A replica closes the connection without a word',
    severity: 'error',
    consequence: 'failing',
    explains: { 'handler-panic': 1, 'connection-closed': 1 },
    why: 'It listens, and ends or garbles the connection before any answer: a process that crashes on a request, one that speaks another protocol, a proxy in the Pod without anything behind it. An API server keeps its connection to one replica: all of its calls fail or none, until that connection ends.',
    advice: advise`Look at what the process says about it: ${'kubectl -n {namespace} logs {pod}'}. Check that the port is the one that serves HTTPS with HTTP/1.1.`,
    noRemedy: 'in-the-server',
    messages: {
      all: '{replicas}: no TLS or HTTP/1.1 at port {port} ({bad} of {total} replicas): {said}',
      some: {
        text: '{replicas}: no TLS or HTTP/1.1 at port {port}; {bad} of {total} new connections end so: {said}',
        severity: 'warning',
        consequence: 'degraded',
      },
    },
    follows: [
      ...notRunning,
      'selector-covers-other-workload',
      'mesh-intercepts-port',
      'leader-lease-stale',
      'leader-gated-listener',
      'leader-gated-answer',
    ],
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run(probed, facts, find) {
    const found = failingServers(
      probed,
      facts,
      ({ meeting }) =>
        // At a URL that is told of the way there: url-unreachable.
        (meeting.fault === 'closed' && isServiceBacked(probed.callout)) ||
        meeting.fault === 'not-tls' ||
        meeting.fault === 'malformed-http' ||
        speaksOtherwise({ meeting }),
    );
    if (found === undefined) return undefined;
    const told = find(
      found.extent,
      found.data,
      found.evidence,
      { pod: nameIn(found.evidence, 'Pod') },
      'observed',
    );
    return found.met.every(speaksOtherwise) ? { ...told, link: 'tls' } : told;
  },
});
