import type { CallResult, Fault } from '../../../apiserver/connection/call-result.ts';
import { calledWith } from '../../../apiserver/connection/called-with.ts';
import { alertsWithoutCertificate, reportedAlert } from '../../../apiserver/connection/handshake-alerts.ts';
import { probedCallouts } from '../../../apiserver/connection/probed-callouts.ts';
import { usableEndpoints } from '../../../apiserver/connection/probed-endpoints.ts';
import { denialIn, isErrorOfProgram } from '../../../apiserver/sentences/component-texts/denial-reasons.ts';
import { relevantLogLines } from '../../../apiserver/sentences/logs/log-lines.ts';
import { secondsSince } from '../../../basics/time.ts';
import { type Callout, calloutId, type ServiceBacked, servedByService } from '../../../facts/callout.ts';
import { keyOf } from '../../../facts/object-ref.ts';
import { ageIfRecent } from '../../../facts/objects/metadata.ts';
import type { ContainerStatus } from '../../../facts/objects/pod.ts';
import {
  accountOf,
  type Forbidden,
  isDenial,
  isOfEvents,
  namesForGrant,
  type RbacDenial,
} from '../../../facts/rbac-denial.ts';
import type { Facts, World } from '../../../facts/snapshot.ts';
import { containerStatuses, isCrashing } from '../../../facts/workloads/container-crash.ts';
import { denialEvidence, logOf } from '../../../facts/workloads/pod-logs.ts';
import { replicaPods } from '../../../facts/workloads/replicas.ts';
import { refOfPod, workloadArgument, workloadOfPod } from '../../../facts/workloads/workloads.ts';
import { leaderFacts } from '../../../pods/leadership.ts';
import { type LoggedRequest, loggedRequest } from '../../../pods/logged-denial.ts';
import { writerFacts } from '../../../serving-certificates/writer/writer-facts.ts';
import { writerProblem } from '../../../serving-certificates/writer/writer-problem.ts';
import { type CheckStep, defineCheck, fatal, firstReported, type Messages, partial } from '../../check.ts';

const isOfLease = ({ forbidden: { resource } }: RbacDenial): boolean =>
  resource === 'leases.coordination.k8s.io';
/** The objects that a webhook registers itself in; its responses do not depend on them. */
const isOfRegistration = ({ forbidden: { resource } }: RbacDenial): boolean =>
  /^(?:(?:mutating|validating)webhookconfigurations|apiservices)\./.test(resource);
const isOfCache = (denial: RbacDenial): boolean =>
  ['get', 'list', 'watch'].includes(denial.forbidden.verb) && !isOfRegistration(denial);

/** Reviews by which an extension API server authenticates and authorizes users of the API server. */
const isOfReview = ({ forbidden: { resource } }: RbacDenial): boolean =>
  /^(?:subjectaccess|token)reviews\./.test(resource);

const dataOf = ({ forbidden, confirmed }: RbacDenial, isNow = confirmed === true) => ({
  subject: `ServiceAccount ${forbidden.account}`,
  cannot: isNow ? 'cannot' : 'could not',
  verb: forbidden.verb,
  resource: forbidden.resource.split('.')[0] ?? forbidden.resource,
  where:
    (forbidden.namespace === undefined ? 'in the whole cluster' : `in namespace ${forbidden.namespace}`) +
    (isNow ? '' : ' (logged earlier, may be fixed)'),
});
/** A log line alone does not confirm that the request is still forbidden. */
const sureOf = ({ confirmed }: RbacDenial) =>
  confirmed === true ? ('observed' as const) : ('derived' as const);

/** The names for the commands that permit the request, with others that Pods of the same Service log. */
function namesOf(
  { forbidden, pod, others: logged = [] }: RbacDenial & { readonly others?: readonly Forbidden[] },
  { pods, rbacDenials }: Pick<Facts, 'pods' | 'rbacDenials'>,
  key: string,
) {
  const own = (pods.getIfKnown(key) ?? []).find(({ metadata }) => metadata.name === pod.name);
  const workload = own && workloadArgument(workloadOfPod(own));
  const others = (rbacDenials.getIfKnown(key) ?? []).filter(isDenial).map((one) => one.forbidden);
  const isOutside = ![undefined, 'kube-system', pod.namespace].includes(forbidden.namespace);
  return {
    ...namesForGrant(forbidden, [...logged, ...others]),
    defaulted: forbidden.account.endsWith('/default') ? workload : undefined,
    outside: isOutside ? workload : undefined,
  };
}

