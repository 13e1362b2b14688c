import { notMirrorPod } from '../../../phrases/exempting-expressions.ts';

/** Why a webhook denies a request, if its message shows that. */
export interface DenialReason {
  readonly kind:
    | 'eviction-denied'
    | 'eviction-not-supported'
    | 'finalizer-kept'
    | 'mirror-pod-denied'
    | 'denial-not-authorized'
    | 'denial-own-call-failed'
    | 'denial-not-ready'
    | 'denial-unlicensed'
    | 'denial-of-user'
    | 'denial-panicked'
    | 'denial-undecodable'
    | 'denial-own-file'
    | 'denial-own-template'
    | 'denial-template'
    | 'denial-of-other-release'
    | 'denial-internal'
    | 'denial-unknown-kind'
    | 'denial-by-rule'
    | 'denial-not-found';
  /** Matched against the complete record if `ofRecord` is set, else against the webhook's message. */
  readonly pattern: RegExp;
  readonly ofRecord?: true;
  /** Not if the webhook's message matches this. */
  readonly unless?: RegExp;
  readonly means: string;
}

const notAtFault = 'The object is not at fault.';
/** Of each denial: people look for a failed call. */
export const deniedByWebhook =
  'The webhook was called, responded, and refused this request: the call itself did not fail, and `failurePolicy` has no effect.';

/** The message is a rule about the object. */
const ruleInMessage =
  /^\[[\w. -]+\] |\bdenied by \S|\bviolat(?:e|ed|es|ing|ions?)\b|\bfollowing polic(?:y|ies)\b|\b(?:dis|not |n't )(?:allow|permit)(?:ed)?\b|\bmust\b|\b(?:has|have|needs?) to\b|\b(?:is|are) (?:required|immutable|forbidden|disabled|prohibited|already (?:defined|in use|used))\b|\bcontains? (?:an? )?(?:risky|invalid|forbidden|unsafe|disallowed)\b|\b(?:Required|Invalid|Unsupported|Duplicate) value\b|: Forbidden: |\bcan(?:not| ?not|'t) be (?:changed|modified|updated|used|empty)\b/i;

/** Errors of Go's text/template after the name of the template (parse/parse.go, exec.go). */
const inTemplate =
  ':\\d+(?::\\d+)?: (?:executing "|function "|unexpected (?:["<{]|EOF|\\w+ in )|undefined variable|unclosed |unterminated |missing value|can\'t evaluate )';

const notParsed = '\\bfail\\w* (?:to )?(?:pars|apply|execut|render)\\w*';

/** An error in a template of any name, or in values of a chart: the object may contain them. */
const ofTemplate = new RegExp(
  `\\btemplate: [\\w./-]*${inTemplate}|${notParsed} (?:generated )?values\\.yaml\\b`,
  'i',
);

/**
 * An error in the template of an injector, or in the YAML of it: istiod names each of its templates `inject`
 * (pkg/kube/inject/inject.go parseDryTemplate). A Pod selects templates, and contains values for them.
 */
const ofOwnTemplate = new RegExp(
  `\\btemplate: inject${inTemplate}|${notParsed} (?:generated )?(?:inject\\w*|sidecar) (?:YAML|overlay|template)\\b`,
  'i',
);

/** The process that responds: without a name, so that it is no database in the object. */
const responder =
  '(?:(?:the |this )?(?:webhook|controller|manager|operator|program|process|replica|pod|instance)(?: server)?|this server)';
const notLeader = 'not (?:yet )?(?:the )?(?:current )?leader';

/**
 * The whole message is about the process, or its first sentence is: a database or a queue in the object has a leader, too.
 */
const ofStandby = new RegExp(
  `^(?:(?:(?:${responder} (?:is )?)?not (?:yet )?ready|cannot (?:validate|mutate|convert|admit|serve|handle|process)(?: (?:the |this )?requests?)?): )?(?:(?:I am|${responder} is) ${notLeader}(?: yet)?[.,;:](?!.*\\bspec\\b)|(?:(?:${responder} (?:is )?|I am ))?(?:${notLeader}|no leader (?:is |was |has been )?(?:yet )?elected|leader election (?:is |has |was )?(?:in progress|not (?:yet )?(?:been )?(?:finished|completed?|done))|waiting (?:for leader election|to become (?:the )?leader)|(?:running )?in standby mode|(?:the |this )?standby (?:instance|replica|server) (?:cannot|can not|does not) serve(?: requests)?)(?: yet)?(?:[.,;:]? (?:please )?(?:try|retry)(?: again)?(?: later)?)?[.!]?$)`,
  'i',
);

