import { isDenialBy } from '../../apiserver/connection/own-call.ts';
import { probedCallouts, probeFacts, probesAt } from '../../apiserver/connection/probed-callouts.ts';
import {
  hasFailed,
  namesText,
  probedEndpointEvidence,
  serverNames,
  usableEndpoints,
} from '../../apiserver/connection/probed-endpoints.ts';
import { responseTimes, slowAmong } from '../../apiserver/connection/response-times.ts';
import { outboundErrorIn } from '../../apiserver/sentences/logs/outbound-error.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { logEvidence } from '../../facts/workloads/pod-logs.ts';
import { knownPods } from '../../facts/workloads/replicas.ts';
import { refOfPod } from '../../facts/workloads/workloads.ts';
import { brief, briefEnd, messageOfLine } from '../../phrases/brief.ts';
import { failedRequest, ownCallIn } from '../../pods/failed-request.ts';
import { replicaErrorText } from '../../pods/gate-text.ts';
import { defineCheck, latent, partial } from '../check.ts';

const checkServer =
  'Check that the server runs, and DNS, proxy, NetworkPolicy for egress and firewall between the Pods and it: `kubectl -n {namespace} get networkpolicies`. If a policy of the webhook names the server, correct or delete the policy.';

/** The server, with the Service whose address it is. */
function hostText(host: string, { services }: Pick<Facts, 'services'>): string {
  const address = host.replace(/:\d+$/, '');
  const found = [...services.all()].find(({ spec }) =>
    [spec.clusterIP, ...(spec.clusterIPs ?? [])].includes(address),
  );
  return found === undefined ? host : `Service ${keyOf(found.metadata)} (${host})`;
}

export const handlerWaitsForService = defineCheck({
  meta: {
    id: 'handler-waits-for-service',
    title: 'Request of the webhook to another service fails',
    consequence: 'failing',
    explains: {
      deadline: 9,
      'response-timeout': 9,
      'body-timeout': 9,
      'timeout-504': 9,
      'name-not-resolved': 1,
      'denial-own-call-failed': 1,
      'handler-call-failed': 1,
    },
    why: 'The handler calls another server, such as a registry or a policy service, before it responds. If that server or its DNS name does not respond, the review exceeds timeoutSeconds, or the webhook denies objects that are not at fault.',
    advice:
      'Read the error: `kubectl -n {namespace} logs {pod}`. Check DNS, proxy, NetworkPolicy for egress and firewall between the Pod and that server: `kubectl -n {namespace} get networkpolicies`. If that server refuses the request, correct the credentials of the webhook. Configure a timeout for its requests that is shorter than timeoutSeconds.',
    noRemedy: 'in-the-network',
    messages: {
      all: '{replicas} sent no response in time; the log reports a failed request to {host}: {detail}',
      some: partial(
        '{bad} of {total} replicas sent no response in time; the log reports a failed request to {host}: {detail}',
      ),
      itself: {
        text: '{replicas} sent no response in time: a request of the handler itself must pass this webhook ({detail})',
        advice:
          'Exclude the ServiceAccount of the Pods in `matchConditions` of the webhook, with the expression `request.userInfo.username != "{user}"`: `kubectl edit {kind} {configuration}`. Or write such objects after the response.',
      },
      errors: '{replicas} returned an HTTP error; the log reports a failed request to {host}: {detail}',
      denies: {
        ...latent('{replicas} denied a test object, because a request to {host} failed: {detail}'),
        advice: checkServer,
      },
      deniesDryRun: {
        ...latent(
          'Dry run of a test object is denied, because a request of the webhook to {host} failed: {detail}',
        ),
        advice: checkServer,
      },
    },
    follows: ['replica-node-not-ready'],
    references: ['/docs/reference/access-authn-authz/extensible-admission-controllers/#timeouts'],
  },
  requires: [...probeFacts, 'logs'],
  subjects: probedCallouts,
  run(callout, facts, find) {
    const usable = usableEndpoints(callout, facts);
    const slow = new Set(
      slowAmong(responseTimes(callout, facts), callout.timeoutSeconds).map(({ endpoint }) => endpoint),
    );
    const withFault = (fault: string) =>
      usable.filter((endpoint) => hasFailed(endpoint) && endpoint.callResult.fault === fault);
    const late = usable.filter(
      (endpoint) => slow.has(endpoint) || [...withFault('hangs'), ...withFault('late')].includes(endpoint),
    );
    const bad = late.length > 0 ? late : withFault('server-error');
    const [denying] = usable;
    if (denying === undefined || usable.every(({ callResult }) => callResult.outcome === 'undecided')) {
      const message = probesAt(callout, facts)?.dryRun?.message ?? '';
      const error = isDenialBy(callout, message) ? outboundErrorIn(message) : undefined;
      const evidence = [{ object: callout.ref, field: 'a server-side dry run', value: message }];
      return (
        error &&
        find(
          'deniesDryRun',
          { host: hostText(error.host, facts), detail: brief(error.detail) },
          evidence,
          {},
          'observed',
        )
      );
    }
    if (bad.length === 0 && usable.every(({ callResult }) => callResult.outcome === 'denies')) {
      const detail = replicaErrorText(denying);
      const error = outboundErrorIn(detail);
      return (
        error &&
        find(
          'denies',
          {
            host: hostText(error.host, facts),
            detail: brief(error.detail),
            replicas: namesText(usable, serverNames(callout, facts)),
          },
          [probedEndpointEvidence(callout, denying, detail)],
          { pod: denying.pod },
          'observed',
        )
      );
    }
    if (bad.length === 0) return undefined;
    const names = new Set(bad.map(({ pod }) => pod));
    const pods = knownPods(callout, facts).filter(({ metadata }) => names.has(metadata.name));
    const replicas = namesText(bad, serverNames(callout, facts));
    const own = late.length > 0 ? ownCallIn(pods, callout, facts) : undefined;
    if (own !== undefined && bad.length === usable.length && bad.some(hasFailed)) {
      const { pod, container, line } = own;
      const { metadata, spec } = pod;
      const user = `system:serviceaccount:${metadata.namespace}:${spec.serviceAccountName ?? 'default'}`;
      const evidence = [logEvidence(refOfPod(pod), container, line)];
      return find('itself', { replicas, detail: briefEnd(messageOfLine(line)) }, evidence, {
        ...{ pod: metadata.name, user },
      });
    }
    const request = failedRequest(pods, facts);
    if (request === undefined) return undefined;
    const { pod, container, line, error } = request;
    const evidence = [logEvidence(refOfPod(pod), container, line)];
    const data = { host: hostText(error.host, facts), detail: brief(error.detail), replicas };
    const named = { pod: pod.metadata.name };
    const fails = bad.some(hasFailed);
    if (late.length === 0 && bad.length === usable.length) return find('errors', data, evidence, named);
    return bad.length === usable.length && fails
      ? find('all', data, evidence, named)
      : find('some', { ...data, bad: bad.length, total: usable.length }, evidence, named);
  },
});
