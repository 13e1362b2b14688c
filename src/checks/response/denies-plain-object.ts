import { isDenialBy } from '../../apiserver/connection/own-call.ts';
import {
  namesText,
  probedCallouts,
  probedEndpointEvidence,
  probeFacts,
  probesAt,
  serverNames,
  usableEndpoints,
} from '../../apiserver/connection/probed.ts';
import { briefEnd } from '../../phrases/brief.ts';
import { replicaErrorText } from '../../pods/gate-text.ts';
import { defineCheck } from '../check.ts';

export const deniesPlainObject = defineCheck({
  meta: {
    id: 'denies-plain-object',
    title: 'Webhook denies a test object',
    severity: 'info',
    confidence: 'observed',
    explains: { denial: 1, 'pods-refused-silently': 1 },
    why: 'The webhook was called with a minimal test object and denied it. The call works; the denial matters only if such objects must be admitted.',
    advice:
      'Read the denial. If such objects must be admitted, check the policies of the webhook, and try one of them: `kubectl webhook doctor {configuration} -f FILE`.',
    noRemedy: { because: 'denials are the purpose of a webhook' },
    messages: {
      review: '{replicas} denied the test object ({resource}): {detail}',
      dryRun: 'The webhook denied a dry run of the test object ({resource}): {detail}',
    },
    follows: [
      'handler-waits-for-service',
      'replicas-disagree',
      'leader-gated-answer',
      'service-account-lacks-rights',
      'leader-lease-stale',
    ],
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run(callout, facts, find) {
    const usable = usableEndpoints(callout, facts);
    const denying = usable.filter(({ callResult }) => callResult.outcome === 'denies');
    const [first] = denying;
    if (first !== undefined && denying.length === usable.length) {
      const resource = first.probe?.dialogues.flatMap(({ reviews }) => reviews)[0]?.resource ?? 'object';
      const data = {
        replicas: namesText(denying, serverNames(callout, facts)),
        resource,
        detail: briefEnd(replicaErrorText(first)),
      };
      return find(
        'review',
        data,
        denying.map((endpoint) => probedEndpointEvidence(callout, endpoint, replicaErrorText(endpoint))),
      );
    }
    const dryRun = probesAt(callout, facts)?.dryRun;
    if (denying.length > 0 || dryRun === undefined || !isDenialBy(callout, dryRun.message)) return undefined;
    const { resource, message } = dryRun;
    const evidence = [{ object: callout.ref, value: message }];
    return find('dryRun', { resource, detail: briefEnd(message) }, evidence);
  },
});