/** Failures of the program come before what the webhook was called for, and before rules about the object. */
const reasons: readonly DenialReason[] = [
  // pods is forbidden: User "system:serviceaccount:shop:policy" cannot list resource "pods"; http response …
  // is 401
  {
    kind: 'denial-not-authorized',
    pattern:
      /is forbidden: User "?system:serviceaccount:|\b(?:privileges|permissions) are (?:required|missing) for the service ?account\b|asked for the client to provide credentials|https?:\/\/.*\b(?:401|403|Unauthorized)\b|\b(?:status|code)\b.{0,12}\b40[13]\b/,
    means: `The webhook responded, and denies because a call of its own was refused: its ServiceAccount lacks a permission, or its credentials have expired. ${notAtFault}`,
  },
  // panic: runtime error: invalid memory address or nil pointer dereference [recovered]
  {
    kind: 'denial-panicked',
    pattern: /^panic: |\[recovered\]|\bnil pointer dereference\b/,
    means: `The handler of the webhook panicked at this object, and controller-runtime returned the panic as a refusal. ${notAtFault} The program has a defect: its log contains the stack trace.`,
  },
  // unable to decode into *v1alpha1.DataStore: there is no content to decode
  {
    kind: 'denial-undecodable',
    pattern: /\bno content to decode\b|\bunexpected end of JSON input\b/,
    means: `The handler of the webhook decodes something empty, usually the new object of a deletion, which is only in \`oldObject\`. ${notAtFault} The program has a defect, or its rules must not contain DELETE.`,
  },
  // failed to unmarshal JSON from: /var/run/linkerd/config/values: error unmarshaling JSON: while decoding JSON: json: cannot …
  {
    kind: 'denial-own-file',
    pattern:
      /(?:\b(?:fail(?:ed|s|ure)?|errors?|unable|could not|cannot|can't)(?: to| in| while| when)? (?:read|open|load|stat|pars|unmarshal|decod)\w* (?:\w+ ){0,3}?(?:from:? |file:? )?["']?\/(?:var|etc|run|usr|opt|app|config|certs?)\/[\w.-]+|\b(?:open|read|l?stat) \/[\w./-]+: (?:no such file|permission denied|is a directory))/i,
    unless:
      /\b(?:allow|permit|disallow|prohibit|forbid|violat)\w*|\b(?:must|may) not\b|(?<!\/)\bpolic(?:y|ies)\b(?![/.])(?!.*: (?:no such file|permission denied|is a directory))/i,
    means: `The program of the webhook does not read a file of its own: its ConfigMap or Secret has an error. ${notAtFault} Correct that object, or roll it back, and restart the Pods of the webhook.`,
  },
  // template: inject:5:20: executing "inject" at <.Values.global.hub>: nil pointer evaluating interface {}.hub
  {
    kind: 'denial-own-template',
    pattern: ofOwnTemplate,
    means:
      'The template by which the program changes objects has an error, or a value of the object does not fit it. If every object is denied, correct the ConfigMap that contains the template or its values. Otherwise correct the labels and annotations of the object that the template reads.',
  },
  // Rules are not valid: template: __alert_Foo:1: function "foo" not defined
  {
    kind: 'denial-template',
    pattern: ofTemplate,
    means:
      'A template or its values have an error. If the object contains them, correct the object. If they belong to the program, correct the ConfigMap that contains them.',
  },
  // mutation failed: cannot decode incoming new object: json: unknown field "volumeClaimTemplate"
  {
    kind: 'denial-of-other-release',
    pattern:
      /\bjson: (?:unknown field|cannot unmarshal)\b|\bstrict decoding error\b|\b(?:error|failed to) unmarshal/i,
    means:
      'The webhook cannot decode the object: its program does not know a field, or expects a value of another type. The object has an error, or it is of another release than the program.',
  },
  // "Failed creating a mirror pod for" err="admission webhook \"…\" denied the request: … no service account"
  {
    kind: 'mirror-pod-denied',
    pattern:
      /\bcreating a mirror pod\b.*denied the request(?!.*(?:\bdial tcp\b|deadline exceeded|connection refused|timeout|x509: ))/is,
    ofRecord: true,
    unless: ruleInMessage,
    means: `A webhook denied the mirror Pod of a static Pod, often because it has no ServiceAccount. Its requests come from the kubelet. The static Pod runs on its node, but is not visible. Exclude such Pods by \`matchConditions\`: \`${notMirrorPod}\`.`,
  },
  // failed to get the image: Get "https://registry.example.com/v2/": context deadline exceeded
  {
    kind: 'denial-own-call-failed',
    pattern:
      /\bdial (?:tcp|udp)\b|no endpoints available|(?<!Progress )deadline exceeded|context canceled|connection refused|i\/o timeout|no such host|x509: |timed out (?:waiting|after)|rate limiter|\brpc error: code = (?:Unavailable|Unauthenticated|PermissionDenied|Internal|Unknown|ResourceExhausted)\b|\b(?:GET|HEAD|POST|PUT) \\?"?https?:\/\/\S+: |\b(?:failed|unable|could not|error) (?:to )?(?:get|list|fetch|retriev|look(?:ing)? ?up|connect|reach|contact|query|watch|pull|download)\w*\b(?! (?:\w+ )?(?:label|annotation|field|value|key)s?\b)(?!.*\bnot found\b)/i,
    means: `The webhook responded, and denies because a call of its own failed: to the API server, a registry or another service. The object is at fault only if it names what the webhook calls, such as an image. Examine that, and the credentials of the webhook.`,
  },
  // the cache is not started, can not read objects
  {
    kind: 'denial-not-ready',
    pattern: new RegExp(
      `\\b(?:caches?|informers?) (?:is |are |has |have )?not (?:yet )?(?:been )?(?:started|synced|ready)\\b|\\b(?:webhook|controller|manager|server|engine|handler|validator|client) (?:is |was |has )?not (?:yet )?(?:been )?(?:started|synced|initiali[sz]ed)\\b|\\b(?:polic(?:y|ies)|rules?|cache) store (?:is |was )not (?:yet )?(?:ready|loaded|synced)\\b|\\bno policies (?:are |were )?loaded\\b|${ofStandby.source}`,
      'i',
    ),
    means: `The webhook responded before it is ready: its cache is not filled, or it is not the leader. ${notAtFault}`,
  },
  // license expired on 2026-01-01
  {
    kind: 'denial-unlicensed',
    pattern:
      /\b(?:licen[cs]e|subscription|trial)(?: (?:key|period))?\b.{0,20}\b(?:expired|ended|revoked)\b|\b(?:no valid|expired|invalid) licen[cs]e\b(?! (?:label|annotation|header|name|is not|are not))/i,
    means: `The webhook denies requests because the license of its program is not valid. ${notAtFault} Renew the license.`,
  },
  // Unauthorized
  {
    kind: 'denial-of-user',
    pattern: /^(?:Unauthorized|(?:access|permission) denied|not authori[sz]ed)[.!]?$/i,
    means:
      'The message is about a permission, and not about the object. Usually the program checks the permissions of the user, often the ServiceAccount of a controller. Grant that user what the documentation of the webhook names, or exclude its requests by `namespaceSelector` or `matchConditions`. If every user is denied, a request of the program itself is refused, for example because its token has expired.',
  },
  // user "system:serviceaccount:shop:operator" (groups=[…]) is attempting to grant RBAC permissions not currently held: …
  {
    kind: 'denial-of-user',
    pattern: /\battempt\w* to grant\b.*\bpermissions not currently held\b/is,
    means:
      'A user can only grant permissions that it holds. The message names the user and the permissions that it lacks. Check that the roles exist to which this user is bound: a binding to a ClusterRole that does not exist grants nothing. The object is not at fault.',
  },
  // Prevented from accessing managed resources. This is in an effort to prevent harmful actions …
  {
    kind: 'denial-of-user',
    pattern:
      /\b(?:prevent|protect|block|restrict)(?:ed|s|ing)? (?:\w+ ){0,3}(?:access\w*|chang\w*|modif\w*|updat\w*|delet\w*) (?:\w+ ){0,4}(?:managed|protected|reserved) (?:resources?|objects?|namespaces?)\b/i,
    means:
      'The webhook protects objects of a platform or product from other users on purpose. Neither the object nor the webhook is at fault. Make the change in the settings that the platform offers for it, or ask its provider.',
  },
  // error when evicting pods/"web-0": admission webhook "…" denied the request: no kind "Eviction" is registered …
  {
    kind: 'eviction-not-supported',
    pattern: /denied the request: .*\bno kind "Eviction" is registered/is,
    ofRecord: true,
    means:
      'The program of the webhook does not support this version of Eviction, so it denies every eviction. Upgrade it. Until then, remove `pods/eviction` from its rules.',
  },
  // error when evicting pods/"kafka-0" -n "kafka": admission webhook "…" denied the request: The pod will be
  // rolled
  {
    kind: 'eviction-denied',
    pattern: /\bevict(?:ing|ion|ed)?\b.*denied the request/is,
    ofRecord: true,
    means:
      'A webhook denied the eviction of a Pod. kubectl drain retries a 429, as a PodDisruptionBudget returns it; any other denial ends the drain with an error.',
  },
  // removing tracking finalizer: admission webhook "…" denied the request: …
  {
    kind: 'finalizer-kept',
    pattern: /\b(?:remov\w*|delet\w*|clear\w*)\b.{0,40}\bfinalizers?\b.*denied the request/is,
    ofRecord: true,
    means:
      'A webhook denied an UPDATE that only removes a finalizer, so the object remains. The webhook evaluates the complete object, which was admitted before, for example because the rule is newer. It must admit such an update: if the object has a deletionTimestamp, or if its spec does not change.',
  },
  // expect resource to be {example.com v1 widgets}, but found {example.com v1 gadgets}
  {
    kind: 'denial-unknown-kind',
    pattern:
      /\bexpect(?:ed)? (?:resource|kind|an? \S+) (?:to be|but)\b|\b(?:unexpected|unsupported|unknown) (?:resource|kind|type)\b|^(?:unexpected|unsupported|unknown) (?:webhook )?operation:? \W*(?:create|update|delete|connect)\W*$|no kind (?:"\w+" )?is registered|\bno matches for kind\b|could not find the requested resource/i,
    means: `The webhook denies a resource, version or operation that its release does not support: the rules of the configuration match more than the program handles. ${notAtFault}`,
  },
  // Internal error occurred: the spec replicas field ".spec.replicas" does not exist
  {
    kind: 'denial-internal',
    pattern: /^Internal error occurr?ed: (?!admission webhook |failed calling )/,
    means:
      'The program of the webhook returned an internal error instead of a decision. It has a defect, or does not handle objects like this one. Its log may contain more.',
  },
  // [denied by no-host-port] container web specifies a host port, which is not allowed
  {
    kind: 'denial-by-rule',
    pattern: ruleInMessage,
    means: `${deniedByWebhook} The message is a rule about the object: change the object, or have the owner of the policy admit it. If the object does not break this rule, the program may be faulty.`,
  },
  // Deployment.apps "web" not found
  {
    kind: 'denial-not-found',
    pattern:
      /^(?!.*\b(?:label|annotation|field|key|path|port|container)s? \\*"[^"]*" not found).*\b[a-z][\w.-]* [^\s"]*["\\]{1,4}[^"]{1,100}["\\]{1,4}[^\s"]* (?:was |is )?not found\b/i,
    means:
      'The webhook looked for an object that does not exist, or that is not in its cache yet. Create that object first, or try again if it is new. If the manifest of the request does not name it, the configuration of the webhook does.',
  },
];

