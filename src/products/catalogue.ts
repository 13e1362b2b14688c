import { aks } from './aks.ts';
import { antrea } from './antrea.ts';
import { argoCd } from './argo-cd.ts';
import { awsLoadBalancerController } from './aws-load-balancer-controller.ts';
import { azureWorkloadIdentity } from './azure-workload-identity.ts';
import { capsule } from './capsule.ts';
import { certManager } from './cert-manager.ts';
import { cloudNativePg } from './cloudnative-pg.ts';
import { clusterApi } from './cluster-api.ts';
import { consul } from './consul.ts';
import { crossplane } from './crossplane.ts';
import { dapr } from './dapr.ts';
import { datadog } from './datadog.ts';
import { eks } from './eks.ts';
import { elasticCloud } from './elastic-cloud.ts';
import { externalSecrets } from './external-secrets.ts';
import { flux } from './flux.ts';
import { gardener } from './gardener.ts';
import { gatekeeper } from './gatekeeper.ts';
import { gke } from './gke.ts';
import { hierarchicalNamespaces } from './hierarchical-namespaces.ts';
import { ingressNginx } from './ingress-nginx.ts';
import { istio } from './istio.ts';
import { jobSet } from './jobset.ts';
import { keda } from './keda.ts';
import { knative } from './knative.ts';
import { kubeVirt } from './kubevirt.ts';
import { kubewarden } from './kubewarden.ts';
import { kueue } from './kueue.ts';
import { kyverno } from './kyverno.ts';
import { leaderWorkerSet } from './leader-worker-set.ts';
import { linkerd } from './linkerd.ts';
import { longhorn } from './longhorn.ts';
import { mariaDbOperator } from './mariadb-operator.ts';
import { metalLb } from './metallb.ts';
import { openKruise } from './open-kruise.ts';
import { openTelemetryOperator } from './open-telemetry-operator.ts';
import { openshift } from './openshift.ts';
import { operatorLifecycleManager } from './operator-lifecycle-manager.ts';
import type { Product } from './product.ts';
import { prometheusOperator } from './prometheus-operator.ts';
import { rabbitMqTopologyOperator } from './rabbitmq-topology-operator.ts';
import { rancherWebhook } from './rancher-webhook.ts';
import { sigstorePolicyController } from './sigstore-policy-controller.ts';
import { sparkOperator } from './spark-operator.ts';
import { strimziDrainCleaner } from './strimzi-drain-cleaner.ts';
import { tekton } from './tekton.ts';
import { vaultInjector } from './vault-injector.ts';
import { verticalPodAutoscaler } from './vertical-pod-autoscaler.ts';
import { volcano } from './volcano.ts';
import { webhookCertgen } from './webhook-certgen.ts';

/** Every product that we know something about. */
export const products: readonly Product[] = [
  aks,
  antrea,
  argoCd,
  awsLoadBalancerController,
  azureWorkloadIdentity,
  capsule,
  certManager,
  cloudNativePg,
  clusterApi,
  consul,
  crossplane,
  dapr,
  datadog,
  eks,
  elasticCloud,
  externalSecrets,
  flux,
  gardener,
  gatekeeper,
  gke,
  hierarchicalNamespaces,
  ingressNginx,
  istio,
  jobSet,
  keda,
  knative,
  kubeVirt,
  kubewarden,
  kueue,
  kyverno,
  leaderWorkerSet,
  linkerd,
  longhorn,
  mariaDbOperator,
  metalLb,
  openKruise,
  openTelemetryOperator,
  openshift,
  operatorLifecycleManager,
  prometheusOperator,
  rabbitMqTopologyOperator,
  rancherWebhook,
  sigstorePolicyController,
  sparkOperator,
  strimziDrainCleaner,
  tekton,
  vaultInjector,
  verticalPodAutoscaler,
  volcano,
  webhookCertgen,
];
