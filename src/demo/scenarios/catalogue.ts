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
import { memoryLimitTooSmall } from './replica/memory-limit-too-small.ts';
import { nodeNotReady } from './replica/node-not-ready.ts';
import { oneOfTwoCrashes } from './replica/one-of-two-crashes.ts';
import { parkedBySchedulerName } from './replica/parked-by-scheduler-name.ts';
import { readinessFailing } from './replica/readiness-failing.ts';
import { servingSecretMissing } from './replica/serving-secret-missing.ts';
import { unschedulable } from './replica/unschedulable.ts';
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
