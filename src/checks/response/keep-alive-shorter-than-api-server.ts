import { probedCallouts, probeFacts } from '../../apiserver/connection/probed-callouts.ts';
import {
  namesText,
  probedEndpointEvidence,
  serverNames,
  usableEndpoints,
} from '../../apiserver/connection/probed-endpoints.ts';
import { defineCheck } from '../check.ts';

/** Seconds for which the API server keeps an idle connection (apimachinery util/net SetTransportDefaults). */
const kept = 90;

/** Parses `timeout=5, max=100`. */
const idleSeconds = (header: string | undefined): number | undefined => {
  const seconds = /(?:^|[,\s])timeout=(\d+)/i.exec(header ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds);
};

export const keepAliveShorterThanApiServer = defineCheck({
  meta: {
    id: 'keep-alive-shorter-than-api-server',
    title: 'Webhook closes idle connections too early',
    severity: 'warning',
    confidence: 'observed',
    why: 'The API server keeps an idle connection for 90 s. If the server closes it while a call is sent, the call fails with `EOF` or `connection reset by peer`. It is not retried, so single requests fail now and then.',
    advice:
      'Keep idle connections for more than 90 s (Node.js `server.keepAliveTimeout = 120_000`, gunicorn `--keep-alive 120`, uvicorn `--timeout-keep-alive 120`): `kubectl -n {namespace} edit {workload}`.',
    noRemedy: 'in-the-server',
    messages: {
      shorter:
        'Idle connections to {replicas} are closed after {seconds} s. The API server keeps them for 90 s, so some calls can fail',
    },
    references: [
      '/docs/reference/access-authn-authz/extensible-admission-controllers/#contacting-the-webhook',
    ],
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run(callout, facts, find) {
    const short = usableEndpoints(callout, facts).flatMap((endpoint) => {
      const answers =
        endpoint.probe?.dialogues.flatMap(({ reviews }) => reviews.map(({ answer }) => answer)) ?? [];
      const seconds = answers.flatMap((answer) => idleSeconds(answer?.headers['keep-alive']) ?? []);
      return seconds.length > 0 && Math.min(...seconds) < kept
        ? [{ endpoint, seconds: Math.min(...seconds) }]
        : [];
    });
    const [first] = short;
    if (first === undefined) return undefined;
    const replicas = namesText(
      short.map(({ endpoint }) => endpoint),
      serverNames(callout, facts),
    );
    const evidence = short.map(({ endpoint, seconds }) =>
      probedEndpointEvidence(callout, endpoint, `Keep-Alive: timeout=${seconds}`),
    );
    return find('shorter', { replicas, seconds: first.seconds }, evidence);
  },
});