/** Of a text that a webhook wrote, and that may be long. */
const mostCharacters = 2000;

/**
 * The reason in a denial; undefined if the message does not show it.
 *
 * @param message the webhook's own message; the record also contains the API server's.
 */
export const denialReasonIn = (record: string, message = ''): DenialReason | undefined =>
  reasons.find(
    ({ pattern, ofRecord, unless }) =>
      pattern.test((ofRecord === true ? record : message).slice(0, mostCharacters)) &&
      unless?.test(message.slice(0, mostCharacters)) !== true,
  );

/** Reasons with which the program, and no object, is at fault. */
const ofProgram: readonly (DenialReason['kind'] | undefined)[] = [
  'denial-not-authorized',
  'denial-own-call-failed',
  'denial-own-file',
  'denial-not-ready',
  'denial-panicked',
  'denial-undecodable',
  'denial-internal',
];

/** A call for an image fails for a wrong name in the object, too. */
const ofImage = /\bimages?\b|\bregistry\b|\/v2\/|\bmanifests?\b|\bdigests?\b|\bsignatures?\b/i;

/** True if a denial, without the prefix of the API server, reports an error of the program. */
export function isErrorOfProgram(words: string): boolean {
  const kind = denialReasonIn('', words)?.kind;
  return ofProgram.includes(kind) && !(kind === 'denial-own-call-failed' && ofImage.test(words));
}

/** The webhook's own words in the text of a denial. */
export const denialIn = (text: string): string => text.replace(/^.*?denied the request: /s, '').trim();

/** What to do about a program that panics for some objects. */
export const panicAdvice =
  '[see] The stack trace is in the log of the program: `kubectl -n {namespace} logs {backend}`. [end] Use a version of the program without this error. [end] Until then, set what the program expects in such objects, such as labels and annotations, or exclude the objects by `matchConditions`: `kubectl edit {kind} {configuration}`.';

/** True if the message of a denial, with or without the prefix of the API server, reports a panic of the handler. */
export const isPanic = (denial: string): boolean =>
  denialReasonIn('', denialIn(denial))?.kind === 'denial-panicked';

/** True if the message of a denial reports an error in a template that may be the program's own. */
export const isOfTemplate = (denial: string): boolean => {
  const kind = denialReasonIn('', denialIn(denial))?.kind;
  return kind === 'denial-template' || kind === 'denial-own-template';
};

/** True if the message of a denial reports that the template of an injector has an error, or does not fit the object. */
export const isOfOwnTemplate = (denial: string): boolean =>
  denialReasonIn('', denialIn(denial))?.kind === 'denial-own-template';
