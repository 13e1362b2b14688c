import { apiserviceWithoutEndpoints } from './backend/apiservice-without-endpoints.ts';
import { conversionBackendGone } from './backend/conversion-backend-gone.ts';
import { endpointOfNoPod } from './backend/endpoint-of-no-pod.ts';
import { endpointsByHandForgotten } from './backend/endpoints-by-hand-forgotten.ts';
import { onlyTerminatingEndpoints } from './backend/only-terminating-endpoints.ts';
import { ownPodsBlocked } from './backend/own-pods-blocked.ts';
import { podSecurityForbidsPods } from './backend/pod-security-forbids-pods.ts';
import { quotaExhausted } from './backend/quota-exhausted.ts';
import { scaledToZeroByAPerson } from './backend/scaled-to-zero-by-a-person.ts';
import { scaledToZeroByAnAutoscaler } from './backend/scaled-to-zero-by-an-autoscaler.ts';
import { selectorCoversAgents } from './backend/selector-covers-agents.ts';
import { selectorMatchesNoPod } from './backend/selector-matches-no-pod.ts';
import { serviceAccountMissing } from './backend/service-account-missing.ts';
import { targetPortClosed } from './backend/target-port-closed.ts';
import { unreadyAddressesPublished } from './backend/unready-addresses-published.ts';
import { workloadMissing } from './backend/workload-missing.ts';
import { wrongPortName } from './backend/wrong-port-name.ts';
import { availableApiservice } from './healthy/available-apiservice.ts';
import { completedJobPods } from './healthy/completed-job-pods.ts';
import { conversionNone } from './healthy/conversion-none.ts';
import { dualStack } from './healthy/dual-stack.ts';
import { endpointsByHand } from './healthy/endpoints-by-hand.ts';
import { externalUrl } from './healthy/external-url.ts';
import { headlessWithEndpointRouting } from './healthy/headless-with-endpoint-routing.ts';
import { hostNetwork } from './healthy/host-network.ts';
import { manyWebhooksOneService } from './healthy/many-webhooks-one-service.ts';
import { namedTargetPort } from './healthy/named-target-port.ts';
import { noRules } from './healthy/no-rules.ts';
import { oneReplicaFailsOpen } from './healthy/one-replica-fails-open.ts';
import { ownNamespaceExcluded } from './healthy/own-namespace-excluded.ts';
import { podWithoutWorkload } from './healthy/pod-without-workload.ts';
import { replicaOnEveryNode } from './healthy/replica-on-every-node.ts';
import { rolloutInProgress } from './healthy/rollout-in-progress.ts';
import { statefulReplicas } from './healthy/stateful-replicas.ts';
import { terminatingBesideReady } from './healthy/terminating-beside-ready.ts';
import { twoSlicesPerService } from './healthy/two-slices-per-service.ts';
import { unreadyPublishedAllReady } from './healthy/unready-published-all-ready.ts';
import { addressNotAllowed } from './network/address-not-allowed.ts';
import { unreachableFromControlPlane } from './network/unreachable-from-control-plane.ts';
import { singleReplica } from './policy/single-replica.ts';
import { timeoutTooLong } from './policy/timeout-too-long.ts';
import { oldSideEffects } from './registration/old-side-effects.ts';
import { ruleNamesAKind } from './registration/rule-names-a-kind.ts';
import { selectorMatchesNoNamespace } from './registration/selector-matches-no-namespace.ts';
import { twoConfigurationsOneName } from './registration/two-configurations-one-name.ts';
import { webhookNameTwice } from './registration/webhook-name-twice.ts';
import { configMapMissing } from './replica/config-map-missing.ts';
import { crashLoop } from './replica/crash-loop.ts';
import { deletedButKept } from './replica/deleted-but-kept.ts';
import { evictedForGood } from './replica/evicted-for-good.ts';
import { failsOpenUnseen } from './replica/fails-open-unseen.ts';
import { imageCannotBePulled } from './replica/image-cannot-be-pulled.ts';
import { initContainerFails } from './replica/init-container-fails.ts';
import { keptByAFinalizer } from './replica/kept-by-a-finalizer.ts';
import { leaderGatedAnswer } from './replica/leader-gated-answer.ts';
import { leaderGatedListener } from './replica/leader-gated-listener.ts';
import { leaderGatedReadiness } from './replica/leader-gated-readiness.ts';
import { memoryLimitTooSmall } from './replica/memory-limit-too-small.ts';
import { nodeNotReady } from './replica/node-not-ready.ts';
import { oneOfTwoCrashes } from './replica/one-of-two-crashes.ts';
import { parkedBySchedulerName } from './replica/parked-by-scheduler-name.ts';
import { readinessFailing } from './replica/readiness-failing.ts';
import { replicaHangs } from './replica/replica-hangs.ts';
import { replicaListensOnLoopbackOnly } from './replica/replica-listens-on-loopback-only.ts';
import { replicaNotListening } from './replica/replica-not-listening.ts';
import { replicaSpeaksPlainHttp } from './replica/replica-speaks-plain-http.ts';
import { replicasDisagree } from './replica/replicas-disagree.ts';
import { servingSecretMissing } from './replica/serving-secret-missing.ts';
import { unschedulable } from './replica/unschedulable.ts';
import { keepAliveShorterThanApiServer } from './response/keep-alive-shorter-than-api-server.ts';
import { responseEmpty } from './response/response-empty.ts';
import { responseNotAReview } from './response/response-not-a-review.ts';
import { responsePathNotFound } from './response/response-path-not-found.ts';
import { responseRedirects } from './response/response-redirects.ts';
import { responseServerError } from './response/response-server-error.ts';
import { responseSlow } from './response/response-slow.ts';
import { responseUidMismatch } from './response/response-uid-mismatch.ts';
import { apiserviceServiceMissing } from './routing/apiservice-service-missing.ts';
import { conversionServiceInOtherNamespace } from './routing/conversion-service-in-other-namespace.ts';
import { internalTrafficPolicyLocal } from './routing/internal-traffic-policy-local.ts';
import { orphanedAfterUninstall } from './routing/orphaned-after-uninstall.ts';
import { pathTrailingSlash } from './routing/path-trailing-slash.ts';
import { serviceExternalName } from './routing/service-external-name.ts';
import { serviceHeadless } from './routing/service-headless.ts';
import { serviceMissing } from './routing/service-missing.ts';
import { serviceNamespaceMissing } from './routing/service-namespace-missing.ts';
import { servicePortMissing } from './routing/service-port-missing.ts';
import { servicePortNotTcp } from './routing/service-port-not-tcp.ts';
import { urlNamesAService } from './routing/url-names-a-service.ts';
import { urlOnLoopback } from './routing/url-on-loopback.ts';
import type { Scenario } from './scenario.ts';
import { certificateNotIssued } from './tls/certificate-not-issued.ts';
import { clientCertificateDemanded } from './tls/client-certificate-demanded.ts';
import { replicasServeDifferentCertificates } from './tls/replicas-serve-different-certificates.ts';
import { servedCertificateDiffersFromConfigMap } from './tls/served-certificate-differs-from-config-map.ts';
import { servedCertificateDiffersFromSecret } from './tls/served-certificate-differs-from-secret.ts';
import { servingCertificateExpired } from './tls/serving-certificate-expired.ts';
import { servingCertificateNameMismatch } from './tls/serving-certificate-name-mismatch.ts';
import { staleCaBundle } from './tls/stale-ca-bundle.ts';
import { tlsVersionUnsupported } from './tls/tls-version-unsupported.ts';

