import { matchConditionBroken } from '../../../src/checks/registration/match-condition-broken.ts';
import type { AdmissionCallout } from '../../../src/facts/callout.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { ServedResource } from '../../../src/facts/served-resources.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { conversion, webhook } from '../../support/snapshot.ts';
import { allows, dryRun, tried } from '../probed.ts';

const rule = (operations: readonly string[], resources: readonly string[], group = '') => ({
  operations,
  apiGroups: [group],
  apiVersions: ['v1'],
  resources,
});
const everything = [rule(['*'], ['*/*'], '*')];
const pods = [rule(['CREATE'], ['pods'])];

/** A webhook with these conditions, named a, b and so on. */
const conditional = (expressions: readonly string[], over: Partial<AdmissionCallout> = {}) => ({
  callouts: [
    webhook({
      rules: pods,
      matchConditions: expressions.map((expression, at) => ({ name: 'abc'.charAt(at), expression })),
      ...over,
    }),
  ],
});

/** Conditions of products and of the documentation of Kubernetes. */
const sound: readonly string[] = [
  '!(request.resource.group == "coordination.k8s.io" && request.resource.resource == "leases")',
  '!("system:nodes" in request.userInfo.groups)',
  'request.resource.group != "rbac.authorization.k8s.io"',
  '!request.userInfo.username.startsWith("system:serviceaccount:kube-system:")',
  'request.userInfo.username != "system:serviceaccount:kube-system:generic-garbage-collector"',
  '!(request.userInfo.username in ["system:kube-controller-manager", "system:kube-scheduler"])',
  'authorizer.group("admissionregistration.k8s.io").resource("validatingwebhookconfigurations").name("my-webhook").check("breakglass").allowed()',
  '!authorizer.group("admissionregistration.k8s.io").resource("x").check("breakglass").allowed()',
  'request.operation != "DELETE" || !has(object.metadata)',
  '!(request.operation == "DELETE" && request.namespace == "kube-system")',
  'request.operation == "DELETE" || !has(object.metadata.deletionTimestamp)',
  'has(request.subResource) && request.subResource == "status"',
  '!has(request.subResource) || request.subResource != "status"',
  'object == null || object.metadata.name != "x"',
  '(has(object.metadata.labels) && "app" in object.metadata.labels) || has(oldObject.metadata)',
  'object.?metadata.?labels["app"].orValue("") != "policy"',
  'request.operation == "CREATE" ? object.metadata.name != "x" : true',
  'request.namespace != "kube-system"',
  'request.name != "cluster-policy"',
  'request.kind.kind == "Pod" && !request.name.startsWith("static-")',
  'request.dryRun != true',
  'oldObject == null || oldObject.spec != object.spec',
  'request.operation != "UPDATE" || object.metadata.generation != oldObject.metadata.generation',
  'has(request.options) && has(request.options.fieldManager) && request.options.fieldManager != "x"',
  'request.requestKind.kind == "PodExecOptions"',
  // With matchPolicy Equivalent, what the client requests may be of another group or version than the rules.
  'request.requestResource.version == "v1beta1"',
  'request.requestResource.group == "extensions"',
  'has(object.spec) && has(object.spec.schedulerName) && object.spec.schedulerName == "volcano"',
  'quantity(object.spec.size).asApproximateFloat() > 1.0',
  'true',
  'a text that is no expression',
];

/** Valid only for CREATE and UPDATE, or for namespaced objects. */
const soundOnCreation: readonly string[] = [
  'ip(object.spec.podIP).family() == 4',
  '!has(object.metadata.labels) || !("team" in object.metadata.labels)',
  'object.spec.schedulerName == "volcano"',
  'has(object.metadata.labels) && "istio.io/rev" in object.metadata.labels',
  'object.metadata.labels["sidecar.istio.io/inject"] != "false"',
  'object.metadata.namespace != "kube-system"',
  '!(object.metadata.namespace in ["kube-system", "kube-node-lease"])',
  '!has(object.metadata.ownerReferences) || object.metadata.ownerReferences.all(o, o.kind != "DaemonSet")',
  'object.spec.containers.exists(c, c.image.startsWith("registry.example.com/"))',
  '!has(object.spec.hostNetwork) || !object.spec.hostNetwork',
  'object.metadata.name.matches("^[a-z]+$")',
  'object.metadata.annotations.exists(k, k.startsWith("example.com/"))',
];

