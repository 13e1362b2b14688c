import { endpointOfNoPod } from './backend/endpoint-of-no-pod.ts';
import { endpointsOnlyTerminating } from './backend/endpoints-only-terminating.ts';
import { noReadyEndpoint } from './backend/no-ready-endpoint.ts';
import { rolloutPaused } from './backend/rollout-paused.ts';
import { selectorCoversOtherWorkload } from './backend/selector-covers-other-workload.ts';
import { selectorMatchesNoPod } from './backend/selector-matches-no-pod.ts';
import { targetPortClosed } from './backend/target-port-closed.ts';
import { targetPortNameMissing } from './backend/target-port-name-missing.ts';
import { unreadyAddressesPublished } from './backend/unready-addresses-published.ts';
import { webhookApiUnavailable } from './backend/webhook-api-unavailable.ts';
import { workloadCannotCreatePods } from './backend/workload-cannot-create-pods.ts';
import { workloadMissing } from './backend/workload-missing.ts';
import { workloadScaledToZero } from './backend/workload-scaled-to-zero.ts';
import { type ChainLink, chainLinks } from './chain.ts';
import type { Check, DefinedCheck } from './check.ts';
import { callsFailedAtStart } from './effect/calls-failed-at-start.ts';
import { conversionBlocksStoredVersions } from './effect/conversion-blocks-stored-versions.ts';
import { conversionsFailedCounted } from './effect/conversions-failed-counted.ts';
import { evictionsDenied } from './effect/evictions-denied.ts';
import { failOpenCounted } from './effect/fail-open-counted.ts';
import { injectionLabelUnknown } from './effect/injection-label-unknown.ts';
import { latencyCounted } from './effect/latency-counted.ts';
import { matchConditionErrorsCounted } from './effect/match-condition-errors-counted.ts';
import { metricsApiMissing } from './effect/metrics-api-missing.ts';
import { namespaceDeletionBlocked } from './effect/namespace-deletion-blocked.ts';
import { podsParked } from './effect/pods-parked.ts';
import { podsWithoutInjection } from './effect/pods-without-injection.ts';
import { productWithoutWebhooks } from './effect/product-without-webhooks.ts';
import { rejectionsCounted } from './effect/rejections-counted.ts';
import { workloadCreationBlocked } from './effect/workload-creation-blocked.ts';
import { failingOpenNow } from './failure-policy/failing-open-now.ts';
import { failopenOverdue } from './failure-policy/failopen-overdue.ts';
import { outageRiskSingleReplica } from './failure-policy/outage-risk-single-replica.ts';
import { policyFailsOpen } from './failure-policy/policy-fails-open.ts';
import { timeoutBudgetExceeded } from './failure-policy/timeout-budget-exceeded.ts';
import { timeoutTooLong } from './failure-policy/timeout-too-long.ts';
import { timeoutTooShort } from './failure-policy/timeout-too-short.ts';
import { addressNotAllowed } from './network/address-not-allowed.ts';
import { apiServerProxy } from './network/api-server-proxy.ts';
import { callFailsUnexplained } from './network/call-fails-unexplained.ts';
import { firewallTargetPort } from './network/firewall-target-port.ts';
import { hostNetworkPortConflict } from './network/host-network-port-conflict.ts';
import { keptConnectionHidesBreak } from './network/kept-connection-hides-break.ts';
import { meshInterceptsPort } from './network/mesh-intercepts-port.ts';
import { networkPluginFailing } from './network/network-plugin-failing.ts';
import { networkPolicyShieldsWebhook } from './network/network-policy-shields-webhook.ts';
import { packetsLostByNode } from './network/packets-lost-by-node.ts';
import { tunnelDown } from './network/tunnel-down.ts';
import { unreachableFromControlPlane } from './network/unreachable-from-control-plane.ts';
import { configurationFoughtOver } from './ownership/configuration-fought-over.ts';
import { managedConfiguration } from './ownership/managed-configuration.ts';
import { apiServersOfSeveralVersions } from './practice/api-servers-of-several-versions.ts';
import { blockingDisruptionBudget } from './practice/blocking-disruption-budget.ts';
import { certificateRotatedByNobody } from './practice/certificate-rotated-by-nobody.ts';
import { couldBeAdmissionPolicy } from './practice/could-be-admission-policy.ts';
import { noDisruptionBudget } from './practice/no-disruption-budget.ts';
import { noDrainBeforeStop } from './practice/no-drain-before-stop.ts';
import { noPriorityClass } from './practice/no-priority-class.ts';
import { noResourceRequests } from './practice/no-resource-requests.ts';
import { readinessDoesNotCoverWebhook } from './practice/readiness-does-not-cover-webhook.ts';
import { replicasOnOneNode } from './practice/replicas-on-one-node.ts';
import { rolloutTakesAll } from './practice/rollout-takes-all.ts';
import { sharedNamespace } from './practice/shared-namespace.ts';
import { webhookBesideLeaderElection } from './practice/webhook-beside-leader-election.ts';
import { admissionPluginDisabled } from './registration/admission-plugin-disabled.ts';
import { apiserviceTlsSkipped } from './registration/apiservice-tls-skipped.ts';
import { apiserviceUnavailable } from './registration/apiservice-unavailable.ts';
import { conversionUnused } from './registration/conversion-unused.ts';
import { duplicateInstallation } from './registration/duplicate-installation.ts';
import { duplicateWebhookName } from './registration/duplicate-webhook-name.ts';
import { exactSkipsVersion } from './registration/exact-skips-version.ts';
import { matchConditionBroken } from './registration/match-condition-broken.ts';
import { namespaceSelectorMatchesNothing } from './registration/namespace-selector-matches-nothing.ts';
import { noRules } from './registration/no-rules.ts';
import { objectSelectorMatchesNothing } from './registration/object-selector-matches-nothing.ts';
import { objectselectorExcludesConnect } from './registration/objectselector-excludes-connect.ts';
import { ruleCoversExemptKind } from './registration/rule-covers-exempt-kind.ts';
import { ruleResourceUnknown } from './registration/rule-resource-unknown.ts';
import { sideEffectsRefuseDryRun } from './registration/side-effects-refuse-dry-run.ts';
import { podsCannotReachApiServer } from './replica/api-access/pods-cannot-reach-api-server.ts';
import { serviceAccountLacksRights } from './replica/api-access/service-account-lacks-rights.ts';
import { leaderGatedAnswer } from './replica/leader-election/leader-gated-answer.ts';
import { leaderGatedListener } from './replica/leader-election/leader-gated-listener.ts';
import { leaderGatedReadiness } from './replica/leader-election/leader-gated-readiness.ts';
import { leaderLeaseStale } from './replica/leader-election/leader-lease-stale.ts';
import { replicaClosesConnections } from './replica/listener/replica-closes-connections.ts';
import { replicaHangs } from './replica/listener/replica-hangs.ts';
import { replicaListensOnLoopbackOnly } from './replica/listener/replica-listens-on-loopback-only.ts';
import { replicaNotListening } from './replica/listener/replica-not-listening.ts';
import { replicaSpeaksPlainHttp } from './replica/listener/replica-speaks-plain-http.ts';
import { replicasDisagree } from './replica/listener/replicas-disagree.ts';
import { replicaCrashLooping } from './replica/pod-failure/replica-crash-looping.ts';
import { replicaEvicted } from './replica/pod-failure/replica-evicted.ts';
import { replicaNodeNotReady } from './replica/pod-failure/replica-node-not-ready.ts';
import { replicaOutOfMemory } from './replica/pod-failure/replica-out-of-memory.ts';
import { replicaReadinessFailing } from './replica/pod-failure/replica-readiness-failing.ts';
import { replicaTerminatingStuck } from './replica/pod-failure/replica-terminating-stuck.ts';
import { processCannotStart } from './replica/pod-start/process-cannot-start.ts';
import { replicaConfigError } from './replica/pod-start/replica-config-error.ts';
import { replicaImagePullFailing } from './replica/pod-start/replica-image-pull-failing.ts';
import { replicaInitStuck } from './replica/pod-start/replica-init-stuck.ts';
import { replicaUnschedulable } from './replica/pod-start/replica-unschedulable.ts';
import { replicaVolumeMissing } from './replica/pod-start/replica-volume-missing.ts';
import { probesContradictObjects } from './replica/probes-contradict-objects.ts';
import { autoscalersGetNoMetrics } from './response/autoscalers-get-no-metrics.ts';
import { deniesPlainObject } from './response/denies-plain-object.ts';
import { deniesSample } from './response/denies-sample.ts';
import { handlerWaitsForService } from './response/handler-waits-for-service.ts';
import { keepAliveShorterThanApiServer } from './response/keep-alive-shorter-than-api-server.ts';
import { mirrorPodsRefused } from './response/mirror-pods-refused.ts';
import { onlyDryRunsFail } from './response/only-dry-runs-fail.ts';
import { patchOverwritten } from './response/patch-overwritten.ts';
import { replicasetTemplateChanged } from './response/replicaset-template-changed.ts';
import { responseConversionFailed } from './response/response-conversion-failed.ts';
import { responseEmpty } from './response/response-empty.ts';
import { responseNotAReview } from './response/response-not-a-review.ts';
import { responsePatchInvalid } from './response/response-patch-invalid.ts';
import { responsePathNotFound } from './response/response-path-not-found.ts';
import { responseRedirects } from './response/response-redirects.ts';
import { responseServerError } from './response/response-server-error.ts';
import { responseSlow } from './response/response-slow.ts';
import { responseUidMismatch } from './response/response-uid-mismatch.ts';
import { responseUnauthorized } from './response/response-unauthorized.ts';
import { responseVersionMismatch } from './response/response-version-mismatch.ts';
import { internalTrafficPolicyLocal } from './routing/internal-traffic-policy-local.ts';
import { orphanedConfiguration } from './routing/orphaned-configuration.ts';
import { pathTrailingSlash } from './routing/path-trailing-slash.ts';
import { serviceExternalName } from './routing/service-external-name.ts';
import { serviceHeadless } from './routing/service-headless.ts';
import { serviceMissing } from './routing/service-missing.ts';
import { serviceNamespaceMissing } from './routing/service-namespace-missing.ts';
import { serviceNotProxied } from './routing/service-not-proxied.ts';
import { servicePortMissing } from './routing/service-port-missing.ts';
import { urlInClusterName } from './routing/url-in-cluster-name.ts';
import { urlLoopback } from './routing/url-loopback.ts';
import { urlNotResolvable } from './routing/url-not-resolvable.ts';
import { urlUnreachable } from './routing/url-unreachable.ts';
import { bootstrapDeadlock } from './scope/bootstrap-deadlock.ts';
import { calledBeforeInjector } from './scope/called-before-injector.ts';
import { conversionDeadlock } from './scope/conversion-deadlock.ts';
import { coversDeletion } from './scope/covers-deletion.ts';
import { coversEverything } from './scope/covers-everything.ts';
import { coversNodeHeartbeats } from './scope/covers-node-heartbeats.ts';
import { coversOwnConfigurationPath } from './scope/covers-own-configuration-path.ts';
import { coversSystemNamespaces } from './scope/covers-system-namespaces.ts';
import { deadlockCycle } from './scope/deadlock-cycle.ts';
import { ephemeralContainersUnchecked } from './scope/ephemeral-containers-unchecked.ts';
import { namespaceOptedOut } from './scope/namespace-opted-out.ts';
import { caBundleEmpty } from './tls/ca-bundle/ca-bundle-empty.ts';
import { caBundleExpired } from './tls/ca-bundle/ca-bundle-expired.ts';
import { caBundleExpiring } from './tls/ca-bundle/ca-bundle-expiring.ts';
import { caBundleFoughtOver } from './tls/ca-bundle/ca-bundle-fought-over.ts';
import { caBundleInvalid } from './tls/ca-bundle/ca-bundle-invalid.ts';
import { caBundleOverwritten } from './tls/ca-bundle/ca-bundle-overwritten.ts';
import { caInjectionBroken } from './tls/ca-bundle/ca-injection-broken.ts';
import { staleCaBundle } from './tls/ca-bundle/stale-ca-bundle.ts';
import { caNotAllowedToSign } from './tls/certificate/ca-not-allowed-to-sign.ts';
import { clockSkew } from './tls/certificate/clock-skew.ts';
import { intermediateMissing } from './tls/certificate/intermediate-missing.ts';
import { nameConstraintViolation } from './tls/certificate/name-constraint-violation.ts';
import { replicasServeDifferentCertificates } from './tls/certificate/replicas-serve-different-certificates.ts';
import { servingCertificateExpired } from './tls/certificate/serving-certificate-expired.ts';
import { servingCertificateExpiring } from './tls/certificate/serving-certificate-expiring.ts';
import { servingCertificateLegacyCommonName } from './tls/certificate/serving-certificate-legacy-common-name.ts';
import { servingCertificateMalformed } from './tls/certificate/serving-certificate-malformed.ts';
import { servingCertificateNameMismatch } from './tls/certificate/serving-certificate-name-mismatch.ts';
import { servingCertificateNotYetValid } from './tls/certificate/serving-certificate-not-yet-valid.ts';
import { servingCertificateWrongUsage } from './tls/certificate/serving-certificate-wrong-usage.ts';
import { unhandledCriticalExtension } from './tls/certificate/unhandled-critical-extension.ts';
import { weakKey } from './tls/certificate/weak-key.ts';
import { weakSignature } from './tls/certificate/weak-signature.ts';
import { cipherUnsupported } from './tls/handshake/cipher-unsupported.ts';
import { clientCertificateDemanded } from './tls/handshake/client-certificate-demanded.ts';
import { serverHasNoCertificate } from './tls/handshake/server-has-no-certificate.ts';
import { sniRefused } from './tls/handshake/sni-refused.ts';
import { tlsVersionUnsupported } from './tls/handshake/tls-version-unsupported.ts';
import { secretCaDiffersFromCaBundle } from './tls/secret/secret-ca-differs-from-ca-bundle.ts';
import { servedCertificateDiffersFromSecret } from './tls/secret/served-certificate-differs-from-secret.ts';
import { servingSecretIncomplete } from './tls/secret/serving-secret-incomplete.ts';
import { servingSecretMismatchedKey } from './tls/secret/serving-secret-mismatched-key.ts';
import { servingSecretMissing } from './tls/secret/serving-secret-missing.ts';
import { certificateJobFailed } from './tls/writer/certificate-job-failed.ts';
import { certificateNotIssued } from './tls/writer/certificate-not-issued.ts';
import { certificateWriterNotLeader } from './tls/writer/certificate-writer-not-leader.ts';
import { certificateWriterNotRunning } from './tls/writer/certificate-writer-not-running.ts';

