import { writeDespiteReviews } from '../../apiserver/connection/despite-reviews.ts';
import { failingServers } from '../../apiserver/connection/failing-servers.ts';
import {
  type ProbeFacts,
  probedCallouts,
  probeFacts,
  probesAt,
} from '../../apiserver/connection/probed-callouts.ts';
import { type FailedEndpoint, failsPartly } from '../../apiserver/connection/probed-endpoints.ts';
import type { Callout } from '../../facts/callout.ts';
import { nameIn } from '../../facts/evidence.ts';
import { refText } from '../../facts/object-ref.ts';
import { knownPods } from '../../facts/workloads/replicas.ts';
import { defineCheck, note } from '../check.ts';

/** Milliseconds since 1970: all containers of the Pods run since then. Undefined if it is not recorded. */
function servingSince(callout: Callout, facts: ProbeFacts): number | undefined {
  const times = knownPods(callout, facts).flatMap(({ status: { containerStatuses = [] } }) =>
    containerStatuses.map(({ state }) => state?.running?.startedAt),
  );
  return times.length === 0 || times.includes(undefined)
    ? undefined
    : Math.max(...times.map((time) => Date.parse(time ?? '')));
}

/** False for a server that may accept the credentials of the API server, and respond to its dry runs. */
const isWithoutCredentials = ({ callResult }: FailedEndpoint): boolean =>
  callResult.fault !== 'unauthorized' && callResult.needsCredentials !== true;

export const onlyDryRunsFail = defineCheck({
  meta: {
    id: 'only-dry-runs-fail',
    title: 'Dry run of the test object fails, and other writes pass',
    severity: 'warning',
    consequence: 'degraded',
    confidence: 'observed',
    why: 'Every Pod fails for the dry run of a test object, but the API server admitted a later write of the same resource. `failurePolicy: Fail` permits that only after a valid response. The handler fails for dry runs, or for this object: `kubectl diff`, `kubectl apply --dry-run=server` and GitOps controllers get an error.',
    advice:
      'Read what the program logs about the review, and correct how it handles `request.dryRun`: `kubectl -n {namespace} logs {pod}`.',
    noRemedy: 'in-the-server',
    messages: {
      passes:
        '{replicas} failed for a dry run: {detail}. Other requests pass: {operation} of {object} was admitted at {time}',
      passed: note(
        '{operation} of {object} was admitted at {time}. Since then the Pods fail, or they fail only for dry runs',
      ),
    },
    follows: ['handler-waits-for-service'],
    references: ['/docs/reference/access-authn-authz/extensible-admission-controllers/#side-effects'],
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run(callout, facts, find) {
    const probes = probesAt(callout, facts);
    const write = probes && writeDespiteReviews(callout, probes);
    const failed = failingServers(callout, facts, isWithoutCredentials);
    if (write === undefined || failed?.extent !== 'all') return undefined;
    const { operation, at, object } = write;
    const { replicas, detail } = failed.data;
    const said = { operation, object: refText(object), time: at };
    const evidence = [...failed.evidence, { object, field: 'metadata.managedFields[].time', value: at }];
    const names = { pod: nameIn(failed.evidence, 'Pod') };
    if (write.afterProbe)
      return failsPartly(failed.endpoints)
        ? find('passes', { replicas, detail, ...said }, evidence, names)
        : undefined;
    const since = servingSince(callout, facts);
    return since !== undefined && since < Date.parse(at) ? find('passed', said, evidence, names) : undefined;
  },
});
