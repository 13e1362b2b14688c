import {
  namesText,
  probedCallouts,
  probeFacts,
  probesAt,
  seenAt,
  usableMet,
} from '../../apiserver/connection/probed.ts';
import { brief } from '../../phrases/brief.ts';
import { saidBy } from '../../pods/gate-words.ts';
import { defineCheck } from '../check.ts';

export const deniesPlainObject = defineCheck({
  meta: {
    id: 'denies-plain-object',
    link: 'response',
    title: 'The webhook denies a plain object',
    severity: 'info',
    explains: { denial: 1 },
    why: 'It was asked about a made-up object with nothing special in it, and said no. That is its right, and the call works; it matters if such objects should pass.',
    advice: 'Read what it said. If plain objects should pass, look at the policies behind the webhook.',
    noRemedy: { because: 'a denial is what the webhook is for' },
    messages: {
      review: '{replicas} ({total} of {total}) deny a plain {resource}: {said}',
      dryRun: 'a dry run of a plain {resource} is denied: {said}',
    },
    follows: [
      'replicas-disagree',
      'leader-gated-answer',
      'service-account-lacks-rights',
      'leader-lease-stale',
    ],
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run(probed, facts, find) {
    const usable = usableMet(probed, facts);
    const denying = usable.filter(({ meeting }) => meeting.outcome === 'denies');
    const [first] = denying;
    if (first !== undefined && denying.length === usable.length) {
      const resource = first.probe?.dialogues.flatMap(({ reviews }) => reviews)[0]?.resource ?? 'object';
      const data = {
        replicas: namesText(denying),
        total: usable.length,
        resource,
        said: brief(saidBy(first)),
      };
      return find(
        'review',
        data,
        denying.map((met) => seenAt(probed, met, saidBy(met))),
        'observed',
      );
    }
    const dryRun = probesAt(probed, facts)?.dryRun;
    const words = `admission webhook "${probed.callout.webhook}" denied the request`;
    if (denying.length > 0 || dryRun === undefined || !dryRun.message.startsWith(words)) return undefined;
    const { resource, message } = dryRun;
    const evidence = [{ object: probed.ref, value: message }];
    return find('dryRun', { resource, said: brief(message) }, evidence, 'observed');
  },
});
