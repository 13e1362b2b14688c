import { otherRow, textRow } from './row.ts';

/** Requests that RBAC does not permit. */
export const permissionTexts = [
  otherRow('denied-by-authorizer', 'ownership', {
    // Without a leader, a program writes no certificate: that is another subject.
    pattern:
      /^(?!.*\bleader election\b).*forbidden: +User "?[^"]{1,200}"? cannot [\w:-]+ resource .{1,300}: \W{0,3}(?:\w+(?: \w+)? authz\b|requires? |User does not have access)/i,
    says: 'mutatingwebhookconfigurations.admissionregistration.k8s.io is forbidden: User "jane" cannot list resource "mutatingwebhookconfigurations" in API group "admissionregistration.k8s.io" at the cluster scope: Provider authz: the resource is managed and access is denied',
    means:
      'An authorizer other than RBAC, usually of the cloud provider, refuses the request; the text ends with its reason. No Role permits access to objects that the provider manages: leave them out. If only a permission is missing, assign it in the IAM of the provider.',
    next: ['kubectl auth can-i --list'],
  }),
  textRow('not-authorized', 'replica', {
    // The reason of the RBAC authorizer (pkg/registry/rbac/validation).
    pattern:
      /forbidden: .{1,400}: RBAC: \[?(?:cluster)?role\.rbac\.authorization\.k8s\.io \\*"[^"]{1,200}" not found/,
    says: 'secrets is forbidden: User "system:serviceaccount:shop:policy" cannot list resource "secrets" in API group "" in the namespace "shop": RBAC: role.rbac.authorization.k8s.io "policy" not found',
    means:
      'The request is not permitted: a RoleBinding or ClusterRoleBinding of this user refers to a Role or ClusterRole that does not exist. The end of the text names it. Apply the manifests of the product again, or correct the binding.',
    next: ['kubectl get clusterroles', 'kubectl auth can-i VERB RESOURCE -n NAMESPACE --as USER'],
  }),
  otherRow('not-authorized', 'replica', {
    // A name that a person has removed, and clients of the metrics APIs, such as controllers.
    pattern:
      /forbidden: +User "?(?:(?:<[^>"]*>|\*+|x{2,}|\[?redacted\]?)"? cannot [\w:-]+ resource|(?!system:(?:anonymous|serviceaccount:)|[^"]*(?:kube-apiserver|front-proxy-client|aggregator)")[^"]{1,200}" cannot [\w:-]+ resource .{1,200} API group "(?:\w+\.)?metrics\.k8s\.io")/i,
    says: 'roles.rbac.authorization.k8s.io is forbidden: User "<redacted>" cannot create resource "roles" in API group "rbac.authorization.k8s.io" in the namespace "kube-system"',
    means:
      'The user or ServiceAccount is not permitted to make this request. Usually a Role or its binding is missing, or the binding names a ServiceAccount of another namespace.',
    next: ['kubectl auth can-i VERB RESOURCE -n NAMESPACE --as USER'],
  }),
  otherRow('grant-refused', 'registration', {
    pattern: /attempt(?:ing)? to grant .{1,2000}webhookconfigurations/,
    says: 'clusterroles.rbac.authorization.k8s.io "policy-admission" is forbidden: user "jane" is attempting to grant RBAC permissions not currently held: {APIGroups:["admissionregistration.k8s.io"], Resources:["mutatingwebhookconfigurations"], Verbs:["update"]}',
    means:
      'The API server does not let a user grant permissions that the user does not have, here for webhook configurations. Install the product as a user who may write them, or turn off its webhooks in its values.',
    next: ['kubectl auth can-i --list'],
  }),
  textRow('not-authorized', 'replica', {
    pattern:
      /(?:is )?forbidden: +User "?(?!system:(?!serviceaccount:))[^\s":]+:[^\s"]+"? cannot [\w:-]+ (?:resource|\S+ (?:at the cluster scope|in the namespace))|^(?=.*system:serviceaccount:).*attempt(?:ing)? to grant (?:extra privileges|RBAC permissions)|cannot set blockOwnerDeletion if /,
    says: 'leases.coordination.k8s.io "policy" is forbidden: User "system:serviceaccount:shop:policy" cannot update resource "leases" in API group "coordination.k8s.io" in the namespace "shop"',
    means:
      'The ServiceAccount is not permitted to make this request. Usually a Role or its binding is missing, or the binding names a ServiceAccount of another namespace. If the text ends with a reason, another authorizer refuses the request: for example, a provider that protects `kube-system`.',
    next: ['kubectl auth can-i VERB RESOURCE -n NAMESPACE --as USER'],
  }),
];