/** Every scenario: what breaks along the chain first, then what looks odd and works. */
export const scenarios: readonly Scenario[] = [
  ruleNamesAKind,
  selectorMatchesNoNamespace,
  twoConfigurationsOneName,
  webhookNameTwice,
  oldSideEffects,
  serviceMissing,
  serviceNamespaceMissing,
  orphanedAfterUninstall,
  servicePortMissing,
  servicePortNotTcp,
  serviceHeadless,
  serviceExternalName,
  urlNamesAService,
  urlOnLoopback,
  internalTrafficPolicyLocal,
  pathTrailingSlash,
  conversionServiceInOtherNamespace,
  apiserviceServiceMissing,
  selectorMatchesNoPod,
  workloadMissing,
  scaledToZeroByAPerson,
  scaledToZeroByAnAutoscaler,
  quotaExhausted,
  podSecurityForbidsPods,
  serviceAccountMissing,
  ownPodsBlocked,
  wrongPortName,
  selectorCoversAgents,
  unreadyAddressesPublished,
  endpointOfNoPod,
  endpointsByHandForgotten,
  conversionBackendGone,
  apiserviceWithoutEndpoints,
  onlyTerminatingEndpoints,
  imageCannotBePulled,
  crashLoop,
  memoryLimitTooSmall,
  evictedForGood,
  unschedulable,
  servingSecretMissing,
  configMapMissing,
  initContainerFails,
  readinessFailing,
  nodeNotReady,
  deletedButKept,
  keptByAFinalizer,
  failsOpenUnseen,
  oneOfTwoCrashes,
  parkedBySchedulerName,
  certificateNotIssued,
  replicaNotListening,
  replicaListensOnLoopbackOnly,
  replicaHangs,
  replicaSpeaksPlainHttp,
  leaderGatedListener,
  leaderGatedAnswer,
  leaderGatedReadiness,
  replicasDisagree,
  responsePathNotFound,
  responseRedirects,
  responseServerError,
  responseNotAReview,
  responseUidMismatch,
  responseSlow,
  clientCertificateDemanded,
  tlsVersionUnsupported,
  staleCaBundle,
  servingCertificateExpired,
  servingCertificateNameMismatch,
  replicasServeDifferentCertificates,
  servedCertificateDiffersFromSecret,
  servedCertificateDiffersFromConfigMap,
  unreachableFromControlPlane,
  addressNotAllowed,
  responseEmpty,
  keepAliveShorterThanApiServer,
  targetPortClosed,
  singleReplica,
  timeoutTooLong,
  endpointsByHand,
  headlessWithEndpointRouting,
  namedTargetPort,
  twoSlicesPerService,
  dualStack,
  hostNetwork,
  noRules,
  ownNamespaceExcluded,
  unreadyPublishedAllReady,
  oneReplicaFailsOpen,
  externalUrl,
  conversionNone,
  availableApiservice,
  statefulReplicas,
  replicaOnEveryNode,
  terminatingBesideReady,
  rolloutInProgress,
  completedJobPods,
  manyWebhooksOneService,
  podWithoutWorkload,
];
