import { secondsSince } from '../../basics/time.ts';
import { servedByService } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { lastSeen } from '../../facts/objects/event.ts';
import { conditionOf, isPodReady } from '../../facts/workloads/pod-state.ts';
import { replicaPods } from '../../facts/workloads/replicas.ts';
import { brief } from '../../phrases/brief.ts';
import { defineCheck } from '../check.ts';
import { onlyVersion } from '../registration/conversion-unused.ts';

/** Seconds for which an installation counts as new. */
const fresh = 900;

/** Seconds after the configuration in which an installation creates its first Pods; later ones may replace others. */
const together = 60;

/** Of an error alone: it may also be later than the start. */
const ifStarted =
  '[end] Run `kubectl webhook wait {configuration}`. [end] When this command succeeds, retry the failed requests. [prevent] In the next installation, run this command before you apply objects that the webhook matches, or apply these objects in a later sync wave. [look] If this command fails, a Pod has another problem: `kubectl -n {namespace} get pods`.';

export const callsFailedAtStart = defineCheck({
  meta: {
    id: 'calls-failed-at-start',
    title: 'Calls failed while the webhook started',
    severity: 'info',
    why: 'The API server calls a webhook within seconds of the creation of its configuration. Until its first Pod is Ready and its caBundle is written, every matching request fails, including those of the same chart.',
    advice:
      '[end] Nothing is left to fix: retry the failed requests. [prevent] For the next installation, apply objects that the webhook matches only after `kubectl webhook wait {configuration}` has succeeded, or in a later sync wave.',
    textAdvice: {
      'connection-refused': ifStarted,
      'endpoint-refused': ifStarted,
      'no-endpoints': ifStarted,
      'not-permitted': ifStarted,
      'call-cut': ifStarted,
    },
    noRemedy: 'is-past',
    messages: {
      window:
        'The configuration was created at {created}, and the first Pod was Ready at {ready}: calls in between failed',
      seen: 'The first Pod was Ready at {ready}; Events of failed calls before that: {count} ({detail})',
    },
    follows: 'every-break',
    references: [
      '/docs/reference/access-authn-authz/extensible-admission-controllers/#configure-admission-webhooks-on-the-fly',
    ],
  },
  requires: ['callouts', 'services', 'pods', 'events', 'failedCreateEvents'],
  subjects: ({ callouts, services }) =>
    servedByService({ callouts }).filter(({ client }) => services.getIfKnown(keyOf(client.service))),
  run(callout, { pods, events, failedCreateEvents, takenAt }, find) {
    const { webhook, metadata, ref } = callout;
    const { service } = callout.client;
    const created = metadata.creationTimestamp ?? '';
    if ((secondsSince(created, takenAt) ?? fresh) >= fresh) return undefined;
    if (callout.kind === 'conversion' && onlyVersion(callout) !== undefined) return undefined;
    const all = replicaPods(pods.get(keyOf(service)) ?? []).filter(isPodReady);
    const times = all.flatMap(
      ({ status }) => conditionOf(status.conditions, 'Ready')?.lastTransitionTime ?? [],
    );
    const ready = times.sort()[0];
    if (ready === undefined || times.length < all.length || ready <= created) return undefined;
    const named = [
      ...(events.getIfKnown(service.namespace) ?? []),
      ...(failedCreateEvents.getIfKnown('FailedCreate') ?? []),
    ].filter(({ message = '' }) => message.includes(`calling webhook "${webhook}"`));
    // Failures after that time have another cause.
    if (named.some((event) => (lastSeen(event) ?? '') > ready)) return undefined;
    const evidence = [{ object: ref, field: 'metadata.creationTimestamp', value: created }];
    const [first] = named;
    if (first === undefined) {
      const isFirst = all.some(
        (pod) => (secondsSince(created, pod.metadata.creationTimestamp ?? takenAt) ?? fresh) <= together,
      );
      return isFirst ? find('window', { created, ready }, evidence) : undefined;
    }
    const detail = first.message ?? '';
    const { kind = 'Pod', name = '', namespace = '' } = first.involvedObject;
    return find('seen', { ready, count: new Set(named).size, detail: brief(detail) }, [
      ...evidence,
      { object: { kind, namespace, name }, field: 'events', value: detail },
    ]);
  },
});