/** A program that may not even read what it writes lacks the permission to write it, too. */
function namesOfWriter([first, ...others]: readonly [Forbidden, ...Forbidden[]]) {
  const onlyReads = ['get', 'list', 'watch'].includes(first.verb);
  const written = (one: Forbidden): Forbidden => (onlyReads ? { ...one, verb: 'update' } : one);
  const { verbs } = namesForGrant(first);
  return {
    ...namesForGrant(written(first), others.map(written)),
    verbs: onlyReads ? `${verbs},${first.resource === 'secrets' ? 'create,' : ''}update,patch` : verbs,
    defaulted: undefined,
    outside: undefined,
  };
}

/** What a program needs to write an object: some update it, others patch it. */
const verbsOfOne = 'get,update,patch';

/** The only object that a writer may not read or change, if a role can be restricted to its name. */
function objectOf(forbidden: readonly Forbidden[]): string | undefined {
  const [first, ...others] = new Map(forbidden.map((one) => [`${one.resource} ${one.name}`, one])).values();
  const isOfOne =
    others.length === 0 &&
    verbsOfOne.split(',').includes(first?.verb ?? '') &&
    (first?.namespace === undefined
      ? /^(?:validating|mutating)webhookconfigurations\b/.test(first?.resource ?? '')
      : first.resource === 'secrets');
  return isOfOne ? first?.name : undefined;
}

/** The ConfigMap with the CA by which an extension API server verifies the API server (kube-apiserver clientca.go). */
const isOfHeader = ({ forbidden: { resource, namespace, name } }: RbacDenial): boolean =>
  resource === 'configmaps' && namespace === 'kube-system' && name === 'extension-apiserver-authentication';

/**
 * Seconds after its start in which a denial may come from a Role that is created at the same time. Waiting does
 * not help later.
 */
const installSeconds = 10;
const isYoung = ({ state }: ContainerStatus, takenAt: string): boolean =>
  (secondsSince(state?.running?.startedAt, takenAt) ?? 0) <= installSeconds;

/** True if the request of a container that has just started is still forbidden, and its Service is no new one. */
const isLasting = (
  now: LoggedRequest['now'],
  key: string,
  { services, takenAt }: Pick<Facts, 'services' | 'takenAt'>,
): boolean => {
  const service = services.getIfKnown(key);
  return now === 'forbidden' && service !== undefined && ageIfRecent(service.metadata, takenAt) === undefined;
};

/** What a server reads to get its certificate, or to become the leader that writes it; the metrics of metrics-server. */
const isNeededToServe = ({ forbidden: { resource } }: RbacDenial): boolean =>
  /^(?:secrets$|nodes\/(?:metrics|stats)$|leases\.coordination\.k8s\.io$|certificate(?:s|signingrequests)\.)/.test(
    resource,
  );

interface LoggedDenial extends RbacDenial {
  readonly crashes: boolean;
  /** Further requests that these containers log as forbidden. */
  readonly others: readonly Forbidden[];
}

/** True if the container that logged it crashes: then other Pods respond, which do not lack the permission. */
const isOfCrash = (
  { pod, container }: RbacDenial,
  key: string,
  { pods, takenAt }: Pick<Facts, 'pods' | 'takenAt'>,
): boolean =>
  (pods.getIfKnown(key) ?? []).some(
    (one) =>
      one.metadata.name === pod.name &&
      containerStatuses(one).some((status) => status.name === container && isCrashing(status, takenAt)),
  );

/** A container that crashes because of it logs it again; one that waits may have logged it long ago. */
const dataOfLogged = (denial: LoggedDenial) => ({
  ...dataOf(denial, denial.crashes || denial.confirmed),
  container: denial.container,
  state: denial.crashes ? 'crash-looping' : 'not Ready',
});

