import { parseCallError } from '../../apiserver/sentences/call-error/parse-call-error.ts';
import { guardsEvictions } from '../../facts/callout.ts';
import { lastSeen, newestEventsFirst } from '../../facts/objects/event.ts';
import { brief } from '../../phrases/brief.ts';
import { defineCheck } from '../check.ts';

export const evictionsDenied = defineCheck({
  meta: {
    id: 'evictions-denied',
    title: 'Webhook denies evictions: a drain waits or fails',
    severity: 'warning',
    confidence: 'observed',
    why: 'A drain evicts each Pod of a Node with CREATE of `pods/eviction`, which this webhook intercepts. A drain retries a 429; any other denial ends it, so an upgrade or a scale-down of the Node fails or waits.',
    advice:
      '[end] If the webhook denies on purpose, wait until its operator has moved the Pod: `kubectl get pods -A --field-selector spec.nodeName={node}`. [end] Otherwise remove `pods/eviction` from the rules of the webhook: `kubectl edit {kind} {configuration}`. [with] Deleting the Pod works at once, but bypasses the webhook and every PodDisruptionBudget.',
    noRemedy: 'up-to-its-owner',
    messages: {
      denied: 'Node {node} is not drained: {webhook} denied an eviction, last at {time}: {detail}',
    },
    references: ['/docs/concepts/scheduling-eviction/api-eviction/#troubleshooting-stuck-evictions'],
  },
  requires: ['callouts', 'failedCreateEvents'],
  subjects: ({ callouts }) => callouts.filter(guardsEvictions),
  run(callout, { failedCreateEvents }, find) {
    const findingByNode = new Map<string, ReturnType<typeof find>>();
    for (const event of newestEventsFirst(failedCreateEvents.get('Node') ?? [])) {
      const { involvedObject, reason = '', message = '' } = event;
      const error = parseCallError(message);
      const node = involvedObject.name ?? '';
      if (error?.kind !== 'denial' || error.webhook !== callout.webhook || findingByNode.has(node)) continue;
      if (!/evict|drain/i.test(`${reason} ${message}`)) continue;
      const detail = brief(error.message ?? message);
      const data = { node, webhook: callout.webhook, time: lastSeen(event) ?? 'an unknown time', detail };
      const evidence = [{ object: { kind: 'Node', name: node }, field: `Event ${reason}`, value: message }];
      findingByNode.set(node, find('denied', data, evidence, { node }));
    }
    return [...findingByNode.values()];
  },
});