const unknownValue = 'object.spec.nope == 1';
const ofTeam = 'object.metadata.labels["team"] == "a"';
const ofNobody = 'object.spec.labels["team"] == "a"';
const refusal = (expression: string, because: string): string =>
  `configmaps "kubectl-webhook-probe" is forbidden: expression '${expression}' resulted in error: ${because}`;

/** The response of the API server to the dry run of a test object. */
const answered = (message: string, expressions: readonly string[], over: Partial<AdmissionCallout> = {}) => ({
  ...tried([allows], { dryRun: { ...dryRun(message), status: message === '' ? 201 : 403 } }),
  ...conditional(expressions, over),
});

/** Discovery of these resources: `resource: verbs`. */
const serving = (verbs: Readonly<Record<string, string>>) => {
  const resources = Object.entries(verbs).map(([name, list]): ServedResource => {
    const [resource = '', group = ''] = name.split('.');
    const known = { version: 'v1', kind: 'Thing', singular: '', namespaced: true };
    return { group, resource, ...known, verbs: list.split(' ') };
  });
  return complete([['served', { stale: [], resources }]] as const);
};
const everyVerb = 'create delete get list patch update';
const oldName = 'oldObject.metadata.name == "x"';
const replicas = 'object.spec.replicas > 1';
const ofBoth = [{ ...rule(['CREATE'], ['configmaps', 'deployments']), apiGroups: ['', 'apps'] }];

const toLeaveOut = 'namespaceObject.metadata.name != "kube-system"';
const missing = 'no such key: metadata';