/** `Role reader`: what a binding names and the authorizer does not find (rbac.go). */
function missingRole(line: string): string | undefined {
  const [, cluster, name] =
    /RBAC: \[?(cluster)?role\.rbac\.authorization\.k8s\.io \\*"([^"\\]+)\\*" not found/.exec(line) ?? [];
  return name === undefined ? undefined : `${cluster === undefined ? 'Role' : 'ClusterRole'} ${name}`;
}

/** True if the servers listen without a certificate: a program may load it only after it has written the caBundle. */
const lacksCertificate = (callout: Callout, facts: Pick<Facts, 'callouts' | 'probes'>): boolean =>
  facts.probes.known(calloutId(callout)) &&
  reportedAlert(callout, facts, alertsWithoutCertificate)?.extent === 'all';

/** True if no Pod can serve until the request is permitted. */
const stopsServing = (denial: LoggedDenial, ...of: Parameters<typeof lacksCertificate>): boolean =>
  denial.crashes ||
  (denial.confirmed === true &&
    (isNeededToServe(denial) || (isOfRegistration(denial) && lacksCertificate(...of))));

function messageOf(denial: LoggedDenial, ...of: Parameters<typeof lacksCertificate>) {
  if (isOfHeader(denial)) return 'header';
  if (denial.crashes) return 'crashes';
  return stopsServing(denial, ...of) ? 'waits' : 'notReady';
}

/** Lines of a log in which further forbidden requests are looked for, which the same rule can permit. */
const relatedLines = 10;

/** A request that the API server forbade, logged by a crashing or unready container of every Pod. */
function loggedDenial(
  key: string,
  facts: Pick<Facts, 'pods' | 'logs' | 'takenAt' | 'rbacDenials' | 'services'>,
): LoggedDenial | undefined {
  const { pods, takenAt } = facts;
  // A Pod that is not scheduled has logged nothing.
  const staying = replicaPods(pods.getIfKnown(key) ?? []).filter(
    (pod) => pod.metadata.deletionTimestamp === undefined && containerStatuses(pod).length > 0,
  );
  const all = staying.map((pod) => ({
    pod,
    bad: containerStatuses(pod).flatMap((status) => {
      const crashes = isCrashing(status, takenAt);
      const isBad = crashes || (!status.ready && status.state?.running !== undefined);
      return isBad ? [{ container: status.name, crashes, young: !crashes && isYoung(status, takenAt) }] : [];
    }),
  }));
  if (!all.every(({ bad }) => bad.length > 0)) return undefined;
  const denialsIn = (most: number) =>
    all.flatMap(({ pod, bad }) =>
      bad.flatMap(({ container, crashes, young }) =>
        relevantLogLines(logOf(pod, container, facts), most).flatMap((line) => {
          const { forbidden, now } = loggedRequest(line, key, facts, accountOf(pod)) ?? {};
          if (forbidden === undefined || isOfEvents(forbidden) || now === 'permitted') return [];
          if (young && !isLasting(now ?? 'unknown', key, facts)) return [];
          const confirmed = now === 'forbidden' ? { confirmed: true as const } : {};
          return [{ pod: refOfPod(pod), container, line, forbidden, crashes, ...confirmed }];
        }),
      ),
    );
  const last = denialsIn(2).at(-1);
  return last && { ...last, others: denialsIn(relatedLines).map(({ forbidden }) => forbidden) };
}

const waits = '{subject} {cannot} {verb} {resource} {where}, and container {container} is not Ready';
const unbound =
  '{subject} {cannot} {verb} {resource} {where}: {missing}, which a binding names, does not exist';
const bindAgain =
  '[end] Create the missing object again as the manifests of the program declare it (`helm upgrade`, or a sync of its GitOps application). [end] Or correct the binding, which must be deleted and created to change its `roleRef`: `kubectl get rolebindings,clusterrolebindings -A -o wide`.';
