import { objectName as name, namesInRefusal } from '../apiserver/sentences/pod-refusal-names.ts';
import { defined } from '../basics/collections.ts';
import { type Names, shellWord } from '../phrases/advice.ts';

/** `pod "policy-0"`, `pods "policy-0"`, `pod/policy-0`, `pod="shop/policy-0"` (klog), `"pod":"policy-0"`. */
const naming = (kind: string): RegExp =>
  new RegExp(
    `\\b${kind}(?:(?:s(?:\\.\\w+)?)? "(?<quoted>${name})"|/(?<argument>${name})(?![\\w.-])|="(?:[a-z0-9-]+/)?(?<logged>${name})"|": ?"(?<field>${name})")`,
    'gi',
  );

/** `jobs.batch "certgen" is forbidden: User "USER" cannot VERB resource "jobs" in API group "batch" …` (RBAC). */
const denied =
  /\bUser "(?<user>[\w:.@-]+)" cannot (?<verb>\w+) resource "(?<resource>[\w/]+)" in API group "(?<group>[\w.-]*)"(?<wide> at the cluster scope)?/;

/** The namespace, where Kubernetes names it: the first expression that matches decides. */
const namespaces: readonly RegExp[] = [
  /\bin the namespace "([a-z0-9-]+)"/g,
  /\/namespaces\/([a-z0-9-]+)\//g,
  /\b(?:pod|job|secret|object)="([a-z0-9-]+)\//gi,
  /\bnamespace "([a-z0-9-]+)"/g,
  /\bnamespace(?:="?|": ?"|: ?")([a-z0-9-]+)\b/gi,
  /\bnamespace: ([a-z0-9-]+)(?=[,\]])/g,
  /\bkubernetes\.io\/metadata\.name[=:] ?"?([a-z0-9-]+)/g,
  /\b(?:get|describe|delete) (?:ns|namespaces?)[ /]([a-z0-9-]+)/g,
  /\.([a-z0-9-]+)\.svc\b/g,
  /\bsystem:serviceaccount:([a-z0-9-]+):/g,
  /\bservice account ([a-z0-9-]+)\//g,
  /\bkubectl [^"]{0,100}? (?:-n|--namespace)[ =]+([a-z0-9-]+)/g,
];

/** A Pod that does not run, in a list of `kubectl get pods`. */
const listedPod =
  /(?<=^|\s)([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)\s+0\/\d+\s+(?:Pending|Error|ContainerCreating|CrashLoopBackOff|OOMKilled|ImagePullBackOff|ErrImagePull|Init:\S+|CreateContainer\w+)(?=\s)/g;

/** The value, if the text has exactly one. */
function only(text: string, pattern: RegExp): string | undefined {
  const values = [...text.matchAll(pattern)].map(([, ...groups]) =>
    groups.find((one) => typeof one === 'string'),
  );
  const [first, ...others] = new Set(values);
  return others.length === 0 ? first : undefined;
}

/** The namespace that the text names, if it is only one. */
function namespaceIn(plain: string): string | undefined {
  const deciding = namespaces.find((pattern) => plain.search(pattern) >= 0);
  return deciding && only(plain, deciding);
}

/** The namespace (if it is only one), quota and missing object for the steps to fix a refused Pod. */
export function namesForPods(text: string): Names {
  const plain = text.replaceAll('\\"', '"');
  return defined({ namespace: namespaceIn(plain), ...namesInRefusal(plain) });
}

/**
 * Replaces placeholders of a command by the names that the text contains. A name stays a placeholder if the text
 * has none, or several.
 */
export function withNamesIn(text: string, command: string): string {
  const plain = text.replaceAll('\\"', '"');
  const { user, verb, resource, group, wide } = denied.exec(plain)?.groups ?? {};
  const [kind, subresource] = resource?.split('/') ?? [];
  const inGroup = group === undefined || group === '' ? kind : `${kind}.${group}`;
  const values: Readonly<Record<string, string | undefined>> = {
    NAMESPACE: namespaceIn(plain),
    POD: only(plain, naming('pod')) ?? only(plain, listedPod),
    JOB: only(plain, naming('job')),
    SECRET: only(plain, naming('secret')),
    NODE: only(plain, naming('node')),
    NAME: /\bdeployment[ /]NAME\b/.test(command) ? only(plain, naming('deployment')) : undefined,
    USER: user,
    VERB: verb,
    RESOURCE: subresource === undefined ? inGroup : `${inGroup}/${subresource}`,
  };
  // A permission for the whole cluster.
  const isWide = wide !== undefined && command.includes(' auth can-i ');
  const scoped = isWide ? command.replace(' -n NAMESPACE ', ' -A ') : command;
  return scoped.replace(/\b[A-Z]+\b/g, (word) => shellWord(values[word] ?? word));
}