const byLink: { readonly [Link in ChainLink]: readonly DefinedCheck[] } = {
  registration: [
    admissionPluginDisabled,
    noRules,
    ruleResourceUnknown,
    namespaceSelectorMatchesNothing,
    objectSelectorMatchesNothing,
    ruleCoversExemptKind,
    exactSkipsVersion,
    objectselectorExcludesConnect,
    conversionUnused,
    apiserviceUnavailable,
    apiserviceTlsSkipped,
    matchConditionBroken,
    sideEffectsRefuseDryRun,
    duplicateInstallation,
    duplicateWebhookName,
  ],
  routing: [
    orphanedConfiguration,
    serviceNamespaceMissing,
    serviceMissing,
    servicePortMissing,
    serviceHeadless,
    serviceExternalName,
    serviceNotProxied,
    internalTrafficPolicyLocal,
    pathTrailingSlash,
    urlInClusterName,
    urlLoopback,
    urlNotResolvable,
    urlUnreachable,
  ],
  backend: [
    selectorMatchesNoPod,
    workloadMissing,
    webhookApiUnavailable,
    workloadScaledToZero,
    rolloutPaused,
    workloadCannotCreatePods,
    targetPortNameMissing,
    targetPortClosed,
    selectorCoversOtherWorkload,
    endpointOfNoPod,
    unreadyAddressesPublished,
    endpointsOnlyTerminating,
    noReadyEndpoint,
  ],
  replica: [
    replicaVolumeMissing,
    replicaImagePullFailing,
    replicaConfigError,
    replicaInitStuck,
    replicaOutOfMemory,
    processCannotStart,
    replicaCrashLooping,
    replicaReadinessFailing,
    replicaNodeNotReady,
    // After the checks of Pods on a node: a Pod that is not scheduled yet would fail as they do.
    replicaUnschedulable,
    replicaEvicted,
    replicaTerminatingStuck,
    replicaNotListening,
    replicaListensOnLoopbackOnly,
    replicaHangs,
    replicaSpeaksPlainHttp,
    replicaClosesConnections,
    leaderGatedListener,
    leaderGatedAnswer,
    leaderGatedReadiness,
    leaderLeaseStale,
    serviceAccountLacksRights,
    podsCannotReachApiServer,
    replicasDisagree,
    probesContradictObjects,
  ],
  tls: [
    certificateNotIssued,
    caBundleInvalid,
    caBundleEmpty,
    caBundleExpired,
    caBundleExpiring,
    servingCertificateMalformed,
    unhandledCriticalExtension,
    servingCertificateExpired,
    servingCertificateNotYetValid,
    servingCertificateNameMismatch,
    servingCertificateLegacyCommonName,
    staleCaBundle,
    intermediateMissing,
    weakSignature,
    caNotAllowedToSign,
    nameConstraintViolation,
    servingCertificateWrongUsage,
    weakKey,
    tlsVersionUnsupported,
    cipherUnsupported,
    clientCertificateDemanded,
    serverHasNoCertificate,
    sniRefused,
    servingSecretMissing,
    servingSecretIncomplete,
    servingSecretMismatchedKey,
    replicasServeDifferentCertificates,
    servedCertificateDiffersFromSecret,
    secretCaDiffersFromCaBundle,
    caInjectionBroken,
    caBundleFoughtOver,
    certificateJobFailed,
    caBundleOverwritten,
    certificateWriterNotLeader,
    certificateWriterNotRunning,
    servingCertificateExpiring,
    clockSkew,
  ],
  response: [
    responsePathNotFound,
    responseRedirects,
    responseUnauthorized,
    responseServerError,
    responseEmpty,
    responseConversionFailed,
    responseNotAReview,
    responseUidMismatch,
    responseVersionMismatch,
    responsePatchInvalid,
    handlerWaitsForService,
    autoscalersGetNoMetrics,
    onlyDryRunsFail,
    responseSlow,
    patchOverwritten,
    deniesPlainObject,
    deniesSample,
    mirrorPodsRefused,
    replicasetTemplateChanged,
    keepAliveShorterThanApiServer,
  ],
  network: [
    unreachableFromControlPlane,
    apiServerProxy,
    addressNotAllowed,
    packetsLostByNode,
    firewallTargetPort,
    networkPluginFailing,
    networkPolicyShieldsWebhook,
    tunnelDown,
    meshInterceptsPort,
    hostNetworkPortConflict,
    keptConnectionHidesBreak,
    callFailsUnexplained,
  ],
  scope: [
    bootstrapDeadlock,
    deadlockCycle,
    conversionDeadlock,
    coversEverything,
    coversSystemNamespaces,
    coversNodeHeartbeats,
    coversOwnConfigurationPath,
    coversDeletion,
    namespaceOptedOut,
    calledBeforeInjector,
    ephemeralContainersUnchecked,
  ],
  'failure-policy': [
    failingOpenNow,
    failopenOverdue,
    policyFailsOpen,
    outageRiskSingleReplica,
    timeoutTooLong,
    timeoutTooShort,
    timeoutBudgetExceeded,
  ],
  effect: [
    workloadCreationBlocked,
    callsFailedAtStart,
    conversionBlocksStoredVersions,
    namespaceDeletionBlocked,
    podsParked,
    podsWithoutInjection,
    injectionLabelUnknown,
    productWithoutWebhooks,
    metricsApiMissing,
    rejectionsCounted,
    evictionsDenied,
    failOpenCounted,
    latencyCounted,
    matchConditionErrorsCounted,
    conversionsFailedCounted,
  ],
  ownership: [managedConfiguration, configurationFoughtOver],
  practice: [
    noDisruptionBudget,
    apiServersOfSeveralVersions,
    blockingDisruptionBudget,
    noResourceRequests,
    readinessDoesNotCoverWebhook,
    noDrainBeforeStop,
    rolloutTakesAll,
    replicasOnOneNode,
    webhookBesideLeaderElection,
    noPriorityClass,
    sharedNamespace,
    certificateRotatedByNobody,
    couldBeAdmissionPolicy,
  ],
};

/** All checks, in the order in which a call passes the links of the chain. */
export const catalogue: readonly Check[] = chainLinks.flatMap((link) =>
  byLink[link].map((check) => ({ ...check, meta: { severity: 'error', ...check.meta, link } })),
);

/** The check of a definition, with its link. */
export const inCatalogue = (definition: DefinedCheck): Check =>
  catalogue.find(({ meta }) => meta.id === definition.meta.id) as Check;
