import {
  maintainedBy,
  type Product,
  renewsOwnCertificate,
  rotatedByCertController,
  rotatedForAdmission,
} from '../product.ts';

/** Products that run, queue and scale workloads of their own kinds. */
export const workloadControllers: readonly Product[] = [
  /**
   * Its certificates are rotated by open-policy-agent/cert-controller: kubernetes-sigs/jobset
   * pkg/util/cert/cert.go.
   */
  {
    name: 'JobSet',
    services: ['jobset-webhook-service'],
    workloads: ['jobset'],
    ...rotatedForAdmission("JobSet's certificate rotator", ['jobset'], 'jobset-webhook-server-cert'),
  },
  /**
   * open-policy-agent/cert-controller pkg/rotator/rotator.go: a serving certificate is valid for a year and
   * renewed 90 days before expiry.
   */
  {
    name: 'KEDA',
    webhooks: [
      'vscaledobject.kb.io',
      'vscaledjob.kb.io',
      'vstriggerauthentication.kb.io',
      'vsclustertriggerauthentication.kb.io',
    ],
    services: ['keda-admission-webhooks', 'keda-metrics-apiserver'],
    workloads: ['keda'],
    scales: 'keda',
    ...renewsOwnCertificate("KEDA's operator", ['keda'], 'kedaorg-certs', {
      daysLeft: 90,
      services: [],
    }),
  },
  /**
   * knative.dev/pkg webhook/certificates: valid for a week, renewed a day before expiry, in a Secret that exists;
   * the program sets the rules.
   */
  {
    name: 'Knative',
    webhooks: ['.knative.dev'],
    workloads: ['knative'],
    writers: [
      {
        name: "Knative's webhook",
        managers: ['webhook'],
        fields: ['caBundle', 'namespaceSelector', 'rules'],
        lasts: 'in the Secret of the webhook’s certificates; rules only in the program',
      },
    ],
    rotation: { by: 'the webhook itself', secret: '{service}-certs', onlyFills: true, days: 7, daysLeft: 1 },
  },
  /**
   * Its certificates are rotated by open-policy-agent/cert-controller: kubernetes-sigs/kueue
   * pkg/util/cert/cert.go.
   */
  {
    name: 'Kueue',
    services: ['kueue-webhook-service'],
    workloads: ['kueue'],
    ...rotatedByCertController("Kueue's certificate rotator", ['kueue'], 'kueue-webhook-server-cert'),
  },
  /** open-policy-agent/cert-controller rotates its certificates: kubernetes-sigs/lws pkg/cert/cert.go. */
  {
    name: 'LeaderWorkerSet',
    services: ['lws-webhook-service'],
    workloads: ['lws'],
    ...rotatedForAdmission("LeaderWorkerSet's certificate rotator", ['lws'], 'lws-webhook-server-cert'),
  },
  /** openkruise pkg/webhook/util/controller: the manager sets the caBundle. */
  {
    name: 'OpenKruise',
    services: ['kruise-webhook-service'],
    workloads: ['kruise'],
    ...renewsOwnCertificate("OpenKruise's manager", ['manager', 'kruise-manager'], 'kruise-webhook-certs'),
  },
  /**
   * kubeflow/spark-operator pkg/certificate, internal/controller/mutatingwebhookconfiguration: each replica reads
   * the Secret when it starts, and replaces a certificate that expires within 180 days; the leader writes the CA.
   */
  {
    name: 'Spark Operator',
    webhooks: ['.sparkoperator.k8s.io'],
    services: ['spark-operator-webhook-svc'],
    workloads: ['spark-operator'],
    ...renewsOwnCertificate("Spark Operator's webhook", ['spark-operator'], 'spark-operator-webhook-certs', {
      days: 3650,
      daysLeft: 180,
    }),
  },
  /**
   * knative.dev/pkg webhook: certificates are valid for a week and renewed a day before expiry; the program
   * writes the rules.
   */
  {
    name: 'Tekton',
    webhooks: ['.tekton.dev'],
    workloads: ['tekton'],
    ...maintainedBy("Tekton's webhook", {
      managers: ['webhook'],
      fields: ['caBundle', 'namespaceSelector', 'rules'],
      lasts: 'in the Secret webhook-certs; rules only in the program',
      secret: 'webhook-certs',
      onlyFills: true,
      days: 7,
      daysLeft: 1,
    }),
  },
  /** volcano cmd/webhook-manager/app/util.go: writes the caBundle at each start; a Job created the Secret. */
  {
    name: 'Volcano',
    webhooks: ['.volcano.sh'],
    workloads: ['volcano'],
    writers: [
      {
        name: "Volcano's webhook manager",
        managers: ['vc-webhook-manager'],
        fields: ['caBundle'],
        lasts: 'in the Secret volcano-admission-secret; it writes when it starts',
      },
    ],
    rotation: { by: "Volcano's installation", secret: 'volcano-admission-secret', atUpgrade: true },
  },
];
