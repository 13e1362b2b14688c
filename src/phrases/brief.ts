const limit = 120;
/** The end of a text that is not cut: an ellipsis would save nothing. */
const shortEnd = 25;
/** What no node has or tolerates is at the end of the scheduler's message. */
const limitOfScheduler = 200;

/** What follows never reaches a headline: expressions need not search megabytes for a beginning. */
const longest = 8000;

/** Parts of error messages without information. */
const padding = [
  /^\(combined from similar events\): /,
  /^Error creating: /,
  /^Create Pod \S+ in StatefulSet \S+ failed error: /,
  /^(?:pods "[^"]*" is forbidden|Pod "[^"]*" is invalid): /,
  /^Internal error occurred: /,
  /\b(tls: failed to verify certificate: |rpc error: code = \w+ desc = |Failed to create pod sandbox: |failed to setup network for sandbox "[^"]*": )/g,
  // A port-forward (kubelet, containerd).
  /error forwarding port \d+ to pod \S+, uid : (failed to execute portforward in network namespace "[^"]*": )?/,
  // Prefixes of the runtime before the actual error (containerd).
  /Back-off pulling image "[^"]*": (ErrImagePull: )?/,
  /failed to pull and unpack image "[^"]*": (failed to resolve reference "[^"]*": )?(failed to do request: ((Head|Get) "[^"]*": )?)?/,
  // Go: the addresses of a question to the DNS server.
  /(?<=\blookup \S+ on \S+: )read udp \S+->\S+: /,
  /failed to create containerd task: .*unable to start container process: /,
  /failed to create containerd container: /,
  /^Unschedulable: (?=0\/)/,
  // The kubelet.
  /\bPod was rejected: /,
  /(?<=\bprobe failed: )Get "[^"]*": /,
  / \(pod: "[^"]*", container: \S+\)$/,
  / no new claims to deallocate, preemption: .*$/,
  / preemption: 0\/\d+ nodes are available.*$/,
  /[.\s]+$/,
];

/** The API server's error for a user or ServiceAccount without permission (endpoints/handlers/responsewriters/errors.go). */
const forbidden = /^.*?\S is forbidden: User "([^"]+)" cannot (\S+) resource "([^"]*)" in API group "[^"]*"/s;

/** The error of OpenShift's and of the former PodSecurityPolicy's admission: the first field that no policy allows. */
const unconstrained =
  /^.*?(?:unable to validate against any (security context constraint|pod security policy)|PodSecurityPolicy: unable to admit pod): .*?(\w{1,60}: (?:Invalid value|Forbidden|Required value): .{1,80}?)(?:\]?$|,? (?:provider |\.|spec).*$)/s;

/** What precedes the message in klog (`E1127 15:04:05.000000 1 main.go:51] `), and in Go's log package. */
const header = /^(?:[IWEF]\d{4} [\d:.]+\s+\d+ \S+?:\d+\] |\d{4}\/\d\d\/\d\d [\d:.]+ )/;
/**
 * zap's encoder for consoles: time, level, perhaps logger and caller, message, and perhaps fields in JSON. Between them
 * are tabs, which are two spaces in a report.
 */
const zap =
  /^\S+(?:\t| {2})(?:ERROR|WARN|INFO|FATAL|PANIC|DPANIC|DEBUG)(?:\t| {2})(?:\S+(?:\t| {2}))*?((?:(?!\t| {2}).)*)(?:(?:\t| {2})(\{.*))?$/i;

const joined = (parts: readonly unknown[]): string | undefined => {
  const texts = parts.filter((part) => typeof part === 'string' && part !== '');
  return texts.length === 0 ? undefined : texts.join(': ');
};

/** The text of an error: itself, or `message` of the object that pino and bunyan write. */
const textOfError = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'message' in error ? error.message : error;

/** The message and the error of a line in JSON; undefined for JSON without them. */
function messageOfJson(text: string): string | undefined {
  try {
    const { msg, message = msg, err, error = err } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    // pino repeats the text of an error that was logged without a message.
    return joined([...new Set([message, textOfError(error)])]);
  } catch {
    // A line that was cut.
    const found = [...text.matchAll(/"(?:msg|message|error|err)":\s*"((?:[^"\\]|\\.)*)/g)];
    return joined(found.map(([, part = '']) => part.replaceAll('\\"', '"')));
  }
}

/** The value of a field in logfmt: `msg="no such file"`, `err=EOF`. */
const logfmt = (text: string, name: string): string | undefined => {
  const [, quoted, plain] =
    new RegExp(`(?:^|\\s)${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|(\\S+))`).exec(text) ?? [];
  return quoted?.replaceAll('\\"', '"') ?? plain;
};

