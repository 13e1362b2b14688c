import { callRow, conversionRow, otherRow, storageRow } from './row.ts';

/** Objects that the API server does not store, does not find or does not overwrite. */
export const storedObjectTexts = [
  otherRow('service-not-found', 'routing', {
    pattern: /\bservices "[a-z0-9.-]+" not found/,
    says: 'handler need-a-cert: services "policy" not found, requeuing',
    means:
      'A component looked for a Service that does not exist in that namespace. It may not exist yet, was deleted, or has another name than the program expects.',
    next: ['kubectl get services -A'],
  }),
  storageRow('stored-version-removed', 'registration', {
    pattern:
      /status\.storedVersions\[\d+\]: Invalid value: |new CRD removes version \S+ that is listed as a stored version|request to convert CR (?:from|to) an invalid group\/version/,
    says: 'CustomResourceDefinition.apiextensions.k8s.io "widgets.example.com" is invalid: status.storedVersions[0]: Invalid value: "v1beta1": missing from spec.versions',
    means:
      'The CRD does not list a version that `status.storedVersions`, a stored object or its `managedFields` still contain. Add the version with `served: false`, write every object once in the new version, then remove the old one from `status.storedVersions`.',
    next: ["kubectl get crd NAME -o jsonpath='{.status.storedVersions}'"],
  }),
  otherRow('owned-by-another-release', 'ownership', {
    pattern:
      /(?:APIService|WebhookConfiguration|CustomResourceDefinition) "?[^"\s]+"? in namespace "?[^"]*"? exists and cannot be imported into the current release|existing resource conflict: .*kind: (?:APIService|\w+WebhookConfiguration|CustomResourceDefinition)\b|\b(?:apiservices|\w+webhookconfigurations|customresourcedefinitions)\.[\w.]+ "[^"]+" already exists|[Aa]dmission ?[Ww]ebhook\b.{0,80} is already registered\b|\b(?:APIService|\w+WebhookConfiguration|CustomResourceDefinition)\/\S+ is part of applications? /,
    says: 'APIService "v1beta1.external.metrics.k8s.io" in namespace "" exists and cannot be imported into the current release: invalid ownership metadata',
    means:
      'The object already exists: another release, product or tool created it. Two installations contain the same object, or an earlier one left it. Helm adopts no object of another owner.',
    next: ['helm list -A'],
  }),
  storageRow('stored-ca-bundle-invalid', 'tls', {
    pattern:
      /caBundle: Invalid value|caBundle.*unable to load root certificates|caBundle\): invalid type|(?:WebhookConfiguration|CustomResourceDefinition|APIService): .{0,200}illegal base64 data/i,
    says: 'The CustomResourceDefinition "widgets.example.com" is invalid: spec.conversion.webhookClientConfig.caBundle: Invalid value: unable to load root certificates: unable to parse bytes as PEM block',
    means:
      'The API server does not store the object: its caBundle is not base64 in one line, or contains no valid PEM certificate.',
  }),
  storageRow('object-invalid', 'tls', {
    pattern: /insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present/,
    says: 'APIService.apiregistration.k8s.io "v1beta1.metrics.example.com" is invalid: spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present',
    means:
      'The APIService has `insecureSkipTLSVerify: true`, and a program cannot add its caBundle until this is removed. If that program is an operator, it may end and restart at each attempt. Remove `insecureSkipTLSVerify` from the APIService and from its manifest; the program then writes the caBundle.',
    next: ['kubectl edit apiservice NAME'],
  }),
  storageRow('removed-api-version', 'registration', {
    pattern:
      /webhooks\[\d+\]\.(?:sideEffects|admissionReviewVersions): (?:Required|Unsupported) value|\.webhooks\[\d+\]\): missing required field "(?:sideEffects|admissionReviewVersions)"/,
    says: 'MutatingWebhookConfiguration.admissionregistration.k8s.io "policy" is invalid: webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun',
    means:
      'The configuration lacks fields that `admissionregistration.k8s.io/v1` requires, or has values that only v1beta1 allowed: `sideEffects`, `admissionReviewVersions`. The component needs a release that supports v1.',
  }),
  conversionRow('object-invalid', 'registration', {
    pattern: /failed to convert pruned object at version .*\breturned inv(?!.*in converted object)/,
    says: 'failed to convert pruned object at version example.com/v1beta1: conversion webhook for example.com/v1, Kind=Widget returned invalid metadata: invalid metadata of type <nil> in input object',
    means:
      'The API server itself sends an object without metadata to the conversion webhook, after a server-side apply. An entry of `managedFields` names another version of the object. Apply the object in that version, or remove the entry.',
    next: ['kubectl get KIND NAME -o yaml --show-managed-fields'],
  }),
  storageRow('object-invalid', 'registration', {
    pattern: /Required value: required when strategy is set to Webhook/,
    says: 'spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook',
    means:
      'The CRD has `strategy: Webhook` without the fields of the webhook. In `apiextensions.k8s.io/v1` they are in `spec.conversion.webhook`, and v1beta1 ignores them there. If the message ends with `feature is disabled`, this release of Kubernetes does not call conversion webhooks.',
    next: ['kubectl apply --dry-run=server -f FILE'],
  }),
  storageRow('object-invalid', 'registration', {
    pattern: /webhook(?:ClientConfig)?: Forbidden: should not be set when strategy is not set to Webhook/,
    says: 'spec.conversion.strategy: Required value, spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook',
    means:
      'The CRD has fields of a conversion webhook, such as `caBundle`, without `strategy: Webhook`. They are in the manifest, or another field manager, such as a CA injector, still owns them. Remove them there. In the cluster, set `spec.conversion` to `strategy: None`, and delete the annotation of the injector.',
    next: ['kubectl get crd NAME -o yaml --show-managed-fields'],
  }),
  storageRow('object-invalid', 'registration', {
    pattern: /"[^"]+" is invalid: metadata\.annotations: Too long\b/,
    says: 'The CustomResourceDefinition "widgets.example.com" is invalid: metadata.annotations: Too long: may not be more than 262144 bytes',
    means:
      'Client-side `kubectl apply` stores the whole manifest in an annotation, and this object is larger than an annotation may be. Use server-side apply, which stores no annotation.',
    next: ['kubectl apply --server-side -f FILE'],
  }),
  storageRow('object-invalid', 'registration', {
    pattern:
      /etcdserver: request is too large|Request entity too large: limit is \d+|trying to send message larger than max/,
    says: 'Error from server: etcdserver: request is too large',
    means:
      'The object is larger than etcd or the API server accepts, with the fields that webhooks add. The default limit of etcd is 1.5 MiB. Make the object smaller: shorten the descriptions of a CRD. A webhook configuration repeats its caBundle in each webhook: split it, and inject only the current CA.',
    next: ['kubectl get KIND NAME -o json | wc -c'],
  }),
  storageRow('object-invalid', 'registration', {
    pattern: /the object provided is unrecognized \(must be of type \w+\)/,
    says: "the object provided is unrecognized (must be of type ValidatingWebhookConfiguration): couldn't get version/kind; json parse error",
    means:
      'The API server cannot decode what the client sent: it is not one object of this kind. It may be a list, another kind, or an error page. No webhook was called.',
    next: ['kubectl apply --dry-run=server -f FILE'],
  }),
  storageRow('configuration-not-found', 'registration', {
    pattern:
      /WebhookConfiguration.* is invalid: .*metadata\.ownerReferences\.(?:name|uid): Invalid value: ""/,
    says: 'MutatingWebhookConfiguration.admissionregistration.k8s.io "policy" is invalid: metadata.ownerReferences.uid: Invalid value: "": uid must not be empty',
    means:
      'The program registers its webhooks with an owner that it did not find, usually its own Deployment, which has another name. The API server does not store such a configuration.',
    next: ['kubectl get deployments -A'],
  }),
  storageRow('object-invalid', 'registration', {
    pattern: /exactly one of url or service is required/,
    says: 'ValidatingWebhookConfiguration.admissionregistration.k8s.io "policy" is invalid: webhooks[0].clientConfig: Required value: exactly one of url or service is required',
    means:
      'The `clientConfig` would have both `url` and `service`, or neither. An empty `service` counts too. A patch or an apply keeps the one that the stored object has: set that field to null in the patch.',
    next: ['kubectl get KIND NAME -o yaml'],
  }),
  storageRow('object-invalid', 'registration', {
    pattern:
      /\b(?:Deployment|DaemonSet|StatefulSet)\.apps "[^"]*(?:admission|webhook|cert|operator|controller|manager|inject)[^"]*" is invalid: spec\.selector: .*field is immutable/i,
    says: 'Deployment.apps "policy-webhook" is invalid: spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"app":"policy"}}: field is immutable',
    means:
      'The new manifest changes the selector of a workload, which is immutable. Delete the workload, then apply the manifest again. Until its new Pods are Ready, calls to its webhooks fail.',
    next: ['kubectl -n NAMESPACE get deployments,statefulsets,daemonsets --show-labels'],
  }),
  storageRow('object-invalid', 'registration', {
    pattern:
      /(?:(?:Validating|Mutating)WebhookConfiguration|CustomResourceDefinition|APIService)s?(?:\.[\w.]+)? "[^"]*" is invalid: |ValidationError\((?:(?:Validating|Mutating)WebhookConfiguration|CustomResourceDefinition|APIService)\b|cannot be handled as an? (?:\w+WebhookConfiguration|CustomResourceDefinition|APIService): |\bThe Job "[^"]*(?:admission|webhook|cert)[^"]*" is invalid: .*field is immutable|\b(?:webhooks\[\d+\]|spec\.conversion)\.[\w.[\]]+: (?:Required|Invalid|Unsupported|Duplicate) value/i,
    says: 'The ValidatingWebhookConfiguration "policy" is invalid: webhooks[0].timeoutSeconds: Invalid value: 60: the timeout value must be between 1 and 30 seconds',
    means:
      'The API server does not store the object. The message names the field, its value and the requirement. If a field of a Job is immutable, delete the completed Job first.',
    next: ['kubectl apply --dry-run=server -f FILE'],
  }),
  storageRow('object-invalid', 'registration', {
    pattern:
      /^(?!.*(?:denied|Internal error occurr?ed|webhook response)).*\b(?:add|remove|replace|move|copy|test) operation does not apply: /,
    says: 'Error from server: jsonpatch replace operation does not apply: doc is missing key: /webhooks/0/clientConfig/caBundle',
    means:
      'A client sent a JSON patch that does not apply to the stored object: the path does not exist, or a `test` failed. `add` sets a field that may be absent, such as an empty caBundle. `replace` does not.',
    next: ['kubectl get KIND NAME -o yaml'],
  }),
  callRow('object-not-encoded', 'registration', {
    pattern:
      /Internal error occurred: no kind "(?!AdmissionReview"|ConversionReview")\w+" is registered for version/,
    says: 'Internal error occurred: no kind "DeploymentConfig" is registered for version "apps.openshift.io/" in scheme "pkg/runtime/scheme.go:101"',
    means:
      'The API server cannot encode this object for a webhook, so it calls no webhook. Rules with `*` match a resource or subresource whose kind has no such version. List the resources in the rules instead.',
    next: ['kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -o yaml'],
  }),
  otherRow('removed-api-version', 'registration', {
    pattern:
      /no matches for kind "?\w+"? in version "?\[?(?:admissionregistration|apiextensions|apiregistration)\.k8s\.io\/v1|failed (?:getting|patching|to (?:register|create|get|update|patch)) (?:validating|mutating) (?:admission )?webhook.*could not find the requested resource|\b(?:admissionregistration|apiextensions|apiregistration)\.k8s\.io\/v1beta1 \w+ is deprecated in v|could not find the requested resource(?:.*failed (?:getting|patching) (?:validating|mutating) webhook| \(\w+ \w+\.(?:admissionregistration|apiextensions|apiregistration)\.k8s\.io\b)/i,
    says: 'no matches for kind "MutatingWebhookConfiguration" in version "admissionregistration.k8s.io/v1beta1"',
    means:
      'The component uses a version of an API that this release does not serve. Of `admissionregistration.k8s.io` and `apiextensions.k8s.io`, Kubernetes 1.22 removed v1beta1, and releases before 1.16 have no v1.',
    next: ['kubectl api-versions'],
  }),
  otherRow('resource-not-found', 'registration', {
    pattern:
      /^(?!.*(?:webhook|https:\/\/|APIs: |\bget --raw |\b(?:Pod|Node)Metrics: |Internal Server Error: |Failed to make webhook )).*the server could not find the requested resource(?! \(\w+ \S+\.)/,
    says: 'F0907 10:26:15.502685 11 main.go:208] the server could not find the requested resource',
    means:
      'A program used an API version that this release does not serve, such as `admissionregistration.k8s.io/v1beta1`, or a webhook server returned 404 for its path. This message alone does not show which.',
    next: ['kubectl api-versions'],
  }),
  otherRow('configuration-not-found', 'registration', {
    pattern:
      /(?:Mutating|Validating)WebhookConfiguration(?:s)?(?:\.admissionregistration\.k8s\.io)? "?[\w.:-]+"? not found|\bno (?:Mutating|Validating)WebhookConfiguration with the name \S+ found|Webhook not found|\bwebhook did not (?:validate|mutate)\b|(?:could not|failed to) (?:find|fetch|get) (?:the )?(?:mutating |validating )?webhook config/i,
    says: 'ValidatingWebhookConfiguration.admissionregistration.k8s.io "policy" not found',
    means:
      'A component tried to read or change a webhook configuration that does not exist. It may not exist yet, was deleted, or has another name than the program expects.',
    next: ['kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations'],
  }),
  otherRow('apply-conflict', 'ownership', {
    pattern: /Apply failed with \d+ conflicts?: [Cc]onflicts? with/,
    says: 'Apply failed with 1 conflict: conflict with "admissionsenforcer" using admissionregistration.k8s.io/v1: .webhooks[name="policy.example.com"].namespaceSelector',
    means: 'Another field manager owns the applied fields. Each manager overwrites the values of the other.',
    next: ['kubectl get KIND NAME -o yaml --show-managed-fields'],
  }),
  otherRow('secret-write-conflict', 'ownership', {
    pattern: /Operation cannot be fulfilled on secrets\b/,
    says: 'could not refresh CA and server certs: Operation cannot be fulfilled on secrets "policy-tls": the object has been modified; please apply your changes to the latest version and try again',
    means:
      'Another client, often another Pod of the same program, wrote the Secret between read and write. A single conflict is harmless, because controllers retry. If the Pod does not become Ready after it, restart the Pod.',
    next: ['kubectl -n NAMESPACE get pods', 'kubectl -n NAMESPACE rollout restart deployment NAME'],
  }),
  otherRow('write-conflict', 'ownership', {
    pattern:
      /Operation cannot be fulfilled on (?:(?:mutating|validating)webhookconfigurations|customresourcedefinitions|apiservices)\b/,
    says: 'Operation cannot be fulfilled on mutatingwebhookconfigurations.admissionregistration.k8s.io "policy": the object has been modified; please apply your changes to the latest version and try again',
    means:
      'Another client changed the object between read and write. A single conflict is harmless, because controllers retry. Repeated conflicts mean that two writers overwrite each other.',
  }),
];