const grant =
  '[end] If the program has a ServiceAccount of its own, correct `serviceAccountName`: `kubectl -n {namespace} edit {defaulted}`. [end] If the program works only in its own namespace, correct the variable or argument that names `{place}`: `kubectl -n {namespace} edit {outside}`. [end] Apply the manifests of the program again (`helm upgrade`, or a sync of its GitOps application): its role or binding is probably missing (no access to `{lost}`). [end] If the manifests of the program permit requests for `{sensitive}`, apply them again (`helm upgrade`, or a sync of its GitOps application). [with] Otherwise permit `{sensitive}` only if the program needs it. [end] Create a Role: `kubectl -n {place} create role {role} --verb={verbs} --resource={resource}`. [with] Bind the Role, and add both objects to the manifests of the program: `kubectl -n {place} create rolebinding {role} --role={role} --serviceaccount={account}`. [end] Create a ClusterRole: `kubectl create clusterrole {clusterrole} --verb={verbs} --resource={resource}`. [with] Bind the ClusterRole, and add both objects to the manifests of the program: `kubectl create clusterrolebinding {clusterrole} --clusterrole={clusterrole} --serviceaccount={account}`. [end] If the manifests of the program permit requests for `{permission}`, apply the manifests again instead (`helm upgrade`, or a sync of its GitOps application). [end] If a binding of this ServiceAccount exists, add the permission to the role of that binding, or correct its `subjects`: `kubectl get rolebindings,clusterrolebindings -A -o wide | grep {serviceaccount}`. [with] A RoleBinding permits requests in its own namespace only. [look] List the permissions of the ServiceAccount: `kubectl auth can-i --list --as=system:serviceaccount:{account}`.';

/** Of one object: a permission for all webhook configurations would allow the program to change those of others. */
const grantForOne =
  '[end] If the manifests of the program permit this request, apply them again (`helm upgrade`, or a sync of its GitOps application). [end] Otherwise permit the request for this object only: `kubectl create clusterrole {clusterrole} --verb={verbs} --resource={resource} --resource-name={object}`. [with] Bind the ClusterRole, and add both objects to the manifests of the program: `kubectl create clusterrolebinding {clusterrole} --clusterrole={clusterrole} --serviceaccount={account}`.';

/** Of one Secret: RBAC cannot restrict `create` to a name (/docs/reference/access-authn-authz/rbac/#referring-to-resources). */
const grantForSecret =
  '[end] If the manifests of the program permit this request, apply them again (`helm upgrade`, or a sync of its GitOps application). [end] Otherwise permit requests for this Secret only: `kubectl -n {place} create role {role} --verb={verbs} --resource={resource} --resource-name={object}`. [with] Bind the Role: `kubectl -n {place} create rolebinding {role} --role={role} --serviceaccount={account}`. [end] If the Secret does not exist, permit its creation, too: `kubectl -n {place} create role {role}:create --verb=create --resource={resource}`. [with] Bind that Role: `kubectl -n {place} create rolebinding {role}:create --role={role}:create --serviceaccount={account}`. [with] Add these objects to the manifests of the program.';

