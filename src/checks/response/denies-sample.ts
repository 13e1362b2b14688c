import { calledWith } from '../../apiserver/connection/called-with.ts';
import { probedCallouts, probeFacts } from '../../apiserver/connection/probed-callouts.ts';
import {
  hasFailed,
  namesText,
  probedEndpointEvidence,
  serverNames,
  usableEndpoints,
} from '../../apiserver/connection/probed-endpoints.ts';
import type { ProbedEndpoint } from '../../apiserver/connection/probed-servers.ts';
import { briefEnd } from '../../phrases/brief.ts';
import { replicaErrorText } from '../../pods/gate-text.ts';
import { defineCheck, latent } from '../check.ts';

const hasHandshake = ({ probe }: ProbedEndpoint): boolean =>
  probe?.dialogues.some(({ handshake }) => handshake !== undefined) === true;

export const deniesSample = defineCheck({
  meta: {
    id: 'denies-sample',
    title: 'Webhook denies or fails certain objects',
    severity: 'info',
    confidence: 'observed',
    explains: { denial: 4, 'denial-by-rule': 1, 'denial-not-found': 1 },
    why: 'Every replica was called with the object in a dry run, and each denied it or failed, but not for the test object. Users get this response for such objects, whichever replica the API server calls.',
    advice:
      'Change the object as the denial requires. If it must be admitted as it is, change the policies of the webhook, then try the object: `kubectl webhook doctor {configuration} -f FILE`.',
    noRemedy: { because: 'denials are the purpose of a webhook' },
    messages: {
      failed: {
        text: '{operation} of {object} fails at {replicas}: {detail}',
        severity: 'error',
        consequence: 'degraded',
        advice:
          'Read the error, and what the webhook logs about this request: `kubectl -n {namespace} logs {backend}`.',
      },
      given: latent('{replicas} denied {operation} of {object}: {detail}'),
      stored: '{replicas} denied {operation} of {object}, which is stored: {detail}',
    },
    follows: ['service-account-lacks-rights', 'leader-lease-stale'],
  },
  requires: [...probeFacts, 'samples'],
  subjects: probedCallouts,
  run: (callout, facts, find) =>
    calledWith(callout, facts).flatMap(({ sample, what, facts: seen }) => {
      if (sample === undefined) return [];
      const usable = usableEndpoints(callout, seen);
      const [first] = usable;
      const { outcome } = first?.callResult ?? {};
      if (first === undefined || usable.some(({ callResult }) => callResult.outcome !== outcome)) return [];
      // If the test object fails as well, another check reports that.
      const failsOnlyWithSample = !usableEndpoints(callout, facts).every(hasFailed);
      // A process that ended since, for whatever reason, is no handler that fails for an object.
      if (sample.by === 'made-up' && !usable.every(hasHandshake)) return [];
      const isDenied = outcome === 'denies' && sample.by !== 'made-up';
      if (!isDenied && !(outcome === 'fails' && failsOnlyWithSample)) return [];
      const data = {
        replicas: namesText(usable, serverNames(callout, seen)),
        operation: sample.operation,
        object: sample.by === 'made-up' ? `a test object (${sample.object.kind})` : what,
        detail: briefEnd(replicaErrorText(first)),
      };
      const evidence = usable.map((endpoint) =>
        probedEndpointEvidence(callout, endpoint, replicaErrorText(endpoint)),
      );
      return find(sample.by === 'made-up' || outcome === 'fails' ? 'failed' : sample.by, data, evidence);
    }),
});
