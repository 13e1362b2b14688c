import { denialRow, otherRow } from './row.ts';

/** Objects that the API server itself refuses, by policies and built-in admission plugins. */
export const apiServerRefusalTexts = [
  denialRow('policy-denial', 'effect', {
    pattern:
      /[Pp]olicy ['"]?[^\s'"]+['"]? with binding ['"]?[^\s'"]+['"]? denied request|no params found for policy binding|\bdenied request: (?:JSON Patch|ApplyConfiguration): /,
    says: "ValidatingAdmissionPolicy 'no-latest' with binding 'all' denied request: failed expression: …",
    means:
      'A ValidatingAdmissionPolicy or MutatingAdmissionPolicy denies the request. The API server evaluates it, and no webhook is involved. After `resulted in error` or `no params found`, the policy is at fault: its expression has an error, or its parameter object does not exist.',
    next: ['kubectl get validatingadmissionpolicies,validatingadmissionpolicybindings -o yaml'],
  }),
  denialRow('pods-refused-silently', 'response', {
    pattern: /\bFailedCreate\b.*\bError creating:\s*$/,
    says: 'Warning  FailedCreate  7s (x13 over 28s)  replicaset-controller  Error creating: ',
    means:
      'The API server refuses the Pod, and the reason is empty. Usually a webhook denies it without a message: find the webhooks that match Pods of this namespace.',
    next: ['kubectl webhook list -o wide'],
  }),
  denialRow('pods-not-created', 'backend', {
    pattern:
      /\b[Pp]ods "?[^"\s]*"? is forbidden: .*(?:exceeded quota:|failed quota:|(?:maximum|minimum) [\w./-]+ usage per|max limit to request ratio per)|\binsufficient quota to match these scopes: /,
    says: 'Error creating: pods "policy-7c9d5b6f4-" is forbidden: exceeded quota: none, requested: pods=1',
    means:
      'The API server itself refuses the Pod because of a ResourceQuota (`quota`) or a LimitRange (`usage per`). The quota is used up, or the requests or limits of a container are missing or outside the range. It can be a container that a webhook adds. With `scopes`, no quota of the namespace allows its PriorityClass.',
    next: ['kubectl -n NAMESPACE describe resourcequota,limitrange'],
  }),
  denialRow('pods-not-created', 'backend', {
    pattern: /\bError creating: Pod "[^"]*" is invalid: /,
    says: 'Error creating: Pod "policy-7c9d5b6f4-x2x7k" is invalid: spec.containers[2].name: Duplicate value: "proxy"',
    means:
      'The API server refuses the Pod, because its spec is not valid. The template of the workload was accepted, so usually a mutating webhook changed the Pod. Two injectors add a container or volume of one name, a recommended request exceeds the limit, or a name contains a dot. List the webhooks that match Pods of this namespace.',
    next: ['kubectl webhook list -o wide'],
  }),
  denialRow('pod-update-invalid', 'response', {
    // ValidatePodUpdate (pkg/apis/core/validation/validation.go).
    pattern: /\bpod updates may not (?:add or remove containers|change fields other than)\b/,
    says: 'Pod "cart-7c9d5b6f4-x2x7k" is invalid: spec.containers: Forbidden: pod updates may not add or remove containers',
    means:
      'The API server refuses an update that changes fixed fields of a Pod, such as its list of containers. If the request itself does not change them, a mutating webhook does: its rules contain UPDATE of Pods.',
  }),
  denialRow('immutable-field-changed', 'response', {
    // Without a finalizer, people change such fields themselves, and no webhook is involved.
    pattern:
      /^(?!.*denied the request)(?=.*: field is immutable\b).*\b(?:remov|delet|clear)\w* [^"]{0,40}\bfinalizers?\b.{0,300}" is invalid: \S{1,200}: Invalid value: /,
    says: 'failed to remove finalizer: DNSRecord.example.com "web" is invalid: spec.provider: Invalid value: "aws": field is immutable',
    means:
      'The API server refuses the removal of a finalizer, because the update also changes an immutable field. The object remains. If the controller does not change this field, a mutating webhook does: its rules contain UPDATE.',
  }),
  denialRow('mirror-pod-changed', 'response', {
    // Mirror Pods of static Pods: plugin/pkg/admission/noderestriction and .../serviceaccount.
    pattern: /\ba mirror pod may not reference\b/,
    says: 'Failed creating a mirror pod: pods "etcd-cp1" is forbidden: a mirror pod may not reference secrets',
    means:
      'The API server refuses the mirror Pod of a static Pod, because it refers to a ServiceAccount, Secret, ConfigMap or volume claim. The static Pod runs on its node, and only its mirror Pod is missing. If the manifest on the node contains no such reference, a mutating webhook adds it.',
  }),
  denialRow('pod-priority-changed', 'response', {
    // plugin/pkg/admission/priority: the values are compared with those of the PriorityClass.
    pattern: /\b(?:integer value of priority|string value of PreemptionPolicy) .{0,40}must not be provided\b/,
    says: 'pods "policy-0" is forbidden: the string value of PreemptionPolicy (Never) must not be provided in pod spec; priority admission controller computed PreemptLowerPriority from the given PriorityClass name',
    means:
      'The API server refuses the Pod, because its `priority` or `preemptionPolicy` differs from that of its PriorityClass. If the Pod template does not set both, a mutating webhook changes `priorityClassName` or the value.',
  }),
  denialRow('pods-not-created', 'backend', {
    // Kyverno reports the same rules in a denial of its own.
    pattern: /(?<!\bIt )\bviolates PodSecurity "/,
    says: 'pods "policy-0" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true',
    means:
      'The API server refuses the Pod because of Pod Security admission, and no webhook is involved. The label `pod-security.kubernetes.io/enforce` of the namespace, or the configuration of kube-apiserver, sets the level.',
    next: ['kubectl get namespace NAMESPACE --show-labels'],
  }),
  denialRow('pods-not-created', 'backend', {
    pattern:
      /PodSecurityPolicy: unable to admit pod|unable to validate against any (?:pod security policy|security context constraint)/,
    says: 'pods "policy-" is forbidden: unable to validate against any security context constraint: []',
    means:
      'The API server refuses the Pod, and no webhook is involved. No PodSecurityPolicy or SecurityContextConstraints that the ServiceAccount may use allows this securityContext.',
    next: ['kubectl -n NAMESPACE describe replicaset'],
  }),
  denialRow('pods-not-created', 'backend', {
    pattern:
      /error looking up service account|serviceaccount "[\w.-]+" not found|no API token found for service account|no PriorityClass with name \S+ was found|RuntimeClass "[^"]*" not found/,
    says: 'pods "policy-" is forbidden: error looking up service account shop/policy: serviceaccount "policy" not found',
    means:
      'The API server refuses the Pod because its ServiceAccount, PriorityClass or RuntimeClass does not exist. No webhook is involved.',
    next: ['kubectl get serviceaccounts,priorityclasses,runtimeclasses -A'],
  }),
  denialRow('pods-not-created', 'backend', {
    pattern: /\b[Pp]ods "?[^"\s]*"? is forbidden: /,
    says: 'Error creating: pods "policy-7c9d5b6f4-" is forbidden: disallowed by cluster policy',
    means:
      'The API server itself refuses the Pod, and no webhook is involved. The text after "is forbidden" is the reason of a built-in admission plugin.',
    next: ['kubectl describe namespace NAMESPACE'],
  }),
  otherRow('built-in-denial', 'effect', {
    pattern: /\bwould violate PodSecurity "/,
    says: 'Warning: would violate PodSecurity "restricted:latest": runAsNonRoot != true',
    means:
      'This is a warning of Pod Security admission, and no webhook is involved. The object is stored. Its Pods are refused if the namespace also enforces this level.',
    next: ['kubectl get namespace NAMESPACE --show-labels'],
  }),
  denialRow('built-in-denial', 'effect', {
    pattern:
      /\bforbidden: .*(?:exceeded quota:|failed quota:|(?:maximum|minimum) [\w./-]+ usage per|max limit to request ratio per)/,
    says: 'persistentvolumeclaims "data" is forbidden: exceeded quota: storage, requested: requests.storage=10Gi, used: requests.storage=90Gi, limited: requests.storage=95Gi',
    means:
      'The API server refuses the object because of a ResourceQuota (`quota`) or a LimitRange (`usage per`). No webhook is involved.',
    next: ['kubectl -n NAMESPACE describe resourcequota,limitrange'],
  }),
];