const messages = {
  writerOfOne: fatal('{subject} cannot {what}, so it cannot write {written}', grantForOne),
  writerOfSecret: fatal('{subject} cannot {what}, so it cannot write {written}', grantForSecret),
  writer: fatal('{subject} cannot {what}, so it cannot write {written}'),
  lease: '{subject} {cannot} {verb} {resource} {where}, and every replica denies {object}',
  leaderless: {
    text: '{subject} {cannot} {verb} {resource} {where}: no replica becomes the leader, so the work of the leader is not done',
    explains: false,
  },
  cache: '{subject} {cannot} {verb} {resource} {where}, and every replica denies {object}',
  crashes: fatal('{subject} {cannot} {verb} {resource} {where}, and container {container} is crash-looping'),
  waits: fatal(waits),
  notReady: waits,
  unbound: fatal(unbound, bindAgain),
  loggedUnbound: { text: unbound, advice: bindAgain },
  header: fatal(
    '{subject} cannot read ConfigMap kube-system/extension-apiserver-authentication, and container {container} is {state}',
    '[end] Bind the Role that Kubernetes has for extension API servers: `kubectl -n kube-system create rolebinding {account}:auth-reader --role=extension-apiserver-authentication-reader --serviceaccount={account}`. [with] Add the binding to the manifests of the server, too. [with] Then restart the Pods: `kubectl -n {namespace} rollout restart {workload}`.',
  ),
  notListening: fatal(
    '{subject} {cannot} {verb} {resource} {where}, and no replica listens on the webhook port',
  ),
  unanswered: partial(
    '{subject} {cannot} {verb} {resource} {where}, and no replica responds to {object} before the timeout',
  ),
  reviews: partial(
    '{subject} {cannot} {verb} {resource} {where}: the server rejects all users that it must authorize',
    '[end] Bind the ClusterRole that Kubernetes has for extension API servers: `kubectl create clusterrolebinding {account}:auth-delegator --clusterrole=system:auth-delegator --serviceaccount={account}`. [with] Add the binding to the manifests of the server, too.',
  ),
  responds:
    '{subject} {cannot} {verb} {resource} {where}: the webhook responds without them, and may decide wrongly',
  registers:
    '{subject} {cannot} {verb} {resource} {where}, and may be unable to update its configuration or the caBundle',
  leaseMissed: partial(
    '{subject} {cannot} {verb} {resource} {where}, and every replica denies {object}, which was admitted before',
  ),
  cacheMissed: partial(
    '{subject} {cannot} {verb} {resource} {where}, and every replica denies {object}, which was admitted before',
  ),
} as const satisfies Messages;

const requires = [...new Set([...leaderFacts, 'samples' as const, 'logs' as const, ...writerFacts])] as const;

type RightFacts = World<(typeof requires)[number]>;
type OwnStep = CheckStep<ServiceBacked, typeof requires, typeof messages, typeof grant>;

/** A denial in the logs of all Pods, none of which serves. */
const ofLog: OwnStep = (callout, facts, find) => {
  const key = keyOf(callout.client.service);
  const logged = loggedDenial(key, facts);
  if (logged === undefined) return undefined;
  const missing = isOfHeader(logged) ? undefined : missingRole(logged.line);
  const ofRole = stopsServing(logged, callout, facts) ? ('unbound' as const) : ('loggedUnbound' as const);
  const data = { ...dataOfLogged(logged), missing: missing ?? '' };
  const messageId = missing === undefined ? messageOf(logged, callout, facts) : ofRole;
  return find(messageId, data, denialEvidence(logged), namesOf(logged, facts, key));
};

/** A denial because of which the certificate or the caBundle is not written. */
const ofWriter: OwnStep = (callout, facts, find) => {
  const { forbidden, writer, detail = '', evidence = [] } = writerProblem(facts, callout) ?? {};
  if (forbidden === undefined || writer === undefined) return undefined;
  const written = forbidden[0].resource === 'secrets' ? 'the certificate' : 'the caBundle';
  const data = { subject: writer, what: detail, written };
  const names = namesOfWriter(forbidden);
  const object = objectOf(forbidden);
  const found =
    object === undefined
      ? find('writer', data, evidence, names, 'observed')
      : find(
          forbidden[0].resource === 'secrets' ? 'writerOfSecret' : 'writerOfOne',
          data,
          evidence,
          { ...names, verbs: verbsOfOne, object },
          'observed',
        );
  return { ...found, link: 'tls' };
};

/** The objects for which the result of the call is of this kind at every replica. */
const calledWhere = (
  callout: ServiceBacked,
  facts: RightFacts,
  isMeant: (callResult: CallResult) => boolean,
) =>
  calledWith(callout, facts).filter(({ facts: seen }) => {
    const usable = usableEndpoints(callout, seen);
    return usable.length > 0 && usable.every(({ callResult }) => isMeant(callResult));
  });

const failsBy =
  (...faults: readonly Fault[]) =>
  (callResult: CallResult): boolean =>
    callResult.outcome === 'fails' && faults.includes(callResult.fault);

