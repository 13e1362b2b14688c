import { addressOfApiServer } from '../component-texts/api-clients.ts';
import { findComponentText } from '../component-texts/component-texts.ts';

/** A request of a program to another server that failed. */
export interface OutboundError {
  /** The name or address of the server, with its port if the text has it. */
  readonly host: string;
  /** The text after the host. */
  readonly detail: string;
}

const failure =
  /context deadline exceeded|i\/o timeout|no such host|connection refused|connection reset|no route to host|network is unreachable|TLS handshake timeout|server misbehaving|Client\.Timeout exceeded|request canceled|x509: |timed? ?out|Max retries exceeded|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED|UnknownHost|dns error|error sending request/i;

/** Formats of gRPC, Go, Python, Node.js, Java and Rust: a URL or name first, then an unresolved name, then an address. */
const hosts = [
  /\bServerName: "(?<host>[\w.:-]+)"/,
  /https?:\/\/(?<host>[^\s/"'\\)?]+)/,
  // `dial tcp: lookup db on 203.0.113.10:53: no such host`; not `lookup failed`.
  /\blookup (?<host>[\w-]+(?:\.[\w-]+)+|[\w-]+(?= on ))/,
  /ConnectionPool\(host='(?<host>[^']+)'/,
  /getaddrinfo (?:ENOTFOUND|EAI_AGAIN) (?<host>[\w.-]+)/,
  /UnknownHostException: (?<host>[\w.-]+)/,
  /Connect to (?<host>[\w.-]+:\d+)/,
  /\b(?:dial tcp|connect \w+) (?<host>[\d.]+:\d+)/,
];

const isLocal = /^(?:localhost|127\.|\[::1\]|0\.0\.0\.0)/;

/** Errors of calls of the API server, and of requests to it, or to a kubelet that does not respond. */
function isAboutCluster(line: string): boolean {
  if (/failed calling webhook|kubernetes\.default/.test(line)) return true;
  const isOfKubelet = /:10250\b/.test(line);
  if (isOfKubelet && line.includes('x509: ')) return false;
  const known = findComponentText(line);
  if (known === undefined || known === addressOfApiServer) return isOfKubelet;
  return isOfKubelet || /^(?:api-server|no-api-server|token|kubelet)/.test(known.kind);
}

/** The failed request to another server that a line of a program's log reports. */
export function outboundErrorIn(line: string): OutboundError | undefined {
  const plain = line.replaceAll('\\"', '"');
  const at = hosts.map((pattern) => pattern.exec(plain)).find((match) => match !== null);
  const host = at?.groups?.host;
  if (at === undefined || at === null || host === undefined || isLocal.test(host)) return undefined;
  // `Get "https://registry.example.com/v2/": context deadline exceeded`: the host is named already.
  const detail = plain
    .slice(at.index)
    .replace(/^https?:[^\s"]*": |^ServerName: .*?"transport: (?:Error while dialing: )?/, '')
    // The other fields of a structured line, and the rest of a line in JSON.
    .replace(/" [\w.]+=.*$/, '')
    .replace(line.startsWith('{') ? /"(?:[,}].*)?$/ : /"$/, '');
  return failure.test(detail) && !isAboutCluster(line) ? { host, detail } : undefined;
}