describeCheck(matchConditionBroken, {
  reports: [
    {
      name: 'an error that only the API server foresees',
      facts: answered(refusal(unknownValue, 'no such key: spec'), ['true', unknownValue]),
      expect: {
        messageId: 'refusedPlain',
        confidence: 'observed',
        data: { condition: 'b', error: 'no such key: spec', request: 'CREATE configmaps' },
      },
    },
    {
      name: 'a label that a test object lacks: others have it',
      facts: {
        ...answered(refusal(ofTeam, 'no such key: labels'), [ofTeam], {
          rules: [rule(['CREATE'], ['configmaps'])],
        }),
        served: serving({ configmaps: everyVerb }),
      },
      expect: {
        messageId: 'refusesSome',
        confidence: 'observed',
        data: {
          condition: 'a',
          error: 'no such key: labels',
          requests: 'CREATE configmaps of a test object',
        },
      },
    },
    {
      name: 'an expression that the API server cannot compile any more, by the line that it quotes',
      facts: answered(
        `configmaps "kubectl-webhook-probe" is forbidden: compilation error: compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')\n | params.x == 1\n | ^`,
        ['true', 'params.x == 1'],
        { rules: [rule(['CREATE'], ['configmaps'])] },
      ),
      expect: {
        messageId: 'refusedPlain',
        confidence: 'observed',
        data: {
          condition: 'b',
          error:
            "compilation error: compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')",
          request: 'CREATE configmaps',
        },
      },
    },
    {
      name: 'a label of an object that has no spec either',
      facts: {
        ...answered(refusal(ofNobody, 'no such key: spec'), [ofNobody], {
          rules: [rule(['CREATE'], ['widgets'], 'example.com')],
        }),
        served: serving({ 'widgets.example.com': everyVerb }),
      },
      expect: { messageId: 'refusedPlain' },
    },
    {
      name: 'a field that no object of the kind has, although dry runs are rejected',
      facts: conditional(['object.spec.replicas > 1'], {
        rules: [rule(['CREATE', 'UPDATE'], ['configmaps'])],
      }),
      expect: {
        messageId: 'refuses',
        confidence: 'derived',
        data: { condition: 'a', error: 'no such key: spec' },
      },
    },
    {
      name: 'an error of creations, of which the API server says so, where deletions work',
      facts: {
        ...answered(refusal(oldName, 'no such key: metadata'), [oldName], {
          rules: [rule(['CREATE', 'DELETE'], ['configmaps'])],
        }),
        served: serving({ configmaps: everyVerb }),
      },
      expect: {
        messageId: 'refusesSome',
        confidence: 'observed',
        data: { condition: 'a', error: 'no such key: metadata', requests: 'CREATE configmaps' },
      },
    },
    {
      name: 'an error that the API server has for a resource, where another works',
      facts: {
        ...answered(refusal(replicas, 'no such key: spec'), [replicas], { rules: ofBoth }),
        served: serving({ configmaps: everyVerb, 'deployments.apps': everyVerb }),
      },
      expect: {
        messageId: 'refusesSome',
        confidence: 'observed',
        data: { condition: 'a', error: 'no such key: spec', requests: 'CREATE configmaps' },
      },
    },
    {
      name: 'the same where nothing else can be created',
      facts: {
        ...answered(refusal(replicas, 'no such key: spec'), [replicas], { rules: ofBoth }),
        served: serving({ configmaps: everyVerb, 'deployments.apps': 'get list' }),
      },
      expect: {
        messageId: 'refusedPlain',
        data: { condition: 'a', error: 'no such key: spec', request: 'CREATE configmaps' },
      },
    },
    {
      name: 'an error of all that another condition does not leave out',
      facts: conditional(['request.operation == "CREATE"', oldName], {
        rules: [rule(['CREATE', 'UPDATE'], ['pods'])],
      }),
      expect: { messageId: 'refuses', data: { condition: 'b', error: missing } },
    },
    {
      name: 'errors of two conditions at once',
      facts: answered(
        `configmaps "x" is forbidden: [expression '${unknownValue}' resulted in error: no such key: spec, expression '1/int(request.name) == 1' resulted in error: division by zero]`,
        [unknownValue, '1/int(request.name) == 1'],
      ),
      expect: [
        {
          messageId: 'refusedPlain',
          data: { condition: 'a', error: 'no such key: spec', request: 'CREATE configmaps' },
        },
        {
          messageId: 'refusedPlain',
          data: { condition: 'b', error: 'division by zero', request: 'CREATE configmaps' },
        },
      ],
    },
    {
      name: 'a field of namespaceObject, which refuses everything',
      facts: conditional([toLeaveOut], { rules: everything }),
      expect: { messageId: 'refuses', data: { condition: 'a', error: missing } },
    },
    {
      name: 'the same beside a condition that is always true',
      facts: conditional(['true', toLeaveOut]),
      expect: { messageId: 'refuses', data: { condition: 'b', error: missing } },
    },
    {
      name: 'the same beside a condition that may leave out',
      facts: conditional([toLeaveOut, 'request.name != "x"']),
      expect: {
        messageId: 'mayRefuse',
        data: { condition: 'a', error: missing, requests: 'CREATE pods' },
      },
    },
    {
      name: 'the same with failurePolicy Ignore',
      facts: conditional([toLeaveOut], { failurePolicy: 'Ignore' }),
      expect: { messageId: 'passesOver', data: { condition: 'a', error: missing } },
    },
    {
      name: 'the new object of a deletion',
      facts: conditional(['object.metadata.name != "x"'], {
        rules: [rule(['CREATE', 'DELETE'], ['pods', 'secrets'])],
      }),
      expect: {
        messageId: 'refusesSome',
        data: { condition: 'a', error: missing, requests: 'DELETE pods and DELETE secrets' },
      },
    },
    {
      name: 'the old object of a creation, with failurePolicy Ignore',
      facts: conditional(['oldObject.metadata.name != "x"'], {
        rules: [rule(['*'], ['*'], '*')],
        failurePolicy: 'Ignore',
      }),
      expect: {
        messageId: 'passesOverSome',
        data: { condition: 'a', error: missing, requests: 'CREATE *' },
      },
    },
    {
      name: 'a subresource that most requests do not have',
      facts: conditional(['request.subResource != "status"'], {
        rules: [rule(['UPDATE'], ['pods', 'pods/status'])],
      }),
      expect: {
        messageId: 'refusesSome',
        data: { condition: 'a', error: 'no such key: subResource', requests: 'UPDATE pods' },
      },
    },
    {
      name: 'a guarded look at namespaceObject that leaves out nothing',
      facts: conditional([`!has(namespaceObject.metadata) || ${toLeaveOut}`], { rules: everything }),
      expect: { messageId: 'leavesOutNothing', data: { condition: 'a' } },
    },
    {
      name: 'a guarded look at namespaceObject that leaves out everything',
      facts: conditional(['has(namespaceObject.metadata) && namespaceObject.metadata.name == "shop"']),
      expect: { messageId: 'neverCalled', data: { condition: 'a' } },
    },
    {
      name: 'an optional look at namespaceObject',
      facts: conditional(['namespaceObject.?metadata.labels.team.orValue("") == "a"']),
      expect: { messageId: 'neverCalled', data: { condition: 'a' } },
    },
    {
      name: 'a condition about another group than that of the rules',
      facts: conditional(['request.resource.group == "apps"']),
      expect: { messageId: 'alwaysFalse', data: { condition: 'a' } },
    },
    {
      name: 'namespaceObject beside something else',
      facts: conditional([`request.name == "x" || namespaceObject == null && request.name != "y"`]),
      expect: { messageId: 'readsNothing', data: { condition: 'a' } },
    },
    {
      name: 'more requests than anyone wants to read',
      facts: conditional(['object.kind == "x"'], {
        rules: [rule(['CREATE', 'DELETE'], ['a', 'b', 'c', 'd', 'e'])],
      }),
      expect: {
        messageId: 'refusesSome',
        data: {
          condition: 'a',
          error: 'no such key: kind',
          requests: 'DELETE a, DELETE b, DELETE c and 2 more',
        },
      },
    },
  ],
  reportsNothing: [
    {
      name: 'a condition selects one of several resources',
      facts: conditional(['request.resource.resource == "pods"'], {
        rules: [rule(['CREATE'], ['pods', 'services'])],
      }),
      outcome: 'pass',
    },
    {
      name: 'a condition selects a group, and the rule all groups',
      facts: conditional(['request.resource.group == "apps"'], { rules: everything }),
      outcome: 'pass',
    },
    {
      name: 'a condition depends on the user',
      facts: conditional(['request.userInfo.username == "nobody"']),
      outcome: 'pass',
    },
    { name: 'a dry run passes', facts: answered('', [unknownValue]), outcome: 'pass' },
    {
      name: 'a dry run is refused for the condition of another webhook',
      facts: answered(refusal('object.spec.other == 1', 'no such key: spec'), [unknownValue]),
      outcome: 'pass',
    },
    {
      name: 'another webhook refuses what this one passes over',
      facts: answered(refusal(unknownValue, 'no such key: spec'), [unknownValue], {
        failurePolicy: 'Ignore',
      }),
      outcome: 'pass',
    },
    ...sound.map((expression) => ({
      name: `all requests match: ${expression}`,
      facts: conditional([expression], { rules: everything }),
      outcome: 'pass' as const,
    })),
    ...soundOnCreation.map((expression) => ({
      name: `creations and updates match: ${expression}`,
      facts: conditional([expression], { rules: [rule(['CREATE', 'UPDATE'], ['pods'])] }),
      outcome: 'pass' as const,
    })),
    {
      name: 'a condition with an error cannot be tested',
      facts: {
        ...conditional([oldName], { rules: [rule(['CREATE', 'UPDATE'], ['nodes/status'])] }),
        served: serving({ 'nodes/status': 'get patch update' }),
      },
      outcome: 'pass',
    },
    {
      name: 'another condition excludes the requests with the error',
      facts: conditional(['request.operation != "DELETE"', 'object.metadata.name != "x"'], {
        rules: [rule(['CREATE', 'DELETE'], ['pods'])],
      }),
    },
    { name: 'there are no conditions', facts: conditional([]), outcome: 'not-applicable' },
    {
      name: 'there are no rules',
      facts: conditional([toLeaveOut], { rules: [] }),
      outcome: 'not-applicable',
    },
    { name: 'the callout converts', facts: { callouts: [conversion()] }, outcome: 'not-applicable' },
  ],
});