type Called = ReturnType<typeof calledWhere>[number];

/** True if the message of a denial reports that the program is not ready, or has an error: without them, a policy may deny. */
const isDeniedByProgram = (callout: ServiceBacked, { facts }: Called): boolean =>
  usableEndpoints(callout, facts).every(
    ({ callResult }) =>
      callResult.outcome === 'denies' &&
      callResult.answer?.outcome === 'denied' &&
      isErrorOfProgram(denialIn(callResult.answer.message)),
  );

/** The message about a denial that explains this response. */
function messageOfResponse(
  denial: RbacDenial,
  response: Called,
  {
    refusing,
    unanswered,
    callout,
  }: {
    readonly refusing: Called | undefined;
    readonly unanswered: Called | undefined;
    readonly callout: ServiceBacked;
  },
) {
  if (response === refusing) return 'notListening';
  if (response === unanswered) return 'unanswered';
  const isMissed = response.sample?.admitted === true;
  if (!isOfLease(denial)) return isMissed ? 'cacheMissed' : 'cache';
  if (isMissed) return 'leaseMissed';
  return isDeniedByProgram(callout, response) ? 'lease' : 'leaderless';
}

/** Denials of programs that run, by how their Pods respond. */
const ofResponses: OwnStep = (callout, facts, find) => {
  const key = keyOf(callout.client.service);
  const [unanswered] = calledWhere(callout, facts, failsBy('hangs', 'late'));
  const [refusing] = calledWhere(callout, facts, failsBy('refused'));
  const denied = calledWhere(callout, facts, ({ outcome }) => outcome === 'denies');
  const response =
    unanswered ?? refusing ?? denied.find(({ sample }) => sample?.admitted === true) ?? denied[0];
  const report = (
    messageId: 'reviews' | 'registers' | 'responds' | ReturnType<typeof messageOfResponse>,
    denial: RbacDenial,
    confidence = sureOf(denial),
  ) => {
    const data = { ...dataOf(denial), object: response?.what ?? '' };
    return find(messageId, data, denialEvidence(denial), namesOf(denial, facts, key), confidence);
  };
  const all = (facts.rbacDenials.getIfKnown(key) ?? []).filter(isDenial);
  const isApi = callout.kind === 'aggregated-api';
  const review = isApi ? all.find(isOfReview) : undefined;
  if (review !== undefined) return report('reviews', review);
  const registration = all.find(isOfRegistration);
  // A program may open the port only after it has written the caBundle.
  const denial = all.find(isOfLease) ?? all.find(isOfCache) ?? (refusing && registration);
  if (denial === undefined) return registration && report('registers', registration);
  if (response !== undefined)
    return report(messageOfResponse(denial, response, { refusing, unanswered, callout }), denial, 'observed');
  const isAdmitted = calledWhere(callout, facts, ({ outcome }) => outcome === 'answers').length > 0;
  const mayMiss = isAdmitted && !isOfLease(denial) && !isApi && !isOfCrash(denial, key, facts);
  return mayMiss ? report('responds', denial) : undefined;
};

export const serviceAccountLacksRights = defineCheck({
  meta: {
    id: 'service-account-lacks-rights',
    title: 'ServiceAccount of the webhook lacks permissions',
    severity: 'warning',
    why: 'Controllers fill the cache of a webhook, often on the leader alone. Without permission to read, or to become the leader, the cache stays empty. The webhook then denies objects that it should allow, does not respond, or exits.',
    advice: grant,
    noRemedy: { because: 'the permissions of a program are declared in its own manifests' },
    messages,
    preventsReadiness: true,
    references: ['/docs/reference/access-authn-authz/rbac/#service-account-permissions'],
  },
  requires,
  // Pods behind a Service without ready endpoints are not probed: their logs are enough.
  subjects(facts) {
    const probed = new Set<Callout>(probedCallouts(facts));
    return servedByService(facts).filter(
      (one) => probed.has(one) || loggedDenial(keyOf(one.client.service), facts) !== undefined,
    );
  },
  run: firstReported(ofLog, ofWriter, ofResponses),
});
