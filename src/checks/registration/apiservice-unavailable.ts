import { closedApi, mayPrecedeEndpoints } from '../../apiserver/aggregation/closed-api.ts';
import { ownCallEnd } from '../../apiserver/connection/own-call.ts';
import { probesOf } from '../../apiserver/connection/probed-servers.ts';
import { secondsSince } from '../../basics/time.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { brief } from '../../phrases/brief.ts';
import { defineCheck, fatal } from '../check.ts';

/** Seconds until the API server reads the discovery of an APIService that became available. */
const patience = 60;

/** The API server's message about a backend that does not know the path (available_controller.go). */
const notServed = /bad status from https:\/\/[^/\s]+(?<path>\/\S+): 404$/;

/** The API server's message about a backend that rejects its identity. */
const refusedDiscovery = /bad status from https:\/\/\S+: (?<code>40[13])$/;

/** The prefix before the reason of a failed discovery. */
const calledWithoutResponse = /^failing or missing response from \S+: (?:Get "[^"]*": )?/;

export const apiserviceUnavailable = defineCheck({
  meta: {
    id: 'apiservice-unavailable',
    title: 'APIService is not Available',
    severity: 'error',
    confidence: 'observed',
    explains: {
      'garbage-collector-waits': 2,
      'namespace-discovery-failed': 1,
      'apiservice-discovery-failed': 4,
      'api-unavailable': 1,
      'apiservice-awaited': 1,
      'api-version-not-found': 1,
      unavailable: 2,
    },
    why: 'The API server checks the backend every 30 seconds, and returns 503 `service unavailable` for every request to this API while condition Available is not True. No namespace can be deleted, and kubectl and controllers do not find its resources. An API whose discovery document cannot be read stays Available, but its resources are not found either.',
    advice:
      '[look] Read the condition: `kubectl get apiservice {configuration} -o yaml`. [end] Fix what it names; the condition follows within a minute. [end] Delete the APIService if its API is no longer needed.',
    noRemedy: 'only-follows',
    messages: {
      unavailable: fatal('The condition Available is {status} since {since} ({reason}): {detail}'),
      refused: {
        text: 'The backend responds {code}: it rejects the client certificate of the API server, or cannot verify it',
        consequence: 'failing',
        advice:
          '[look] Read the log of the backend: `kubectl -n {namespace} logs {backend}`. [see] Its ServiceAccount needs the Role `extension-apiserver-authentication-reader` in kube-system and the ClusterRole `system:auth-delegator`: `kubectl get rolebindings,clusterrolebindings -A -o wide`. [look] Check also that no proxy is in front of it.',
      },
      notServed: {
        text: 'The backend responds 404 to {path}: it does not serve this API',
        consequence: 'failing',
        advice:
          '[look] Compare group and version with the APIs of the program that the Service selects: `kubectl -n {namespace} logs {backend}`. [end] Correct `spec.service`: `kubectl edit apiservice {configuration}`. [end] If no program serves this API any longer, delete the APIService: `kubectl delete apiservice {configuration}`.',
      },
      checkedBefore: {
        text: 'The condition Available is {status} since {since}, but the endpoints may be newer than the last check: {detail}',
        consequence: 'failing',
        advice:
          '[end] Wait for the next check, 30 seconds at most: `kubectl webhook wait apiservice/{configuration}`. [end] If the condition is still not True, run `kubectl webhook doctor apiservice/{configuration}` again.',
      },
      stale: {
        text: 'The API is Available, but discovery marks it Stale: kubectl and controllers do not find its resources',
        consequence: 'degraded',
        advice:
          '[look] Find out why its backend does not return the discovery document within 5 seconds: `kubectl -n {namespace} logs {backend}`. [end] Delete the APIService if its API is no longer needed.',
      },
      opened: {
        text: 'The condition Available was {status} since {since} ({reason}: {detail}), and requests are forwarded again',
        severity: 'info',
        advice:
          '[with] No action is required. [look] If it happens again, check what interrupts the backend: `kubectl -n {namespace} describe {backend}`.',
      },
    },
    follows: 'every-break',
    references: ['/docs/concepts/extend-kubernetes/api-extension/apiserver-aggregation/'],
  },
  requires: ['callouts', 'probes', 'served', 'services', 'endpointSlices'],
  subjects: ({ callouts }: Pick<Facts, 'callouts'>) =>
    callouts.filter((callout) => callout.kind === 'aggregated-api'),
  run(callout, facts, find) {
    const { ref, conditions, group, version } = callout;
    const closed = closedApi(callout);
    const available = conditions.find(({ type }) => type === 'Available');
    if (available === undefined) return undefined;
    if (closed === undefined) {
      // The discovery of a new APIService is not fetched yet.
      const age = secondsSince(available.lastTransitionTime, facts.takenAt) ?? 0;
      const isStale = facts.served.getIfKnown('served')?.stale.includes(`${group}/${version}`) === true;
      if (!isStale || age < patience) return undefined;
      const value = 'freshness: Stale';
      return find('stale', {}, [{ object: ref, field: 'GET /apis', value }]);
    }
    const { status, reason = '', message = '', lastTransitionTime: since = 'its creation' } = available;
    const probes = probesOf(callout, facts);
    const passes = probes !== undefined && ownCallEnd(callout, probes).outcome === 'passes';
    const evidence = [{ object: ref, field: 'status.conditions[type=Available].message', value: message }];
    const path = notServed.exec(message)?.groups?.path;
    if (path !== undefined && !passes) {
      return { ...find('notServed', { path }, evidence), link: closed.link };
    }
    const code = refusedDiscovery.exec(message)?.groups?.code;
    if (code !== undefined && !passes) {
      return { ...find('refused', { code }, evidence), link: closed.link };
    }
    const isOutdated = mayPrecedeEndpoints(callout, facts);
    const unopened = isOutdated ? 'checkedBefore' : 'unavailable';
    const found = find(
      passes ? 'opened' : unopened,
      {
        status,
        since,
        reason,
        detail: brief(message.replace(calledWithoutResponse, '')),
      },
      evidence,
    );
    return { ...found, link: closed.link };
  },
});
