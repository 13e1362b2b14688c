import { defined } from '../../../basics/collections.ts';
import type { Forbidden } from '../../../facts/rbac-denial.ts';
import { groupResourceOf } from '../../../facts/resource.ts';

/** Quotes in a log can be escaped: `\"`. */
const quote = '\\\\*"';
const quoted = (name: string): string => `${quote}(?<${name}>[^"\\\\]*)${quote}`;
/**
 * `NAME is forbidden: User "U" cannot V resource "R" in API group "G" in the namespace "N"`
 * (endpoints/handlers/responsewriters/errors.go).
 */
const sentence = new RegExp(
  `(?:${quoted('name')} )?is forbidden: User ${quote}system:serviceaccount:(?<home>[a-z0-9-]+):(?<account>[a-z0-9.-]+)${quote} cannot (?<verb>[\\w:-]+) ` +
    `resource ${quoted('resource')} in API group ${quoted('group')}(?: in the namespace ${quoted('namespace')})?`,
);

/**
 * The refusal of a kubelet in the log of metrics-server (pkg/scraper/scraper.go), which names no permission:
 * `"Failed to scrape node" err="… 403 Forbidden …"`.
 */
const failedScrape = '"Failed to scrape node" err="';

/** kubelet/server/auth.go: `/stats/summary`, which metrics-server read before 0.6, is another subresource. */
function scrapeIn(text: string, account: string | undefined): Forbidden | undefined {
  const at = text.indexOf(failedScrape);
  const end = at < 0 ? -1 : text.indexOf('403 Forbidden', at);
  if (account === undefined || end < 0) return undefined;
  const resource = text.slice(at, end).includes('/stats/') ? 'nodes/stats' : 'nodes/metrics';
  return { account, verb: 'get', resource, namespace: undefined };
}

/**
 * Parses the API server's error for a ServiceAccount without permission, anywhere in a text.
 *
 * @param loggedBy `namespace/name` of the ServiceAccount of the Pod that logged it: some errors do not name it.
 */
export function forbiddenIn(text: string, loggedBy?: string): Forbidden | undefined {
  const found = sentence.exec(text)?.groups;
  if (found === undefined) return scrapeIn(text, loggedBy);
  const { home, account, verb = '', resource = '', group = '', namespace, name } = found;
  return {
    account: `${home}/${account}`,
    verb,
    resource: groupResourceOf({ group, resource }),
    namespace,
    ...defined({ name }),
  };
}

/** The name may contain quotes: those of an argument, which no shell has removed. */
const absent =
  /(?<kind>mutating|validating)webhookconfigurations?\.admissionregistration\.k8s\.io \\*"(?<name>(?:\\+")?[\w.:-]+(?:\\+")?)\\*" not found/i;

/** Parses the API server's NotFound error for a webhook configuration: `MutatingWebhookConfiguration policy`. */
export function missingConfigurationIn(text: string): string | undefined {
  const { kind = '', name } = absent.exec(text)?.groups ?? {};
  if (name === undefined) return undefined;
  return `${/^m/i.test(kind) ? 'Mutating' : 'Validating'}WebhookConfiguration ${name.replaceAll(/\\+"/g, '"')}`;
}

/** A request that its user is not permitted to make. */
interface Unauthorized {
  readonly user: string;
  readonly verb: string;
  readonly group: string;
  /** With the subresource: `pods/log`. */
  readonly resource: string;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  /** The authorizer's reason; usually empty. */
  readonly reason?: string | undefined;
}

/** The API server's error for a forbidden request (responsewriters forbiddenMessage, NewForbidden). */
export function forbiddenText({
  user,
  verb,
  group,
  resource,
  namespace,
  name,
  reason,
}: Unauthorized): string {
  const [plural] = resource.split('/');
  const what = [`${plural}${group && `.${group}`}`, ...(name ? [`"${name}"`] : [])].join(' ');
  const where = namespace ? `in the namespace "${namespace}"` : 'at the cluster scope';
  const why = reason ? `: ${reason}` : '';
  return `${what} is forbidden: User "${user}" cannot ${verb} resource "${resource}" in API group "${group}" ${where}${why}`;
}