/** The message and the error of a line of a log, without time, level and other fields; any other text as it is. */
export function messageOfLine(text: string): string {
  if (text.startsWith('{')) return messageOfJson(text) ?? text;
  const [, message, fields = ''] = zap.exec(text) ?? [];
  if (message !== undefined) return joined([message, messageOfJson(fields)]) ?? text;
  if (/\blevel=/.test(text))
    return joined([logfmt(text, 'msg'), logfmt(text, 'err') ?? logfmt(text, 'error')]) ?? text;
  const rest = text.replace(header, '');
  // klogr: `"msg"="unable to start" "error"="no such file"`.
  if (rest.startsWith('"msg"="'))
    return joined([...rest.matchAll(/"(?:msg|error)"="((?:[^"\\]|\\.)*)"/g)].map(([, part]) => part)) ?? rest;
  // klog's structured form: `"Problem running manager" err="no such file"`.
  const [, quoted] = /^"([^"]+)" \w+=/.exec(rest) ?? [];
  return rest === text || quoted === undefined ? rest : (joined([quoted, logfmt(rest, 'err')]) ?? rest);
}

const mark = '…';
/** A word that would fill a headline: its beginning, and the rest without a quote at its end. */
const longWord = /([^\s"']{30})[^\s"']{29,}[^\s"':]/g;

/** The webhook that denies a request, and all that precedes it (apiserver webhook/errors/statuserror.go). */
const beforeDenial = /^.*?\badmission webhook "([^"]*)" denied the request: /s;

/** An error message shortened for a headline; the evidence has the complete text. */
export function brief(text: string): string {
  const message = messageOfLine(text.slice(0, longest))
    .replace(forbidden, (_, user: string, verb, resource) => {
      const account = user.replace(/^system:serviceaccount:([^:]+):/, 'ServiceAccount $1/');
      return `${account === user ? `user ${user}` : account} cannot ${verb} ${resource}`;
    })
    .replace(unconstrained, (_, kind = 'pod security policy', field) => `no ${kind} allows ${field}`)
    .replace(
      /: RBAC: (cluster)?role\.rbac\.authorization\.k8s\.io "([^"]+)" not found/,
      (_, cluster, name) => `: ${cluster === undefined ? 'Role' : 'ClusterRole'} ${name} not found`,
    );
  const complete = padding.reduce((rest, pattern) => rest.replace(pattern, ''), message);
  const most = /^0\/\d+ nodes are available/.test(complete) ? limitOfScheduler : limit;
  if (complete.length <= most + shortEnd) return complete;
  // The value of an argument, or a URL: the reason follows it. What precedes a denial says less than its reason.
  const plain = complete.replace(beforeDenial, 'webhook $1 denied: ').replace(longWord, `$1${mark}`);
  const inner = plain.length <= most ? plain : innermost(plain, most);
  if (inner.length <= most) return inner;
  const last = lastReason.exec(inner) ?? cutError(inner, most);
  const reason = last?.[0] ?? '';
  return `${beginning(inner, Math.min(last?.index ?? most, most - reason.length))} …${reason}`;
}

/** An error that only wraps the next one, as Go programs do with `%w`: `failed to start: failed to create CA: …`. */
const wrapper =
  /^(?:Error: )?(?:failed|unable|could not|cannot|error) [^:()"]{1,80}: (?=(?:failed|unable|could not|cannot|error) )/i;

/** A chain of errors without its outer ones, until the rest is short enough. */
function innermost(text: string, most: number): string {
  const rest = text.replace(wrapper, '');
  return rest === text || rest.length <= most ? rest : innermost(rest, most);
}

/** The reason at the end of a chain of errors in Go: `: no such file or directory`. */
const lastReason = /: [a-z][\w' -]{2,40}$/i;

/** An error of Go about a certificate, before its details: they follow, so that it is not at the end. */
const certificateError = /\bx509: [a-z][^:()"]{3,60}/;

/** The same, if the first `most` characters do not contain it. */
function cutError(text: string, most: number): RegExpExecArray | undefined {
  const found = certificateError.exec(text);
  return found !== null && found.index + found[0].length > most ? found : undefined;
}

/** The first words, of at most this length, and of at least half of it. */
function beginning(text: string, most: number): string {
  const cut = text.slice(0, most);
  return cut.slice(0, Math.max(cut.lastIndexOf(' '), most / 2));
}

const frame =
  /^(failed calling webhook "[^"]*": (failed to call webhook: )?(Post "[^"]*": )?|admission webhook "[^"]*" denied the request: |conversion webhook for [^,]+, Kind=\S+ (failed: (Post "[^"]*": )?)?)/;

/** How a call ended, for a line that already names its webhook. */
export const briefEnd = (text: string): string => brief(text.replace(frame, ''));
